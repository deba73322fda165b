import { type Expression, sql, type SqlBool } from 'kysely';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';
import { type FillView, type OrderView, selectFills, selectOrders } from '#storage/trading/order-views.ts';

export interface CoinRow {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly overrideConfig: unknown;
  readonly quantity: string;
  readonly averagePrice: string;
  /** Cost of the held quantity, buy fees included (quote). */
  readonly cost: string;
  readonly cycle: number;
  /** First buy of the open position. */
  readonly openedAt: Date | null;
  /** Set while the coin is paused. */
  readonly pausedUntil: Date | null;
  readonly pausedAt: Date | null;
  readonly pauseReason: string;
  /** End of the pause after a loss, at market time. */
  readonly cooldownUntil: Date | null;
  /** From the cost-basis ledger; null without a row. */
  readonly basisPrice: string | null;
  readonly basisQuantity: string | null;
  readonly note: string | null;
  /** Profit of all sales of the coin, net of all fees (quote). */
  readonly realised: string;
  /** Fees of all fills, valued at the time of payment (quote). */
  readonly fees: string;
  /** Number of fills whose fee in a third asset could not be valued; both sums leave it out. */
  readonly unvaluedFees: number;
}

/** Coins of profiles in the order they were bound, with their positions. */
export function listCoins(database: Reader, profileIds: readonly ProfileId[]): Promise<CoinRow[]> {
  if (profileIds.length === 0) return Promise.resolve([]);
  return (
    database
      .selectFrom('profile_symbols as bound')
      .leftJoin('runner_states as runner', (join) =>
        join.onRef('runner.profile_id', '=', 'bound.profile_id').onRef('runner.symbol', '=', 'bound.symbol'),
      )
      .leftJoin('cost_basis as basis', (join) =>
        join.onRef('basis.profile_id', '=', 'bound.profile_id').onRef('basis.symbol', '=', 'bound.symbol'),
      )
      .select(['bound.profile_id as profileId', 'bound.symbol', 'bound.override_config as overrideConfig'])
      .select(sql<Date | null>`case when paused_until > clock_timestamp() then paused_until end`.as('pausedUntil'))
      .select(['paused_at as pausedAt', 'pause_reason as pauseReason'])
      .select(['runner.cooldown_until as cooldownUntil', 'runner.first_buy_at as openedAt'])
      .select(['basis.average_price as basisPrice', 'basis.quantity as basisQuantity', 'basis.note'])
      .select(sql<string>`coalesce(runner.quantity, 0)`.as('quantity'))
      .select(sql<string>`coalesce(runner.average_price, 0)`.as('averagePrice'))
      .select(sql<string>`coalesce(runner.cost, 0)`.as('cost'))
      .select(sql<number>`coalesce(runner.cycle, 0)`.as('cycle'))
      // The newest row has the sums over all fills.
      .leftJoinLateral(
        (coin) =>
          coin
            .selectFrom('position_history as row')
            .select(['row.realised', 'row.fees', 'row.unvalued_fees'])
            .whereRef('row.account_id', '=', 'bound.on_account')
            .whereRef('row.profile_id', '=', 'bound.profile_id')
            .whereRef('row.symbol', '=', 'bound.symbol')
            .orderBy('row.at', 'desc')
            .orderBy('row.version', 'desc')
            .limit(1)
            .as('booked'),
        (join) => join.onTrue(),
      )
      .select(sql<string>`coalesce(booked.realised, 0)`.as('realised'))
      .select(sql<string>`coalesce(booked.fees, 0)`.as('fees'))
      .select(sql<number>`coalesce(booked.unvalued_fees, 0)::int`.as('unvaluedFees'))
      .where('bound.profile_id', 'in', [...profileIds])
      .orderBy('bound.created_at')
      .orderBy('bound.symbol')
      .execute()
  );
}

export interface BoundSymbol {
  readonly symbol: string;
  readonly overrideConfig: unknown;
}

