import { profitFactorOf, winRateOf } from '#core/account/performance.ts';
import {
  add,
  type Decimal,
  divide,
  formatDecimal,
  requireDecimal,
  subtract,
  toNumber,
  ZERO,
} from '#core/amount/decimal.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { readClosings, TradeGroup, TradeSpread } from '#storage/history/performance-trades.ts';
import { changeOf, type CoinResult, profitIn } from './performance-values.ts';

/* The breakdowns of the Performance page. The P&L of the rows of each adds up to the P&L of the period. */

type Groups = readonly TradeGroup[];

interface Trades {
  readonly trades: number;
  readonly wins: number;
  readonly losses: number;
  readonly profit: Decimal;
  readonly loss: Decimal;
}

const sumTrades = (groups: Groups): Trades => ({
  trades: groups.reduce((sum, { count }) => sum + count, 0),
  wins: groups.reduce((sum, { wins }) => sum + wins, 0),
  losses: groups.reduce((sum, { losses }) => sum + losses, 0),
  profit: groups.map(({ grossProfit }) => requireDecimal(grossProfit)).reduce(add, ZERO),
  loss: groups.map(({ grossLoss }) => requireDecimal(grossLoss)).reduce(add, ZERO),
});

const ratiosOf = ({ trades, wins, profit, loss }: Trades) => ({
  trades,
  wins,
  winRate: winRateOf(trades, wins),
  profitFactor: profitFactorOf(trades, profit, loss),
});

const mean = (sum: Decimal, count: number): string | null =>
  count === 0 ? null : formatDecimal(divide(sum, requireDecimal(String(count))));

interface AllTrades {
  readonly groups: Groups;
  readonly spread: TradeSpread;
  readonly lengthMs: number;
}

const WEEK_MS = 7 * 86_400_000;

/** Closed trades of the period. */
export function tradesView({ groups, spread, lengthMs }: AllTrades) {
  const sum = sumTrades(groups);
  return {
    ...ratiosOf(sum),
    losses: sum.losses,
    averageWin: mean(sum.profit, sum.wins),
    averageLoss: mean(sum.loss, sum.losses),
    best: spread.best === null ? null : formatDecimal(requireDecimal(spread.best)),
    worst: spread.worst === null ? null : formatDecimal(requireDecimal(spread.worst)),
    medianHeldMs: spread.medianHeldMs,
    perWeek: lengthMs < WEEK_MS ? null : sum.trades / (lengthMs / WEEK_MS),
  };
}

interface RowsInput {
  readonly coins: readonly CoinResult[];
  readonly groups: Groups;
  readonly profiles: readonly ProfileView[];
  readonly baseAssetOf: (symbol: string) => string | null;
}

/** P&L and fees of coins, and the ratios of their closed trades. */
function rowOf(coins: readonly CoinResult[], groups: Groups) {
  const changes = coins.map(({ from, to }) => changeOf(from, to));
  return {
    pnl: formatDecimal(changes.map(profitIn).reduce(add, ZERO)),
    fees: formatDecimal(changes.map(({ fees }) => fees).reduce(add, ZERO)),
    ...ratiosOf(sumTrades(groups)),
  };
}

const byPnl = (a: { readonly pnl: string }, b: { readonly pnl: string }): number =>
  toNumber(subtract(requireDecimal(b.pnl), requireDecimal(a.pnl)));
const hasResult = ({ pnl, fees, trades }: { pnl: string; fees: string; trades: number }): boolean =>
  pnl !== '0' || fees !== '0' || trades > 0;

/** Rows of one breakdown, the best first; `keyOf` names the row of a coin or of a group of trades. */
function groupRows<Key>(
  { coins, groups }: Pick<RowsInput, 'coins' | 'groups'>,
  keyOf: (one: Pick<CoinResult, 'profileId' | 'symbol'>) => Key,
) {
  const [own, traded] = [Map.groupBy(coins, keyOf), Map.groupBy(groups, keyOf)];
  return [...new Set([...own.keys(), ...traded.keys()])]
    .map((key) => ({ key, ...rowOf(own.get(key) ?? [], traded.get(key) ?? []) }))
    .filter(hasResult)
    .toSorted(byPnl);
}

