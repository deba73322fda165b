import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import type { OrderId, ProfileId } from '#core/ids.ts';
import type { Side } from '#core/order/order.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';
import type { FillsTable } from '#storage/postgres/tables.ts';

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
  const query = database.selectFrom('fills').select('symbol').distinct().where('profile_id', '=', profileId);
  const rows = await (symbol === undefined ? query : query.where('symbol', '=', symbol)).orderBy('symbol').execute();
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
    Selectable<FillsTable>[Column]
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
        all.push(sql<SqlBool>`(closed_at, ${id}) < (${page.cursor.at}::timestamptz, ${page.cursor.id})`);
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

/** Closed positions summed by day, week or month of a time zone, newest first. */
export async function cycleTotals(
  database: Reader,
  filter: TradeFilter,
  by: { readonly period: Period; readonly timezone: string },
): Promise<PeriodRow[]> {
  const { period, timezone } = by;
  const from =
    period === 'all'
      ? sql<Date | null>`null::timestamptz`
      : sql<Date | null>`date_trunc(${period}, closed_at, ${timezone})`;
  return database
    .selectFrom('closed_cycles')
    .select([
      from.as('from'),
      sql<number>`count(*)::int`.as('count'),
      sql<number>`(count(*) filter (where net > 0))::int`.as('wins'),
      sql<number>`(count(*) filter (where net < 0))::int`.as('losses'),
      sql<string>`coalesce(sum(net), 0)`.as('net'),
      sql<string>`coalesce(sum(net) filter (where net > 0), 0)`.as('grossProfit'),
      sql<string>`coalesce(sum(net) filter (where net < 0), 0)`.as('grossLoss'),
    ])
    .where('profile_id', '=', filter.profileId)
    .where((row) => {
      const all = within('closed_at', filter);
      if (filter.symbol !== undefined) all.push(row('symbol', '=', filter.symbol));
      return row.and(all);
    })
    .groupBy(sql`1`)
    .orderBy(sql`1`, 'desc')
    .execute();
}
