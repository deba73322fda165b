import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import type { OrderId, ProfileId } from '#core/ids.ts';
import type { Side } from '#core/order/order.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';
import type { Tables } from '#storage/postgres/tables.ts';

export interface TradeFilter {
  readonly profileId: ProfileId;
  readonly symbol?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

export interface FillRow {
  readonly at: Date;
  readonly symbol: string;
  readonly side: Side;
  readonly price: string;
  readonly quantity: string;
  readonly quoteQuantity: string;
  readonly feeAmount: string;
  readonly feeAsset: string | null;
  /** Null for a fee in a third asset without a known price. */
  readonly feeQuote: string | null;
  /** True when a fee reconciliation replaced the booked fee with the one that the exchange lists. */
  readonly feeCorrected: boolean;
  readonly maker: boolean;
  readonly realised: string;
  readonly cycle: number;
  readonly tradeId: string;
  readonly orderId: OrderId;
  /** Reason code of its order. */
  readonly reason: string;
  readonly version: string;
}

const ROWS_AT_ONCE = 1000;

/** Coins that a profile has ever traded, in order. */
export async function tradedSymbols(database: Reader, { profileId, symbol }: TradeFilter): Promise<string[]> {
  // One index probe for each coin, however many fills it has.
  const next = (after: ReturnType<typeof sql>) => sql`(select symbol from fills where profile_id = ${profileId}
    and symbol > ${after} and symbol = coalesce(${symbol ?? null}::text, symbol) order by symbol limit 1)`;
  const coins = sql<{ symbol: string }>`(with recursive coins as (${next(sql`''`)}
    union all select next.symbol from coins cross join lateral ${next(sql`coins.symbol`)} as next)
    select symbol from coins)`;
  const rows = await database.selectFrom(coins.as('coins')).selectAll().execute();
  return rows.map((row) => row.symbol);
}

export type PairAssets = Pick<SymbolRules, 'baseAsset' | 'quoteAsset'>;

/** The assets of a coin's pair, from the trading rules at the time when its fills were booked. */
export async function pairAssets(
  database: Reader,
  { profileId, symbol }: { readonly profileId: ProfileId; readonly symbol: string },
): Promise<PairAssets> {
  const rows = await database
    .selectFrom('fills')
    .innerJoin('ledger_entries as row', (join) =>
      join
        .onRef('row.account_id', '=', 'fills.account_id')
        .onRef('row.epoch', '=', 'fills.epoch')
        .onRef('row.symbol', '=', 'fills.symbol')
        .onRef('row.trade_id', '=', 'fills.trade_id'),
    )
    .select('row.asset')
    .select(sql<boolean>`row.amount = case side when 'buy' then fills.quantity else -fills.quantity end`.as('isBase'))
    .where('fills.profile_id', '=', profileId)
    .where('fills.symbol', '=', symbol)
    .where('row.reason', '=', 'fill')
    .where('row.book', '=', 'wallet')
    .orderBy('runner_version')
    .limit(2)
    .execute();
  const named = (isBase: boolean): string => rows.find((row) => row.isBase === isBase)?.asset ?? '';
  return { baseAsset: named(true), quoteAsset: named(false) };
}

/** A fee column: the corrected value, else the booked one. */
const corrected = <Column extends 'fee_amount' | 'fee_asset' | 'fee_quote'>(column: Column) =>
  sql<
    Selectable<Tables['fills']>[Column]
  >`case when fixed.run_id is null then ${sql.ref(`fills.${column}`)} else ${sql.ref(`fixed.${column}`)} end`;

/** Every execution that matches a filter, coin by coin, in the order in which the position was folded. */
export async function* everyFill(database: Reader, filter: TradeFilter): AsyncGenerator<FillRow[]> {
  for (const symbol of await tradedSymbols(database, filter)) {
    for (let after = '-1'; ; ) {
      const rows: FillRow[] = await database
        .selectFrom('fills')
        .innerJoin('orders', 'orders.id', 'fills.order_id')
        .leftJoin('fee_adjustments as fixed', (join) =>
          join
            .onRef('fixed.account_id', '=', 'fills.account_id')
            .onRef('fixed.epoch', '=', 'fills.epoch')
            .onRef('fixed.symbol', '=', 'fills.symbol')
            .onRef('fixed.trade_id', '=', 'fills.trade_id')
            .onRef('fixed.exchange_order_id', '=', 'fills.exchange_order_id'),
        )
        .select([
          'at',
          'fills.symbol',
          'fills.side',
          'fills.price',
          'fills.quantity',
          'quote_quantity as quoteQuantity',
          'realised',
          'cycle',
        ])
        .select([corrected('fee_amount').as('feeAmount'), corrected('fee_asset').as('feeAsset')])
        .select([
          corrected('fee_quote').as('feeQuote'),
          'maker',
          sql<boolean>`fixed.run_id is not null`.as('feeCorrected'),
        ])
        .select(['fills.trade_id as tradeId', 'order_id as orderId', 'orders.reason', 'runner_version as version'])
        .where('fills.profile_id', '=', filter.profileId)
        .where('fills.symbol', '=', symbol)
        .where('runner_version', '>', after)
        .where((row) => row.and(within('at', filter)))
        .orderBy('runner_version')
        .limit(ROWS_AT_ONCE)
        .execute();
      if (rows.length > 0) yield rows;
      const last = rows.at(-1);
      if (last === undefined || rows.length < ROWS_AT_ONCE) break;
      after = last.version;
    }
  }
}

function within(column: string, { from, to }: Pick<TradeFilter, 'from' | 'to'>): Expression<SqlBool>[] {
  const all: Expression<SqlBool>[] = [];
  if (from !== undefined) all.push(sql<SqlBool>`${sql.ref(column)} >= ${from}::timestamptz`);
  if (to !== undefined) all.push(sql<SqlBool>`${sql.ref(column)} <= ${to}::timestamptz`);
  return all;
}

/** Cost-basis changes by an operator, with the position version that each produced. */
export const listRestatements = (database: Reader, { profileId }: TradeFilter, symbol: string) =>
  database
    .selectFrom('position_adjustments')
    .select(['runner_version as version', 'at', 'quantity', 'average_price as averagePrice'])
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .orderBy('runner_version')
    .execute();

export interface CycleRow {
  readonly id: string;
  readonly symbol: string;
  readonly cycle: number;
  readonly openedAt: Date;
  readonly closedAt: Date;
  readonly bought: string;
  readonly sold: string;
  readonly fills: number;
  readonly net: string;
  /** Reason code of the last sale. */
  readonly exitReason: string | null;
}

/** One page of closed positions, newest first, after `cursor`. */
export async function pageCycles(
  database: Reader,
  filter: TradeFilter,
  page: { readonly limit: number; readonly cursor?: PageCursor | undefined },
): Promise<Page<CycleRow>> {
  const spent = (side: Side) => sql<string>`(select coalesce(sum(quote_quantity), 0) from fills where
    fills.profile_id = closed_cycles.profile_id and fills.symbol = closed_cycles.symbol
    and fills.cycle = closed_cycles.cycle and side = ${side})`;
  const id = sql<string>`symbol || ':' || lpad(cycle::text, 10, '0')`;
  const rows = await database
    .selectFrom('closed_cycles')
    .select(['symbol', 'cycle', 'opened_at as openedAt', 'closed_at as closedAt', 'net', 'exit_reason as exitReason'])
    .select([id.as('id'), placeOf('closed_at'), spent('buy').as('bought'), spent('sell').as('sold')])
    .select(
      sql<number>`(select count(*)::int from fills where fills.profile_id = closed_cycles.profile_id
        and fills.symbol = closed_cycles.symbol and fills.cycle = closed_cycles.cycle)`.as('fills'),
    )
    .where('profile_id', '=', filter.profileId)
    .where((row) => {
      const all = within('closed_at', filter);
      if (filter.symbol !== undefined) all.push(row('symbol', '=', filter.symbol));
      if (page.cursor !== undefined)
        // The first condition is the one that the index knows.
        all.push(
          sql<SqlBool>`closed_at <= ${page.cursor.at}::timestamptz
            and (closed_at, ${id}) < (${page.cursor.at}::timestamptz, ${page.cursor.id})`,
        );
      return row.and(all);
    })
    .orderBy('closed_at', 'desc')
    .orderBy(id, 'desc')
    .limit(page.limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, page.limit);
  return { rows: shown.map(({ place: _place, ...row }) => row), next };
}

const PERIODS = ['day', 'week', 'month', 'all'] as const;
type Period = (typeof PERIODS)[number];

export interface PeriodRow {
  /** Start of the period; null for all time. */
  readonly from: Date | null;
  readonly count: number;
  readonly wins: number;
  readonly losses: number;
  readonly net: string;
  readonly grossProfit: string;
  readonly grossLoss: string;
}

/** The closed trades of a coin, each with its sums; `at` is the end of the trade. */
const tradesOfCoin = ({ profileId, symbol, from, to }: TradeFilter) => sql`(select closed_at as at, 1 as trades,
  (net > 0)::int as wins, (net < 0)::int as losses, net, greatest(net, 0) as gross_profit, least(net, 0) as gross_loss
  from closed_cycles where profile_id = ${profileId} and symbol = ${symbol}
    and closed_at >= coalesce(${from ?? null}::timestamptz, '-infinity')
    and closed_at <= coalesce(${to ?? null}::timestamptz, 'infinity'))`;

/** The closed trades of a profile by quarters of an hour, and one by one in the two that a filter begins and ends in. */
function tradesOfProfile({ profileId, from, to }: TradeFilter) {
  const bounds = sql`(select coalesce(${from ?? null}::timestamptz, '-infinity') as "from",
    coalesce(${to ?? null}::timestamptz, 'infinity') as "to",
    coalesce(slot_of(${from ?? null}::timestamptz - interval '1 microsecond') + interval '15 minutes', '-infinity') as first,
    coalesce(slot_of(${to ?? null}::timestamptz), 'infinity') as last) as bound`;
  return sql`(select slot as at, trades, wins, losses, net, gross_profit, gross_loss
    from ${bounds} join closed_totals on profile_id = ${profileId} and slot >= first and slot < last
    union all
    select closed_at, 1, (net > 0)::int, (net < 0)::int, net, greatest(net, 0), least(net, 0)
    from ${bounds} join closed_cycles on profile_id = ${profileId} and closed_at >= "from" and closed_at <= "to"
      and closed_at < first and first > '-infinity'
    union all
    select closed_at, 1, (net > 0)::int, (net < 0)::int, net, greatest(net, 0), least(net, 0)
    from ${bounds} join closed_cycles on profile_id = ${profileId} and closed_at >= greatest(first, last)
      and closed_at <= "to" and last < 'infinity')`;
}

/** Closed positions summed by day, week or month of a time zone, newest first. */
export async function cycleTotals(
  database: Reader,
  filter: TradeFilter,
  by: { readonly period: Period; readonly timezone: string },
): Promise<PeriodRow[]> {
  const { period, timezone } = by;
  const from = period === 'all' ? sql`null::timestamptz` : sql`date_trunc(${period}, at, ${timezone})`;
  const trades = filter.symbol === undefined ? tradesOfProfile(filter) : tradesOfCoin(filter);
  const totals = sql<PeriodRow>`(select ${from} as "from", sum(trades)::int as count, sum(wins)::int as wins,
    sum(losses)::int as losses, sum(net) as net, sum(gross_profit) as "grossProfit", sum(gross_loss) as "grossLoss"
    from ${trades} as trade group by 1 having sum(trades) > 0)`;
  return database.selectFrom(totals.as('totals')).selectAll().orderBy('from', 'desc').execute();
}