export const listBoundSymbols = (database: Reader, profileId: ProfileId): Promise<BoundSymbol[]> =>
  database
    .selectFrom('profile_symbols')
    .select(['symbol', 'override_config as overrideConfig'])
    .where('profile_id', '=', profileId)
    .orderBy('created_at')
    .orderBy('symbol')
    .execute();

/** Symbols that the other profiles of an account have bound, with the profile's name. */
export const listForeignSymbols = (
  database: Reader,
  accountId: AccountId,
  except: ProfileId | null,
): Promise<{ symbol: string; profileName: string }[]> => {
  const query = database
    .selectFrom('profile_symbols')
    .innerJoin('profiles', 'profiles.id', 'profile_symbols.profile_id')
    .select(['profile_symbols.symbol', 'profiles.name as profileName'])
    .where('profiles.account_id', '=', accountId);
  return (except === null ? query : query.where('profiles.id', '!=', except)).execute();
};

/** The account on which a bound coin trades; undefined for one that is not bound. */
export async function readAccountOf(
  database: Reader,
  { profileId, symbol }: { readonly profileId: ProfileId; readonly symbol: string },
): Promise<AccountId | undefined> {
  const row = await database
    .selectFrom('profile_symbols')
    .innerJoin('profiles', 'profiles.id', 'profile_symbols.profile_id')
    .select('account_id')
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .executeTakeFirst();
  return row?.account_id;
}

/** False when the coin is already bound. */
export async function bindSymbol(database: Writer, profileId: ProfileId, bound: BoundSymbol): Promise<boolean> {
  const row = await database
    .insertInto('profile_symbols')
    .values({ profile_id: profileId, symbol: bound.symbol, override_config: jsonText(bound.overrideConfig) })
    .onConflict((conflict) => conflict.columns(['profile_id', 'symbol']).doNothing())
    .returning('symbol')
    .executeTakeFirst();
  return row !== undefined;
}

export async function saveOverride(database: Writer, profileId: ProfileId, bound: BoundSymbol): Promise<void> {
  await database
    .updateTable('profile_symbols')
    .set({ override_config: jsonText(bound.overrideConfig) })
    .where('profile_id', '=', profileId)
    .where('symbol', '=', bound.symbol)
    .execute();
}

/** Keeps the runner state: its order sequence must never restart, and dust keeps its price. Requested changes are dropped. */
export async function unbindSymbol(database: Writer, profileId: ProfileId, symbol: string): Promise<void> {
  await database
    .updateTable('runner_states')
    .set({ asked_price: null, asked_quantity: null })
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .execute();
  await database
    .deleteFrom('profile_symbols')
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .execute();
}

/** Live orders per coin of a profile, coins that are no longer bound included. */
export async function countLiveOrders(database: Reader, profileId: ProfileId): Promise<Map<string, number>> {
  const rows = await database
    .selectFrom('orders')
    .select((row) => ['symbol', row.fn.countAll<string>().as('count')])
    .where('profile_id', '=', profileId)
    .where('state', 'in', [...LIVE_ORDER_STATES])
    .groupBy('symbol')
    .execute();
  return new Map(rows.map((row) => [row.symbol, Number(row.count)]));
}

/** Positions of a profile that are not zero, coins that are no longer bound included. */
export const listPositions = (
  database: Reader,
  profileId: ProfileId,
): Promise<{ symbol: string; quantity: string; averagePrice: string }[]> =>
  database
    .selectFrom('runner_states')
    .select(['symbol', 'quantity', 'average_price as averagePrice'])
    .where('profile_id', '=', profileId)
    .where('quantity', '>', '0')
    .execute();

