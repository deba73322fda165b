import type { Approval, TickAudit, TickResult, Trigger } from '#core/decision/audit.ts';
import { APPROVAL_REASONS, type Decision, describe, type Numbers, type ReasonText } from '#core/decision/decision.ts';
import { newId } from '#core/ids.ts';
import type { ActionLogRow, LogLevel } from '#core/ports/records.ts';

/** A row covers at most this much market time. */
const LONGEST_ROW_MS = 3_600_000;
/** A repeat is published after the first of these, then less and less often, at least every second one (wall ms). */
const [PUBLISH_AFTER_MS, RAREST_MS] = [1_000, 5_000];

/** A decided tick, before the log records it. */
interface DecidedTick {
  readonly trigger: Trigger;
  readonly atMs: number;
  readonly decision: Pick<Decision, 'kind' | 'reason'>;
  readonly numbers: Numbers;
  readonly approval: Approval;
  readonly results: readonly TickResult[];
}

type MakeAudit = (ticks: number) => TickAudit;

interface OpenRow {
  readonly tick: DecidedTick;
  readonly id: string;
  readonly first: Numbers;
  lowest: Numbers;
  highest: Numbers;
  readonly range: { low: number; high: number };
  latest: DecidedTick;
  audit: TickAudit;
  /** The newest of the ticks that are not published yet, and their number. */
  held: MakeAudit | null;
  heldTicks: number;
  count: number;
  readonly captured: boolean;
  readonly level: LogLevel;
  readonly startedMs: number;
  publishedMs: number;
}

interface DecisionSinks {
  readonly write: (row: ActionLogRow) => void;
  /** Receives every tick; repeats arrive in bundles. */
  readonly publish: (audit: TickAudit) => void;
}

/**
 * The decisions of one coin. Ticks that did nothing for the same reason and against the same thresholds share one log
 * row. The row holds their count and the first, lowest, highest and latest numbers. Every other tick gets its own row.
 * Repeats that a price or the timer caused also share an audit, whose `ticks` is their number. The counts of all rows
 * sum to the ticks, and so do those of all audits.
 */
export interface DecisionLog {
  /** A captured tick gets its own row with the whole audit. */
  record(tick: DecidedTick, audit: MakeAudit, captured?: boolean): void;
  flush(): void;
  /** The number of ticks that were not quiet repeats of the tick before. */
  readonly changes: number;
}

export function createDecisionLog(
  { write, publish }: DecisionSinks,
  reasons: Readonly<Record<string, ReasonText>>,
): DecisionLog {
  let open: OpenRow | null = null;
  let changes = 0;
  const levelOf = createLevels();
  const publishHeld = (row: OpenRow, nowMs: number): void => {
    if (row.held === null) return;
    row.audit = row.held(row.heldTicks);
    row.held = null;
    row.heldTicks = 0;
    row.publishedMs = nowMs;
    publish(row.audit);
  };
  const emit = (row: OpenRow, nowMs: number): void => {
    if (row.held === null) return;
    publishHeld(row, nowMs);
    write(rowOf(row));
  };

  return {
    get changes() {
      return changes;
    },
    record(tick, audit, captured = false) {
      const nowMs = performance.now();
      const quiet = tick.trigger === 'price' || tick.trigger === 'timer';
      if (open !== null && !captured && isRepeat(open, tick, reasons)) {
        grow(open, tick, audit);
        const dueMs = Math.min(RAREST_MS, Math.max(PUBLISH_AFTER_MS, open.publishedMs - open.startedMs));
        if (!quiet) changes += 1;
        if (!quiet || nowMs - open.publishedMs >= dueMs) emit(open, nowMs);
        return;
      }
      changes += 1;
      if (open !== null) emit(open, nowMs);
      const first = audit(1);
      const row = openRow(tick, first, { captured, level: levelOf(first, tick.atMs) });
      publish(row.audit);
      write(rowOf(row));
      open = captured || tick.results.length > 0 ? null : row;
    },
    flush() {
      if (open !== null) emit(open, performance.now());
    },
  };
}

