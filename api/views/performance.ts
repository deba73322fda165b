import { sql } from 'kysely';
import { venueOf } from '#core/account/account.ts';
import { add, type Decimal, multiply, ONE, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import {
  type PositionStep,
  readDeposits,
  readFirstMoment,
  readPastPrices,
  readPositionSteps,
} from '#storage/history/performance.ts';
import { type ClosedTrades, readClosings } from '#storage/history/performance-trades.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import type { Reader, Transaction } from '#storage/postgres/database.ts';
import type { ReadContext } from '#api/frame/context.ts';
import type { Prices, Rules } from '#api/frame/venues.ts';
import { capitalOf } from './performance-capital.ts';
import { knownEquity, mainQuoteAsset } from './holdings.ts';
import {
  curveView,
  daysView,
  equityView,
  holdingView,
  measurePeriod,
  netView,
  sharpeView,
} from './performance-curve.ts';
import { type PerformancePeriod, performancePeriod, type PeriodQuery } from './performance-period.ts';
import { breakdowns, exitRows, tradeAtStart, tradesView } from './performance-rows.ts';
import { tradeStatistics } from './performance-trades.ts';
import { changeOf, NO_SUMS, profitIn, valueCoins, type Values } from './performance-values.ts';

export interface PerformanceRequest extends PeriodQuery {
  readonly account: AccountView;
  /** All profiles of the account. */
  readonly profiles: readonly ProfileView[];
  /** Absent: all profiles, deleted ones included. */
  readonly profileId?: ProfileId | undefined;
  readonly timezone: string;
}

/** The account as its worker reports it now. */
interface Present {
  readonly nowMs: number;
  readonly quoteAsset: string | null;
  readonly rules: Rules | undefined;
  readonly prices: Prices;
  readonly equity: Decimal | undefined;
}

async function readPresent({ venues, now }: ReadContext, request: PerformanceRequest): Promise<Present> {
  const { account, profiles } = request;
  const venue = venueOf(account);
  const wallNowMs = now().getTime();
  const [rules, wallet, prices] = [
    await venues.rules(venue),
    await venues.wallet(account.id),
    await venues.prices(venue),
  ];
  const nowMs = (await venues.marketMs(venue, wallNowMs)) ?? wallNowMs;
  const bound = profiles.flatMap(({ symbols }) => symbols);
  const quoteAsset = mainQuoteAsset(bound, rules, wallet);
  const traded = profiles.filter(({ enabled }) => enabled).flatMap(({ symbols }) => symbols);
  return { nowMs, quoteAsset, rules, prices, equity: knownEquity({ wallet, quoteAsset, prices, rules, traded }) };
}

/** The period, its profiles and coins, and what was held in it. */
interface Scope {
  readonly period: PerformancePeriod;
  readonly firstAt: Date | null;
  /** Moments for the database; the one that is now has no end. */
  readonly marks: readonly string[];
  readonly steps: readonly PositionStep[];
  /** Coins with another quote asset. */
  readonly without: readonly string[];
  /** The profiles that count, deleted ones included. */
  readonly profileIds: readonly ProfileId[];
}

/** The steps of all coins, and the coins with another quote asset. */
async function readSteps(
  reader: Reader,
  accountId: AccountId,
  { marks, present }: { readonly marks: readonly string[]; readonly present: Pick<Present, 'quoteAsset' | 'rules'> },
) {
  const all = await readPositionSteps(reader, { accountId, marks });
  const isOther = (symbol: string): boolean => {
    const quote = present.rules?.get(symbol)?.quoteAsset;
    return (
      present.quoteAsset !== null &&
      (quote === undefined ? !symbol.endsWith(present.quoteAsset) : quote !== present.quoteAsset)
    );
  };
  return { all, without: [...new Set(all.map(({ symbol }) => symbol).filter(isOther))].toSorted() };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
const END = 'infinity';

async function readPeriod(reader: Transaction, request: PerformanceRequest, { nowMs }: Present) {
  const firstAt = await readFirstMoment(reader, request.account.id);
  const clock = { timezone: request.timezone, nowMs, firstMs: firstAt?.getTime() ?? null };
  return { firstAt, period: performancePeriod(request, clock) };
}

/** The profiles that count: the requested one, or all, those that were deleted included. */
const profileIdsOf = ({ profiles, profileId }: PerformanceRequest, steps: readonly PositionStep[]): ProfileId[] =>
  profileId === undefined
    ? [...new Set([...profiles.map(({ id }) => id), ...steps.map((step) => step.profileId)])]
    : [profileId];

async function readScope(reader: Transaction, request: PerformanceRequest, present: Present): Promise<Scope> {
  const { account } = request;
  const { firstAt, period } = await readPeriod(reader, request, present);
  const past = period.endsNow ? period.marks.slice(0, -1) : period.marks;
  const marks = [...past.map(isoOf), END];
  const { all, without } = await readSteps(reader, account.id, { marks, present });
  return {
    ...{ period, firstAt, marks, without },
    steps: all.filter(({ symbol }) => !without.includes(symbol)),
    profileIds: profileIdsOf(request, all),
  };
}

/** Deposits less withdrawals until each moment, in quote: other assets at their price of now, without one not at all. */
async function depositsAt(
  reader: Transaction,
  request: PerformanceRequest,
  { marks, present }: { marks: readonly string[]; present: Present },
) {
  const rows = await readDeposits(reader, { accountId: request.account.id, marks });
  const priceOf = (asset: string): Decimal =>
    asset === present.quoteAsset ? ONE : (present.prices.get(`${asset}${present.quoteAsset}`)?.price ?? ZERO);
  return marks.map((_mark, moment) =>
    rows
      .filter(({ period }) => period <= moment)
      .map(({ asset, amount }) => multiply(requireDecimal(amount), priceOf(asset)))
      .reduce(add, ZERO),
  );
}

async function readValues(
  reader: Transaction,
  request: PerformanceRequest,
  { scope, present }: { scope: Scope; present: Present },
): Promise<Values> {
  const { steps, marks, profileIds, period } = scope;
  const existing = request.profiles.map(({ id }) => id);
  return valueCoins({
    steps,
    pastPrices: await readPastPrices(reader, { profileIds: existing, marks: marks.filter((mark) => mark !== END) }),
    prices: pricesOf(present),
    last: period.marks.length - 1,
    now: marks.length - 1,
    isCounted: (id) => profileIds.includes(id),
    exists: (id) => existing.includes(id),
  });
}

interface SinceInput extends Pick<Present, 'quoteAsset' | 'rules' | 'prices'> {
  readonly account: AccountView;
  readonly profiles: readonly ProfileView[];
  readonly since: Date;
}

/** P&L of an account since a moment such as midnight: the newest day of its performance. */
export async function pnlSince(reader: Reader, { account, profiles, since, ...present }: SinceInput): Promise<Decimal> {
  const marks = [since.toISOString(), END];
  const existing = profiles.map(({ id }) => id);
  const { all, without } = await readSteps(reader, account.id, { marks, present });
  const { counted } = valueCoins({
    steps: all.filter(({ symbol }) => !without.includes(symbol)),
    pastPrices: await readPastPrices(reader, { profileIds: existing, marks: marks.slice(0, 1) }),
    prices: pricesOf(present),
    ...{ last: 1, now: 1 },
    isCounted: () => true,
    exists: (id) => existing.includes(id),
  });
  return profitIn(changeOf(counted[0] ?? NO_SUMS, counted[1] ?? NO_SUMS));
}

const pricesOf = ({ prices }: Pick<Present, 'prices'>): ReadonlyMap<string, Decimal> =>
  new Map([...prices].map(([symbol, { price }]) => [symbol, price]));

/** Reads in one snapshot of the database, so that all numbers are of one moment. */
async function atOneMoment<Result>(
  context: ReadContext,
  request: PerformanceRequest,
  read: (reader: Transaction, present: Present) => Promise<Result>,
): Promise<Result> {
  const present = await readPresent(context, request);
  const transaction = context.database.kysely
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only');
  return transaction.execute(async (reader) => {
    // Compiling takes longer than running, for statements that estimate many rows.
    await sql`set local jit = off`.execute(reader);
    return read(reader, present);
  });
}

export const readPerformanceView = (context: ReadContext, request: PerformanceRequest) =>
  atOneMoment(context, request, (reader, present) => performanceView(reader, request, present));

/** Which closed trades belong to a period. The newest position of each coin is enough to know all coins and profiles. */
export const readTradeFilter = (context: ReadContext, request: PerformanceRequest): Promise<ClosedTrades> =>
  atOneMoment(context, request, async (reader, present) => {
    const { period } = await readPeriod(reader, request, present);
    const { all, without } = await readSteps(reader, request.account.id, { marks: [END], present });
    return tradeFilterOf({ period, without, profileIds: profileIdsOf(request, all) });
  });

const tradeFilterOf = ({
  period,
  profileIds,
  without,
}: Pick<Scope, 'period' | 'profileIds' | 'without'>): ClosedTrades => ({
  ...{ profileIds, without },
  from: isoOf(period.fromMs),
  to: period.endsNow ? END : isoOf(period.toMs),
});

async function performanceView(reader: Transaction, request: PerformanceRequest, present: Present) {
  const { account, profiles, timezone } = request;
  const scope = await readScope(reader, request, present);
  const { period, without, profileIds, marks } = scope;
  const values = await readValues(reader, request, { scope, present });
  const ends = period.marks.map(isoOf);
  const capital = await capitalOf(reader, {
    ...{ accountId: account.id, without, marks: ends, steps: scope.steps },
    profileIds: profileIds.filter((id) => profiles.some((profile) => profile.id === id)),
  });
  const closed = tradeFilterOf(scope);
  const { groups, spread, edges, counts } = await tradeStatistics(
    reader,
    closed,
    ends.length > 2 ? ends.at(-2) : undefined,
  );
  const open = values.coins.flatMap((coin) => tradeAtStart(coin) ?? []);
  const closings = await readClosings(reader, open, closed.to);
  const measured = measurePeriod({
    ...{ period, values, capital, equityNow: present.equity },
    deposits: await depositsAt(reader, request, { marks, present }),
  });
  const trades = tradesView({ groups, spread, lengthMs: period.toMs - period.fromMs });
  const pnl = measured.profits.at(-1) ?? ZERO;
  return {
    ...{
      timezone,
      kind: venueOf(account),
      quoteAsset: present.quoteAsset,
      step: period.step,
      otherAssets: [...without],
    },
    ...{
      from: new Date(period.fromMs),
      to: new Date(period.toMs),
      firstAt: scope.firstAt,
      endsNow: period.endsNow,
    },
    profiles: profiles.map(({ id, name }) => ({ id, name })),
    unpriced: [...values.unpriced],
    net: netView(measured),
    equity: equityView(measured),
    holding: holdingView(measured),
    sharpe: sharpeView(measured, trades.trades),
    trades,
    ...curveView(measured),
    ...daysView(measured, timezone),
    distribution: { edges: [...edges], counts: [...counts] },
    ...breakdowns({
      coins: values.coins,
      groups,
      profiles,
      baseAssetOf: (symbol) => present.rules?.get(symbol)?.baseAsset ?? null,
    }),
    exits: exitRows({ coins: values.coins, groups, closings, pnl }),
  };
}