/** Positions of all profiles of an account that are not zero. */
export const listAccountPositions = (
  database: Reader,
  accountId: AccountId,
): Promise<{ symbol: string; quantity: string; averagePrice: string }[]> =>
  database
    .selectFrom('runner_states as runner')
    .innerJoin('profiles', 'profiles.id', 'runner.profile_id')
    .select(['symbol', 'quantity', 'average_price as averagePrice'])
    .where('account_id', '=', accountId)
    .where('quantity', '>', '0')
    .execute();

/** Positions of coins that are no longer bound to their profile: nothing sells them, and no stop protects them. */
export const listUnwatchedPositions = (
  database: Reader,
): Promise<{ accountId: AccountId; profileId: ProfileId; profileName: string; symbol: string; quantity: string }[]> =>
  database
    .selectFrom('runner_states as runner')
    .innerJoin('profiles', 'profiles.id', 'runner.profile_id')
    .leftJoin('profile_symbols as bound', (join) =>
      join.onRef('bound.profile_id', '=', 'runner.profile_id').onRef('bound.symbol', '=', 'runner.symbol'),
    )
    .select(['account_id as accountId', 'runner.profile_id as profileId', 'profiles.name as profileName'])
    .select(['runner.symbol', 'runner.quantity'])
    .where('runner.quantity', '>', '0')
    .where('bound.symbol', 'is', null)
    .orderBy('runner.symbol')
    .execute();

interface Newest {
  readonly profileIds: readonly ProfileId[];
  readonly symbol?: string;
  readonly limit: number;
}

/** Newest first; includes live orders of any age, such as a stop. */
export async function newestOrders(database: Reader, { profileIds, symbol, limit }: Newest): Promise<OrderView[]> {
  if (profileIds.length === 0) return [];
  const all = selectOrders(database)
    .where('profile_id', 'in', [...profileIds])
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc');
  const wanted = symbol === undefined ? all : all.where('symbol', '=', symbol);
  const accounts = database
    .selectFrom('profiles')
    .select('account_id')
    .where('id', 'in', [...profileIds]);
  const live = await wanted
    .where('state', 'in', [...LIVE_ORDER_STATES])
    .where('account_id', 'in', accounts)
    .execute();
  const newest = await wanted.limit(limit).execute();
  const shown = new Set(newest.map(({ id }) => id));
  return [...newest, ...live.filter(({ id }) => !shown.has(id))];
}

interface OrderFilter {
  readonly accountId: AccountId;
  readonly state: 'live' | 'final' | 'all';
  readonly profileId?: ProfileId | undefined;
  readonly symbol?: string | undefined;
}

/** One page of the orders of an account, newest first, after `cursor`. */
export async function pageOrders(
  database: Reader,
  { accountId, state, profileId, symbol }: OrderFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: PageCursor | undefined },
): Promise<Page<OrderView>> {
  const rows = await selectOrders(database)
    .select(placeOf('created_at'))
    .where('account_id', '=', accountId)
    .where((row) => {
      const all: Expression<SqlBool>[] = [];
      if (state !== 'all') all.push(row('state', state === 'live' ? 'in' : 'not in', [...LIVE_ORDER_STATES]));
      if (profileId !== undefined) all.push(row('profile_id', '=', profileId));
      if (symbol !== undefined) all.push(row('symbol', '=', symbol));
      if (cursor !== undefined)
        all.push(sql<SqlBool>`(created_at, id) < (${cursor.at}::timestamptz, ${cursor.id}::uuid)`);
      return row.and(all);
    })
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, limit);
  return { rows: shown.map(({ place: _place, ...row }) => row), next };
}

/** Newest first. */
export function newestFills(database: Reader, { profileIds, symbol, limit }: Newest): Promise<FillView[]> {
  if (profileIds.length === 0) return Promise.resolve([]);
  const query = selectFills(database)
    .where('profile_id', 'in', [...profileIds])
    .orderBy('at', 'desc')
    .orderBy('recorded_at', 'desc')
    .orderBy('trade_id', 'desc')
    .limit(limit);
  return (symbol === undefined ? query : query.where('symbol', '=', symbol)).execute();
}