export function breakdowns(input: RowsInput) {
  const { profiles, baseAssetOf } = input;
  const known = new Map(profiles.map((profile) => [profile.id, profile]));
  const without = <Row extends { key: unknown }>({ key: _key, ...row }: Row): Omit<Row, 'key'> => row;
  return {
    coins: groupRows(input, ({ symbol }) => symbol).map((row) => ({
      ...{ symbol: row.key, baseAsset: baseAssetOf(row.key) },
      ...without(row),
    })),
    byProfile: groupRows(input, ({ profileId }) => known.get(profileId)).map((row) => ({
      ...{ id: row.key?.id ?? null, name: row.key?.name ?? null, strategyName: row.key?.strategyName ?? null },
      ...without(row),
    })),
    strategies: groupRows(input, ({ profileId }) => known.get(profileId)?.strategyName ?? null).map((row) => ({
      strategyName: row.key,
      ...without(row),
    })),
  };
}

interface ExitsInput {
  readonly coins: readonly CoinResult[];
  readonly groups: Groups;
  /** The trades that were open at the start and were closed in the period. */
  readonly closings: Awaited<ReturnType<typeof readClosings>>;
  readonly pnl: Decimal;
}

const NOT_RECORDED = 'not-recorded';

/** The trade of a coin that was open at the start of the period. */
export const tradeAtStart = ({ profileId, symbol, stepFrom }: CoinResult) =>
  stepFrom?.isOpen === true ? { profileId, symbol, cycle: stepFrom.cycle } : undefined;

/**
 * P&L by exit reason. A trade counts with what it made in the period: its net less what it had made at the start. The last
 * row is the rest, which is not closed.
 */
export function exitRows({ coins, groups, closings, pnl }: ExitsInput) {
  const closed = new Map(closings.map((trade) => [`${trade.profileId} ${trade.symbol} ${trade.cycle}`, trade]));
  const before = new Map<string, Decimal>();
  for (const coin of coins) {
    const trade = closed.get(`${coin.profileId} ${coin.symbol} ${coin.stepFrom?.cycle}`);
    if (trade === undefined || coin.stepFrom?.isOpen !== true) continue;
    const reason = trade.exitReason ?? NOT_RECORDED;
    const made = add(coin.stepFrom.cycleNet, coin.from.unrealised);
    before.set(reason, add(before.get(reason) ?? ZERO, made));
  }
  const byReason = Map.groupBy(groups, ({ exitReason }) => exitReason ?? NOT_RECORDED);
  const rows = [...byReason].map(([reason, own]) => {
    const sum = sumTrades(own);
    const net = subtract(add(sum.profit, sum.loss), before.get(reason) ?? ZERO);
    return { reason, pnl: formatDecimal(net), ...ratiosOf(sum) };
  });
  const rest = subtract(pnl, rows.map((row) => requireDecimal(row.pnl)).reduce(add, ZERO));
  const open = coins.filter(({ stepTo }) => stepTo?.isOpen === true).length;
  if (rest === 0n && open === 0) return rows.toSorted(byPnl);
  const last = { reason: null, pnl: formatDecimal(rest), trades: open, wins: 0, winRate: null, profitFactor: null };
  return [...rows.toSorted(byPnl), last];
}

/** About ten bars of a round width; zero is an edge. */
export function tradeEdges(low: string | null, high: string | null): string[] {
  if (low === null || high === null) return [];
  const [from, to] = [Math.min(Number(low), 0), Math.max(Number(high), 0)];
  const rough = (to - from) / 10;
  if (!(rough > 0)) return ['0'];
  const power = 10 ** Math.floor(Math.log10(rough));
  const width = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const [first, last] = [Math.floor(from / width + 1e-9), Math.ceil(to / width - 1e-9)];
  return Array.from({ length: last - first + 1 }, (_, i) =>
    formatDecimal(requireDecimal(((first + i) * width).toFixed(10))),
  );
}
