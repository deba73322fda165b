import { createHash } from 'node:crypto';
import { add, type Decimal, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { type CapitalRow, type PositionStep, readCapital } from '#storage/history/performance.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { Memo } from '#api/frame/memo.ts';

const DAY_MS = 86_400_000;
/** Periods whose ended steps are kept; one of five years has 1,830 rows. */
const MOST_PERIODS = 50;
const ended = new Memo<readonly CapitalRow[]>({ nowMs: () => performance.now(), most: MOST_PERIODS });

interface CapitalOptions {
  readonly accountId: AccountId;
  readonly profileIds: readonly ProfileId[];
  /** Coins with another quote asset. */
  readonly without: readonly string[];
  readonly marks: readonly string[];
  readonly steps: readonly PositionStep[];
}

/**
 * The capital in use in each step of a period. Reading it costs each change of a position, so the rows of the steps that
 * have ended are kept: a repeated read costs the changes since the last mark. A change that is recorded late has another
 * version at its mark, and the rows are read again.
 */
export async function capitalOf(reader: Reader, options: CapitalOptions): Promise<readonly CapitalRow[]> {
  const { marks, ...scope } = options;
  const last = marks.length - 2;
  const read = (from: number, to: number): Promise<readonly CapitalRow[]> =>
    readCapital(reader, { ...scope, marks: marks.slice(from, to + 1), held: heldAt(options, from) });
  if (last <= 0) return read(0, marks.length - 1);
  const before = await ended.get(keyOf(options, last), DAY_MS, () => read(0, last));
  const newest = await read(last, last + 1);
  return [...before, ...newest.map((row) => ({ ...row, period: row.period + last }))];
}

/** All changes before a moment: the newest version of each coin at each mark. */
function keyOf({ accountId, profileIds, without, marks, steps }: CapitalOptions, moment: number): string {
  const hash = createHash('sha256');
  hash.update(JSON.stringify([accountId, profileIds, without, marks.slice(0, moment + 1)]));
  for (const { profileId, symbol, period, version, quantity, cost } of steps)
    if (period <= moment) hash.update(`${profileId} ${symbol} ${period} ${version} ${quantity} ${cost};`);
  return hash.digest('base64');
}

/** Cost of all positions at a moment, and the number of open trades. */
function heldAt({ profileIds, steps }: CapitalOptions, moment: number) {
  const newest = new Map<string, PositionStep>();
  for (const step of steps)
    if (step.period <= moment && profileIds.includes(step.profileId))
      newest.set(`${step.profileId} ${step.symbol}`, step);
  const held = [...newest.values()];
  const cost = held.map((step): Decimal => step.cost).reduce(add, ZERO);
  return { cost: formatDecimal(cost), open: held.filter(({ isOpen }) => isOpen).length };
}
