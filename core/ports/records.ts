import type { TickAudit } from '#core/decision/audit.ts';
import type { ProfileId } from '#core/ids.ts';
import type { OrderEvidence } from '#core/order/order-evidence.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

/** One row of action_logs. A row with the same id is overwritten (collapsed repeats increase its count). */
export interface ActionLogRow {
  readonly id: string;
  readonly profileId: ProfileId;
  readonly symbol: string | null;
  readonly level: LogLevel;
  readonly msg: string;
  readonly ctx: unknown;
  readonly count: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** Write-behind records: never the only copy of data that moves money. */
export interface RecordSink {
  audit(audit: TickAudit): void;
  log(row: ActionLogRow): void;
  evidence(evidence: OrderEvidence): void;
  flush(): Promise<void>;
}
