import { add, type Decimal, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import {
  type ClosedTrades,
  countTrades,
  type RankRange,
  readHeldByRank,
  readNetsByRank,
  readTradeGroups,
  readTradeResults,
  readTradeSpread,
  readTradesVersion,
  type TradeGroup,
  type TradeSpread,
} from '#storage/history/performance-trades.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { Memo } from '#api/frame/memo.ts';
import { tradeEdges } from './performance-rows.ts';

/**
 * Statistics of the closed trades of a period. Reading them costs each trade, so those that were closed before the last
 * mark are kept: their sums, how many lie in each bar, and the values whose rank a few more trades can reach. A repeated
 * read costs the trades since that mark. Every result equals that of one read of all trades.
 */
interface TradeStatistics {
  readonly groups: readonly TradeGroup[];
  readonly spread: TradeSpread;
  /** Edges of the bars of the distribution, and the number of trades in each bar; both empty without a trade. */
  readonly edges: readonly string[];
  readonly counts: readonly number[];
}

const DAY_MS = 86_400_000;
/** More trades since the last mark than this are read together with all others. */
export const MOST_NEW = 4000;
/** Periods whose trades are kept, about 1 MB each. */
const MOST_PERIODS = 20;
const [LOW, MIDDLE, HIGH] = [0.05, 0.5, 0.95];

/** Values in order; `first` is the rank of the first one among all trades that had been closed. */
interface Ranked<Value> {
  readonly first: number;
  readonly values: readonly Value[];
}

interface EndedTrades {
  readonly groups: readonly TradeGroup[];
  readonly count: number;
  readonly low: Ranked<Decimal>;
  readonly high: Ranked<Decimal>;
  readonly held: Ranked<number>;
  readonly best: Decimal | undefined;
  readonly worst: Decimal | undefined;
}

const kept = new Memo<EndedTrades>({ nowMs: () => performance.now(), most: MOST_PERIODS });
const keptCounts = new Memo<readonly number[]>({ nowMs: () => performance.now(), most: MOST_PERIODS });

/** `mark`: trades that were closed before it are kept; undefined keeps none. */
export async function tradeStatistics(
  reader: Reader,
  filter: ClosedTrades,
  mark: string | undefined,
): Promise<TradeStatistics> {
  if (mark === undefined) return readAll(reader, filter);
  const rows = await readTradeResults(reader, { ...filter, from: mark }, MOST_NEW + 1);
  if (rows.length > MOST_NEW) return readAll(reader, filter);
  const before = { ...filter, to: mark };
  const key = JSON.stringify([before, await readTradesVersion(reader, before)]);
  const ended = await kept.get(key, DAY_MS, () => readEnded(reader, before));
  const added = rows.map((row) => ({ ...row, amount: requireDecimal(row.net) }));
  const spread = spreadOf(ended, added);
  const edges = tradeEdges(spread.low, spread.high);
  const known =
    edges.length === 0
      ? []
      : await keptCounts.get(`${key} ${edges.join()}`, DAY_MS, () => countTrades(reader, before, edges));
  return { groups: groupsOf(ended.groups, added), spread, edges, counts: withNew(known, edges, added) };
}

async function readAll(reader: Reader, filter: ClosedTrades): Promise<TradeStatistics> {
  const groups = await readTradeGroups(reader, filter);
  const spread = await readTradeSpread(reader, filter);
  const edges = tradeEdges(spread.low, spread.high);
  return { groups, spread, edges, counts: edges.length === 0 ? [] : await countTrades(reader, filter, edges) };
}

/** Rank of the value that a share of all trades reaches, as percentile_disc of PostgreSQL. */
const rankOf = (share: number, count: number): number => Math.max(1, Math.ceil(share * count));

async function readEnded(reader: Reader, filter: ClosedTrades): Promise<EndedTrades> {
  const groups = await readTradeGroups(reader, filter);
  const count = groups.reduce((sum, group) => sum + group.count, 0);
  const around = (share: number): RankRange => {
    const rank = rankOf(share, count);
    return [Math.max(1, rank - MOST_NEW - 2), Math.min(count, rank + MOST_NEW + 2)];
  };
  const [low, high, middle]: readonly RankRange[] = [around(LOW), around(HIGH), around(MIDDLE)];
  if (low === undefined || high === undefined || middle === undefined) throw new RangeError('three ranges');
  const rows = await readNetsByRank(reader, filter, [[1, 1], low, high, [count, count]]);
  const nets = new Map(rows.map(({ rank, net }) => [Number(rank), requireDecimal(net)]));
  const held = await readHeldByRank(reader, filter, [middle]);
  const within = ([first, last]: RankRange): Ranked<Decimal> => ({
    first,
    values: [...nets].filter(([rank]) => rank >= first && rank <= last).map(([, net]) => net),
  });
  return {
    ...{ groups, count, low: within(low), high: within(high), best: nets.get(count), worst: nets.get(1) },
    held: { first: middle[0], values: held.map(({ heldUs }) => heldUs) },
  };
}

type NewTrade = Awaited<ReturnType<typeof readTradeResults>>[number] & { readonly amount: Decimal };

const ascending = <Value extends bigint | number>(a: Value, b: Value): number => (a < b ? -1 : Number(a > b));

/**
 * The value at a rank of all trades. Values below the kept ones are at most as large, and values above them at least; fewer
 * new trades than there are kept values on either side of the rank cannot reach those.
 */
const valueAt = <Value extends bigint | number>(
  { first, values }: Ranked<Value>,
  added: readonly Value[],
  rank: number,
): Value | undefined => (added.length === 0 ? values : [...values, ...added].toSorted(ascending))[rank - first];

function spreadOf(ended: EndedTrades, added: readonly NewTrade[]): TradeSpread {
  const count = ended.count + added.length;
  if (count === 0) return { low: null, high: null, best: null, worst: null, medianHeldMs: null };
  const nets = added.map(({ amount }) => amount);
  const all = [ended.worst, ended.best, ...nets].filter((net) => net !== undefined).toSorted(ascending);
  const held = added.map(({ heldUs }) => heldUs);
  const middle = MIDDLE * (count - 1);
  const lower = valueAt(ended.held, held, Math.floor(middle) + 1) ?? 0;
  const upper = valueAt(ended.held, held, Math.ceil(middle) + 1) ?? 0;
  const text = (net: Decimal | undefined): string | null => (net === undefined ? null : formatDecimal(net));
  return {
    low: text(valueAt(ended.low, nets, rankOf(LOW, count))),
    high: text(valueAt(ended.high, nets, rankOf(HIGH, count))),
    best: text(all.at(-1)),
    worst: text(all[0]),
    medianHeldMs: (lower + Math.round((upper - lower) / 2)) / 1000,
  };
}

function groupsOf(ended: readonly TradeGroup[], added: readonly NewTrade[]): TradeGroup[] {
  const keyOf = ({ profileId, symbol, exitReason }: Pick<TradeGroup, 'profileId' | 'symbol' | 'exitReason'>): string =>
    JSON.stringify([profileId, symbol, exitReason]);
  const groups = new Map(ended.map((group) => [keyOf(group), group]));
  for (const trade of added) {
    const { profileId, symbol, exitReason, amount } = trade;
    const group = groups.get(keyOf(trade));
    const grown = (sum = '0', isPart: boolean): string =>
      formatDecimal(add(requireDecimal(sum), isPart ? amount : ZERO));
    groups.set(keyOf(trade), {
      ...{ profileId, symbol, exitReason },
      count: (group?.count ?? 0) + 1,
      wins: (group?.wins ?? 0) + Number(amount > 0n),
      losses: (group?.losses ?? 0) + Number(amount < 0n),
      grossProfit: grown(group?.grossProfit, amount > 0n),
      grossLoss: grown(group?.grossLoss, amount < 0n),
    });
  }
  return [...groups.values()];
}

/** Adds new trades to the bars: a trade at an edge is above it. */
function withNew(counts: readonly number[], edges: readonly string[], added: readonly NewTrade[]): number[] {
  const sums = [...counts];
  const bounds = edges.map(requireDecimal);
  for (const { amount } of added) {
    const bar = bounds.filter((bound) => bound <= amount).length;
    sums[bar] = (sums[bar] ?? 0) + 1;
  }
  return sums;
}
