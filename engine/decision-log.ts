import type { TickAudit } from '#core/audit.ts';
import { APPROVAL_REASONS, describe, type Numbers, type ReasonText } from '#core/decision.ts';
import { newId } from '#core/ids.ts';
import type { ActionLogRow, LogLevel } from '#core/ports.ts';

/** A row covers at most this much market time. */
const LONGEST_ROW_MS = 3_600_000;
/** A growing row is written again at most this often (wall ms). */
const WRITE_EVERY_MS = 1_000;

interface OpenRow {
  readonly key: string;
  readonly id: string;
  readonly firstAt: Date;
  readonly first: Numbers;
  lowest: Numbers;
  highest: Numbers;
  latest: Numbers;
  latestAudit: TickAudit;
  lastAt: Date;
  count: number;
  readonly captured: boolean;
  writtenMs: number;
  written: number;
}

/**
 * The decisions of one coin as log rows. Ticks that did nothing for the same reason and against the same thresholds share
 * one row with their count and the first, lowest, highest and latest numbers; everything else is a row of its own. The
 * counts of all rows sum to the ticks.
 */
export interface DecisionLog {
  /** A captured tick is a row of its own, with the whole audit. */
  record(audit: TickAudit, captured?: boolean): void;
  flush(): void;
}

export function createDecisionLog(
  write: (row: ActionLogRow) => void,
  reasons: Readonly<Record<string, ReasonText>>,
): DecisionLog {
  let open: OpenRow | null = null;
  const emit = (row: OpenRow): void => {
    if (row.written === row.count) return;
    row.written = row.count;
    row.writtenMs = performance.now();
    write(rowOf(row));
  };

  return {
    record(audit, captured = false) {
      const at = new Date(audit.at);
      const key = captured ? null : collapseKey(audit, reasons);
      if (open !== null && key !== null && open.key === key && at.getTime() - open.firstAt.getTime() < LONGEST_ROW_MS) {
        grow(open, audit, at);
        if (performance.now() - open.writtenMs >= WRITE_EVERY_MS) emit(open);
        return;
      }
      if (open !== null) emit(open);
      const { numbers } = audit.decision;
      const row: OpenRow = {
        key: key ?? '',
        id: newId<string>(),
        firstAt: at,
        first: numbers,
        lowest: numbers,
        highest: numbers,
        latest: numbers,
        latestAudit: audit,
        lastAt: at,
        count: 1,
        captured,
        writtenMs: 0,
        written: 0,
      };
      emit(row);
      open = key === null ? null : row;
    },
    flush() {
      if (open !== null) emit(open);
    },
  };
}

function grow(row: OpenRow, audit: TickAudit, at: Date): void {
  const { numbers } = audit.decision;
  const price = Number(numbers['price']);
  if (price < Number(row.lowest['price'])) row.lowest = numbers;
  if (price > Number(row.highest['price'])) row.highest = numbers;
  row.latest = numbers;
  row.latestAudit = audit;
  row.lastAt = at;
  row.count += 1;
}

/** Rows with equal keys collapse; null for ticks that sent something. */
function collapseKey(audit: TickAudit, reasons: Readonly<Record<string, ReasonText>>): string | null {
  if (audit.results.length > 0) return null;
  const { decision, approval } = audit;
  const own = thresholdsOf(reasons[decision.reason], decision.numbers);
  if (approval.kind !== 'refused') return `${decision.reason}|${own}`;
  const texts: Readonly<Record<string, ReasonText>> = APPROVAL_REASONS;
  return `${decision.reason}|${approval.reason}|${thresholdsOf(texts[approval.reason], approval.numbers)}`;
}

const thresholdsOf = (text: ReasonText | undefined, numbers: Numbers): string =>
  (text?.thresholds ?? []).map((name) => String(numbers[name] ?? '')).join('|');

const WARNED = new Set([
  'halt-kill-switch',
  'halt-exchange-reset',
  'halt-frozen',
  'halt-daily-loss',
  'halt-drawdown',
  'cooldown-loss-streak',
  'data-key-unhealthy',
  'order-refused-repeatedly',
  'size-exit-infeasible',
]);

function levelOf(audit: TickAudit): LogLevel {
  if (audit.approval.kind === 'refused') return WARNED.has(audit.approval.reason) ? 'warn' : 'info';
  return audit.decision.kind === 'nothing' ? 'debug' : 'info';
}

/** The sentence a reader needs: why the engine refused, else what the strategy said. */
export function sentenceOf(audit: TickAudit): string {
  if (audit.approval.kind !== 'refused') return audit.decision.sentence;
  const texts: Readonly<Record<string, ReasonText>> = APPROVAL_REASONS;
  const text = texts[audit.approval.reason];
  return text === undefined ? audit.approval.reason : describe(text, audit.approval.numbers);
}

function rowOf(row: OpenRow): ActionLogRow {
  const { latestAudit: audit } = row;
  const spread = row.count === 1 ? {} : { first: row.first, lowest: row.lowest, highest: row.highest };
  return {
    id: row.id,
    profileId: audit.profileId,
    symbol: audit.symbol,
    level: levelOf(audit),
    msg: sentenceOf(audit),
    ctx: {
      event: 'decision',
      kind: audit.decision.kind,
      reason: audit.decision.reason,
      approval: audit.approval,
      numbers: row.latest,
      ...spread,
      results: audit.results,
      tick: audit.id,
      ...(row.captured && { audit }),
    },
    count: row.count,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
  };
}
