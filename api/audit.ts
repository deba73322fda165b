import { writeAuditLog } from '#storage/operator/audit-logs.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import type { Caller } from '#api/guard/caller.ts';
import type { Operator } from '#api/guard/session.ts';

interface Change {
  readonly action: string;
  readonly subject: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

/** Records a change of the operator in the transaction that makes it. */
export const auditChange = (
  transaction: Transaction,
  { operator, caller }: { readonly operator: Operator; readonly caller: Caller },
  change: Change,
): Promise<void> =>
  writeAuditLog(transaction, {
    ...{ userId: operator.user.id, ...change, ip: caller.ip, userAgent: caller.userAgent },
    brief: operator.session === null,
  });
