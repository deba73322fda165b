import { type Expression, type SqlBool, sql } from 'kysely';
import type { Account } from '#core/account/account.ts';
import { type Decimal, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { feeCorrectionRows, type Fee, isSameFee } from '#core/position/fee-check.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import type { Database, Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import { type Page, type PageCursor, pageOf, placeOf } from '#storage/postgres/pages.ts';
import { LIVE_ORDER_STATES } from '#core/order/order.ts';

export type RunKind = 'fees' | 'archive';
type Owner = Pick<Account, 'id' | 'epoch'>;

export async function createRun(
  writer: Writer,
  run: { readonly profileId: ProfileId; readonly kind: RunKind; readonly request: unknown },
): Promise<string> {
  const id = newId<string>();
  const { profileId, kind, request } = run;
  await writer
    .insertInto('profile_runs')
    .values({ id, profile_id: profileId, kind, request: jsonText(request), report: null, error: null })
    .execute();
  return id;
}

export const listRuns = (reader: Reader, profileId: ProfileId, kind: RunKind) =>
  reader
    .selectFrom('profile_runs')
    .select(['id', 'status', 'report', 'error', 'started_at as startedAt', 'finished_at as finishedAt'])
    .where('profile_id', '=', profileId)
    .where('kind', '=', kind)
    .orderBy('started_at', 'desc')
    .limit(20)
    .execute();

export const readRun = (reader: Reader, id: string) =>
  reader
    .selectFrom('profile_runs')
    .innerJoin('profiles', 'profiles.id', 'profile_id')
    .select(['profile_id as profileId', 'account_id as accountId', 'kind', 'request', 'status'])
    .where('profile_runs.id', '=', id)
    .executeTakeFirst();

type Outcome = { status: 'running' } | { status: 'done'; report: unknown } | { status: 'error'; error: string };

export async function moveRun(writer: Writer, id: string, outcome: Outcome): Promise<void> {
  await writer
    .updateTable('profile_runs')
    .set({
      status: outcome.status,
      report: outcome.status === 'done' ? jsonText(outcome.report) : null,
      error: outcome.status === 'error' ? outcome.error : null,
      finished_at: outcome.status === 'running' ? null : sql<Date>`clock_timestamp()`,
    })
    .where('id', '=', id)
    .execute();
}

/** A recorded execution with its fee after the last correction. */
export interface RecordedFee extends Fee {
  readonly tradeId: string;
  readonly exchangeOrderId: string;
  /** Null while the value of a fee in a third asset is unknown. */
  readonly feeQuote: string | null;
  readonly at: Date;
}

/** Executions of one coin of a profile in the current epoch, oldest trade first. */
export async function recordedFees(
  reader: Reader,
  account: Owner,
  { profileId, symbol }: { readonly profileId: ProfileId; readonly symbol: string },
): Promise<RecordedFee[]> {
  const rows = await reader
    .selectFrom('fills')
    .leftJoin('fee_adjustments as fixed', (join) =>
      join
        .onRef('fixed.account_id', '=', 'fills.account_id')
        .onRef('fixed.epoch', '=', 'fills.epoch')
        .onRef('fixed.symbol', '=', 'fills.symbol')
        .onRef('fixed.trade_id', '=', 'fills.trade_id')
        .onRef('fixed.exchange_order_id', '=', 'fills.exchange_order_id'),
    )
    .select(['fills.trade_id as tradeId', 'fills.exchange_order_id as exchangeOrderId', 'at', 'run_id'])
    .select(['fills.fee_amount', 'fills.fee_asset', 'fills.fee_quote'])
    .select(['fixed.fee_amount as fixed_amount', 'fixed.fee_asset as fixed_asset', 'fixed.fee_quote as fixed_quote'])
    .where('fills.account_id', '=', account.id)
    .where('fills.epoch', '=', account.epoch)
    .where('profile_id', '=', profileId)
    .where('fills.symbol', '=', symbol)
    .where(sql<SqlBool>`fills.trade_id ~ '^[0-9]+$'`)
    .orderBy(sql`fills.trade_id::numeric`)
    .execute();
  return rows.map(({ tradeId, exchangeOrderId, at, ...row }) => {
    const fixed = row.run_id !== null;
    return {
      ...{ tradeId, exchangeOrderId, at },
      feeAmount: requireDecimal((fixed ? row.fixed_amount : null) ?? row.fee_amount),
      feeAsset: fixed ? row.fixed_asset : row.fee_asset,
      feeQuote: fixed ? row.fixed_quote : row.fee_quote,
    };
  });
}

interface FeeCorrection {
  readonly account: Owner;
  readonly profileId: ProfileId;
  readonly runId: string;
  readonly symbol: string;
  readonly recorded: RecordedFee;
  readonly fee: Fee;
  readonly feeQuote: Decimal | null;
}

/**
 * Stores the fee that the exchange lists, with ledger rows for the difference. The fill itself is unchanged. False when
 * another run has already corrected it.
 */
export const correctFee = (db: Database, correction: FeeCorrection): Promise<boolean> =>
  db.transaction(async (transaction) => {
    const { account, profileId, runId, symbol, recorded, fee, feeQuote } = correction;
    const { tradeId, exchangeOrderId, at } = recorded;
    const key = { account_id: account.id, epoch: account.epoch, symbol, trade_id: tradeId };
    const values = {
      run_id: runId,
      fee_amount: formatDecimal(fee.feeAmount),
      fee_asset: fee.feeAsset,
      fee_quote: feeQuote === null ? null : formatDecimal(feeQuote),
    };
    const written = await transaction
      .insertInto('fee_adjustments')
      .values({ ...key, exchange_order_id: exchangeOrderId, ...values })
      .onConflict((conflict) =>
        conflict
          .columns(['account_id', 'epoch', 'symbol', 'trade_id', 'exchange_order_id'])
          .doUpdateSet(values)
          .where(
            sql<SqlBool>`(fee_adjustments.fee_amount, fee_adjustments.fee_asset, fee_adjustments.fee_quote)
              is distinct from (excluded.fee_amount, excluded.fee_asset, excluded.fee_quote)`,
          ),
      )
      .returning('trade_id')
      .executeTakeFirst();
    if (written === undefined) return false;
    const rows = isSameFee(recorded, fee) ? [] : feeCorrectionRows(recorded, fee);
    const owner = {
      account_id: account.id,
      epoch: account.epoch,
      profile_id: profileId,
      symbol,
      trade_id: tradeId,
      at,
    };
    if (rows.length > 0)
      await transaction
        .insertInto('ledger_entries')
        .values(rows.map((row) => ({ ...row, ...owner, id: newId<string>(), amount: formatDecimal(row.amount) })))
        .execute();
    return true;
  });

/** The newest archived trade of a coin; null without one. */
export async function lastArchived(reader: Reader, account: Owner, symbol: string): Promise<string | null> {
  const row = await reader
    .selectFrom('archived_fills')
    .select(sql<string | null>`max(trade_id::numeric)`.as('last'))
    .where('account_id', '=', account.id)
    .where('epoch', '=', account.epoch)
    .where('symbol', '=', symbol)
    .executeTakeFirst();
  return row?.last ?? null;
}

/** Earliest time of trades that may belong to an order without a known exchange id; null when no such order exists. */
export async function undecidedSince(reader: Reader, accountId: AccountId, symbol: string): Promise<Date | null> {
  const row = await reader
    .selectFrom('orders')
    .select(sql<Date | null>`min(created_at)`.as('since'))
    .where('account_id', '=', accountId)
    .where('symbol', '=', symbol)
    .where('state', 'in', [...LIVE_ORDER_STATES])
    .where('exchange_order_id', 'is', null)
    .executeTakeFirst();
  return row?.since ?? null;
}

/** Archives executions that do not belong to orders of this service. Returns how many are its own and how many are new. */
export async function archiveFills(
  db: Database,
  account: Owner,
  fills: readonly ExchangeFill[],
): Promise<{ readonly known: number; readonly archived: number }> {
  const orderIds = [...new Set(fills.map(({ exchangeOrderId }) => exchangeOrderId))];
  if (orderIds.length === 0) return { known: 0, archived: 0 };
  const own = await db.kysely
    .selectFrom('orders')
    .select(['symbol', 'exchange_order_id'])
    .where('account_id', '=', account.id)
    .where('epoch', '=', account.epoch)
    .where('exchange_order_id', 'in', orderIds)
    .execute();
  const ours = new Set(own.map((row) => `${row.symbol}:${row.exchange_order_id}`));
  const foreign = fills.filter(({ symbol, exchangeOrderId }) => !ours.has(`${symbol}:${exchangeOrderId}`));
  if (foreign.length === 0) return { known: fills.length, archived: 0 };
  const { numInsertedOrUpdatedRows = 0n } = await db.kysely
    .insertInto('archived_fills')
    .values(
      foreign.map((fill) => ({
        ...{ account_id: account.id, epoch: account.epoch, symbol: fill.symbol, trade_id: fill.tradeId },
        ...{ exchange_order_id: fill.exchangeOrderId, side: fill.side, maker: fill.maker, at: fill.at },
        price: formatDecimal(fill.price),
        quantity: formatDecimal(fill.quantity),
        quote_quantity: formatDecimal(fill.quoteQuantity),
        fee_amount: formatDecimal(fill.feeAmount),
        fee_asset: fill.feeAsset,
      })),
    )
    .onConflict((conflict) => conflict.columns(['account_id', 'epoch', 'symbol', 'trade_id']).doNothing())
    .executeTakeFirst();
  return { known: fills.length - foreign.length, archived: Number(numInsertedOrUpdatedRows) };
}

interface ArchiveFilter {
  readonly account: Owner;
  readonly symbols: readonly string[];
  readonly from?: string | undefined;
  readonly to?: string | undefined;
}

/** One page of the archive, newest first. Executions that were booked since, such as those of an adopted order, are left out. */
export async function pageArchived(
  reader: Reader,
  { account, symbols, from, to }: ArchiveFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: PageCursor | undefined },
) {
  const id = sql<string>`symbol || ':' || lpad(trade_id, 20, '0')`;
  const rows = await reader
    .selectFrom('archived_fills')
    .select([
      'at',
      'symbol',
      'trade_id as tradeId',
      'exchange_order_id as exchangeOrderId',
      'side',
      'price',
      'quantity',
    ])
    .select(['quote_quantity as quoteQuantity', 'fee_amount as feeAmount', 'fee_asset as feeAsset', 'maker'])
    .select([id.as('id'), placeOf('at')])
    .where('account_id', '=', account.id)
    .where('epoch', '=', account.epoch)
    .where('symbol', 'in', symbols.length === 0 ? [''] : [...symbols])
    .where((row) => {
      const all: Expression<SqlBool>[] = [
        sql<SqlBool>`not exists (select from fills where fills.account_id = archived_fills.account_id
          and fills.epoch = archived_fills.epoch and fills.symbol = archived_fills.symbol
          and fills.trade_id = archived_fills.trade_id)`,
      ];
      if (from !== undefined) all.push(sql<SqlBool>`at >= ${from}::timestamptz`);
      if (to !== undefined) all.push(sql<SqlBool>`at <= ${to}::timestamptz`);
      if (cursor !== undefined) all.push(sql<SqlBool>`(at, ${id}) < (${cursor.at}::timestamptz, ${cursor.id})`);
      return row.and(all);
    })
    .orderBy('at', 'desc')
    .orderBy(id, 'desc')
    .limit(limit + 1)
    .execute();
  const { shown, next } = pageOf(rows, limit);
  const page: Page<Omit<(typeof rows)[number], 'place' | 'id'>> = {
    rows: shown.map(({ place: _place, id: _id, ...row }) => row),
    next,
  };
  return page;
}