function openRow(tick: DecidedTick, audit: TickAudit, kind: Pick<OpenRow, 'captured' | 'level'>): OpenRow {
  const { numbers } = tick;
  const price = Number(numbers['price']);
  const nowMs = performance.now();
  return {
    ...{ tick, audit, ...kind, id: newId<string>(), first: numbers, lowest: numbers, highest: numbers, latest: tick },
    ...{ range: { low: price, high: price }, held: null, heldTicks: 0, count: 1, startedMs: nowMs, publishedMs: nowMs },
  };
}

function grow(row: OpenRow, tick: DecidedTick, audit: MakeAudit): void {
  const price = Number(tick.numbers['price']);
  if (price < row.range.low) [row.range.low, row.lowest] = [price, tick.numbers];
  if (price > row.range.high) [row.range.high, row.highest] = [price, tick.numbers];
  row.latest = tick;
  row.held = audit;
  row.heldTicks += 1;
  row.count += 1;
}

const APPROVALS: Readonly<Record<string, ReasonText>> = APPROVAL_REASONS;

/** True when the tick sent nothing and its reason and thresholds equal those of the row. */
function isRepeat(open: OpenRow, tick: DecidedTick, reasons: Readonly<Record<string, ReasonText>>): boolean {
  const { decision, numbers, approval } = open.tick;
  if (tick.results.length > 0 || tick.atMs - open.tick.atMs >= LONGEST_ROW_MS) return false;
  const { reason } = tick.decision;
  if (reason !== decision.reason || !areEqual(reasons[reason], numbers, tick.numbers)) return false;
  if (tick.approval.kind !== 'refused' || approval.kind !== 'refused') return tick.approval.kind === approval.kind;
  if (tick.approval.reason !== approval.reason) return false;
  return areEqual(APPROVALS[approval.reason], approval.numbers, tick.approval.numbers);
}

function areEqual(text: ReasonText | undefined, one: Numbers, other: Numbers): boolean {
  for (const name of text?.thresholds ?? []) if ((one[name] ?? '') !== (other[name] ?? '')) return false;
  return true;
}

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

/**
 * A price that keeps crossing the entry meets the same refusal again: it is a warning once, until a buy is approved.
 */
function createLevels(): (audit: TickAudit, atMs: number) => LogLevel {
  let warned: { readonly reason: string; readonly atMs: number } | null = null;
  return ({ approval, decision }, atMs) => {
    if (approval.kind === 'approved') warned = null;
    if (approval.kind !== 'refused') return decision.kind === 'nothing' ? 'debug' : 'info';
    const { reason } = approval;
    if (!WARNED.has(reason) || (warned?.reason === reason && atMs - warned.atMs < LONGEST_ROW_MS)) return 'info';
    warned = { reason, atMs };
    return 'warn';
  };
}

/** The sentence of a row: the engine's refusal, else the strategy's reason. */
export function sentenceOf(audit: TickAudit): string {
  if (audit.approval.kind !== 'refused') return audit.decision.sentence;
  const text = APPROVALS[audit.approval.reason];
  return text === undefined ? audit.approval.reason : describe(text, audit.approval.numbers);
}

function rowOf(row: OpenRow): ActionLogRow {
  const { audit, tick, latest } = row;
  const spread = row.count === 1 ? {} : { first: row.first, lowest: row.lowest, highest: row.highest };
  return {
    id: row.id,
    profileId: audit.profileId,
    symbol: audit.symbol,
    level: row.level,
    msg: sentenceOf(audit),
    ctx: {
      event: 'decision',
      kind: audit.decision.kind,
      reason: audit.decision.reason,
      approval: audit.approval,
      numbers: latest.numbers,
      ...spread,
      results: audit.results,
      tick: audit.id,
      ...(row.captured && { audit }),
    },
    count: row.count,
    firstAt: new Date(tick.atMs),
    lastAt: new Date(latest.atMs),
  };
}
