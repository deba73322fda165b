import type { OrderId } from '#core/ids.ts';
import { newId } from '#core/ids.ts';
import type { OrderEvidence } from '#core/order/order-evidence.ts';
import { jsonText } from '#storage/postgres/json.ts';
import type { Database, Reader } from '#storage/postgres/database.ts';

/** Has its own id: writing it again after a lost answer changes nothing. */
export interface StoredEvidence extends OrderEvidence {
  readonly id: string;
}

export const storedEvidence = (evidence: OrderEvidence): StoredEvidence => ({ ...evidence, id: newId<string>() });

export async function writeEvidence({ kysely }: Database, rows: readonly StoredEvidence[]): Promise<void> {
  if (rows.length === 0) return;
  const values = rows.map(({ id, orderId, kind, at, detail }) => ({
    ...{ id, order_id: orderId, kind, at },
    detail: jsonText(detail),
  }));
  await kysely
    .insertInto('order_evidence')
    .values(values)
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute();
}

/** Oldest first. */
export const readEvidence = (database: Reader, orderId: OrderId) =>
  database
    .selectFrom('order_evidence')
    .select(['kind', 'at', 'detail'])
    .where('order_id', '=', orderId)
    .orderBy('at')
    .orderBy('id')
    .execute();
