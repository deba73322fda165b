import { type Selectable, sql } from 'kysely';
import { type Decimal, formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { type ExchangeFill, feeValueOf } from '#core/order/fill.ts';
import { type AccountId, newId } from '#core/ids.ts';
import { ledgerRowsOf } from '#core/position/ledger.ts';
import type { OrderState } from '#core/order/order.ts';
import type { FillRequest, FillResult } from '#core/ports/store.ts';
import { FLAT, foldAdjustment, foldFill, type FoldResult, type Position } from '#core/position/position.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { Database, Reader, Transaction } from '#storage/postgres/database.ts';
import { statesBefore } from './order-moves.ts';
import { lockRunner, positionColumns, positionOf, type RunnerKey } from './runners.ts';
import type { Tables } from '#storage/postgres/tables.ts';

interface Folded extends RunnerKey {
  /** Of the order. */
  readonly reason: string;
  readonly request: FillRequest;
  readonly before: Position;
  readonly fold: FoldResult;
  readonly version: number;
}

/** Locks the order first: every fill transaction takes order and runner in this order. */
async function requireOwner(
  transaction: Transaction,
  { orderId, accountId, fill }: FillRequest,
): Promise<RunnerKey & Pick<Folded, 'reason'>> {
  const order = await transaction
    .selectFrom('orders')
    .select(['profile_id', 'symbol', 'account_id', 'reason'])
    .where('id', '=', orderId)
    .forUpdate()
    .executeTakeFirst();
  if (order === undefined)
    throw new Error(`Fill ${fill.tradeId} of ${fill.symbol} names the unknown order ${orderId}.`);
  if (order.account_id !== accountId || order.symbol !== fill.symbol) {
    throw new Error(
      `Fill ${fill.tradeId} of ${fill.symbol} does not belong to order ${orderId}, which is for ${order.symbol}.`,
    );
  }
  return { profileId: order.profile_id, symbol: order.symbol, reason: order.reason };
}

const textOrNull = (value: Decimal | null): string | null => (value === null ? null : formatDecimal(value));

/** False when this execution is already recorded. */
async function insertFill(transaction: Transaction, { request, fold, version, profileId }: Folded): Promise<boolean> {
  const { fill } = request;
  const { numInsertedOrUpdatedRows } = await transaction
    .insertInto('fills')
    .values({
      account_id: request.accountId,
      epoch: request.epoch,
      symbol: fill.symbol,
      trade_id: fill.tradeId,
      exchange_order_id: fill.exchangeOrderId,
      order_id: request.orderId,
      profile_id: profileId,
      side: fill.side,
      price: formatDecimal(fill.price),
      quantity: formatDecimal(fill.quantity),
      quote_quantity: formatDecimal(fill.quoteQuantity),
      fee_amount: formatDecimal(fill.feeAmount),
      fee_asset: fill.feeAsset,
      fee_quote: textOrNull(feeValueOf(fill, request.rules, request.feeQuote)),
      maker: fill.maker,
      realised: formatDecimal(fold.realised),
      cycle: fold.position.cycle,
      runner_version: version,
      at: fill.at,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'epoch', 'symbol', 'trade_id', 'exchange_order_id']).doNothing(),
    )
    .executeTakeFirst();
  return numInsertedOrUpdatedRows === 1n;
}

/** A buy backs the recorded price again, so it removes the note. */
async function savePosition(transaction: Transaction, folded: Folded): Promise<void> {
  const { profileId, symbol, fold, version, request } = folded;
  const bought = request.fill.side === 'buy';
  await transaction
    .updateTable('runner_states')
    .set({ version, ...positionColumns(fold.position), ...(bought ? { cost_basis_note: null } : {}) })
    .where('profile_id', '=', profileId)
    .where('symbol', '=', symbol)
    .execute();
}

async function insertLedgerRows(transaction: Transaction, { request, profileId, symbol }: Folded): Promise<void> {
  const rows = ledgerRowsOf(request.fill, request.rules).map((row) => ({
    id: newId<string>(),
    account_id: request.accountId,
    epoch: request.epoch,
    profile_id: profileId,
    symbol,
    book: row.book,
    asset: row.asset,
    amount: formatDecimal(row.amount),
    reason: row.reason,
    trade_id: request.fill.tradeId,
    at: request.fill.at,
  }));
  await transaction.insertInto('ledger_entries').values(rows).execute();
}

/** Sets the cumulative amounts to the sum of the order's fills, never below what the exchange has reported before. */
async function advanceOrder(transaction: Transaction, { orderId, fill }: FillRequest): Promise<void> {
  const sums = transaction
    .selectFrom('fills')
    .where('order_id', '=', orderId)
    .select((fills) => [fills.fn.sum('quantity').as('quantity'), fills.fn.sum('quote_quantity').as('quote')]);
  const state = sql<OrderState>`case
    when sums.quantity >= orders.quantity and state = any(${statesBefore('filled')}::text[]) then 'filled'
    when sums.quantity < orders.quantity and state = any(${statesBefore('partially-filled')}::text[]) then 'partially-filled'
    else state end`;
  await transaction
    .updateTable('orders')
    .from(sums.as('sums'))
    .set({
      state,
      filled_quantity: sql<string>`greatest(filled_quantity, sums.quantity)`,
      filled_quote: sql<string>`greatest(filled_quote, sums.quote)`,
      exchange_order_id: sql<string>`coalesce(exchange_order_id, ${fill.exchangeOrderId})`,
      updated_at: sql<Date>`greatest(updated_at, ${fill.at}::timestamptz)`,
    })
    .where('id', '=', orderId)
    .execute();
}

/** The last fills of an exit may come after the one that closed the cycle: they amend its row. */
async function closeCycle(
  transaction: Transaction,
  { request, before, fold, profileId, symbol, reason }: Folded,
): Promise<void> {
  const closedAt = request.fill.at;
  const net = formatDecimal(fold.position.lastCycleNet ?? ZERO);
  await transaction
    .insertInto('closed_cycles')
    .values({
      profile_id: profileId,
      symbol,
      cycle: fold.position.cycle,
      opened_at: before.firstBuyAt ?? closedAt,
      closed_at: closedAt,
      net,
      exit_reason: reason,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['profile_id', 'symbol', 'cycle'])
        .doUpdateSet({ net, closed_at: closedAt, exit_reason: reason }),
    )
    .execute();
}

/**
 * Books one execution in one transaction: fill row, position, ledger, order amounts, closed cycle. A fill that is
 * already recorded changes nothing: replays are harmless, and a caller repeats a call whose answer was lost.
 */
export function applyFill(db: Database, request: FillRequest): Promise<FillResult> {
  return db.transaction(async (transaction) => {
    const key = await requireOwner(transaction, request);
    const row = await lockRunner(transaction, key);
    const before = positionOf(row);
    const fold = foldFill(before, request.fill, request);
    const folded = { ...key, request, before, fold, version: Number(row.version) + 1 };
    if (!(await insertFill(transaction, folded))) {
      return { applied: false, position: before, version: Number(row.version) };
    }
    await savePosition(transaction, folded);
    await insertLedgerRows(transaction, folded);
    await advanceOrder(transaction, request);
    if (fold.closedCycle) await closeCycle(transaction, folded);
    return { applied: true, position: fold.position, version: folded.version };
  });
}

/** The execution of a stored row. */
export const fillOf = (row: Selectable<Tables['fills']>): ExchangeFill => ({
  symbol: row.symbol,
  tradeId: row.trade_id,
  exchangeOrderId: row.exchange_order_id,
  side: row.side,
  price: requireDecimal(row.price),
  quantity: requireDecimal(row.quantity),
  quoteQuantity: requireDecimal(row.quote_quantity),
  feeAmount: requireDecimal(row.fee_amount),
  feeAsset: row.fee_asset,
  maker: row.maker,
  at: row.at,
});

/**
 * Folds all stored fills and adjustments of (profile, symbol) from flat, in the order they were booked: must equal the
 * stored position.
 */
export async function refoldPosition(
  reader: Reader,
  key: RunnerKey,
  context: { readonly rules: SymbolRules; readonly cooldownMs: number },
): Promise<Position> {
  const fills = await reader
    .selectFrom('fills')
    .selectAll()
    .where('profile_id', '=', key.profileId)
    .where('symbol', '=', key.symbol)
    .execute();
  const adjustments = await reader
    .selectFrom('position_adjustments')
    .selectAll()
    .where('profile_id', '=', key.profileId)
    .where('symbol', '=', key.symbol)
    .execute();
  const steps = [
    ...fills.map((row) => {
      const feeQuote = row.fee_quote === null ? null : requireDecimal(row.fee_quote);
      const fold = (position: Position): Position => foldFill(position, fillOf(row), { ...context, feeQuote }).position;
      return { version: Number(row.runner_version), fold };
    }),
    ...adjustments.map((row) => {
      const quantity = requireDecimal(row.quantity);
      const averagePrice = requireDecimal(row.average_price);
      const fold = (position: Position): Position =>
        foldAdjustment(position, { quantity, averagePrice, held: row.held, at: row.at });
      return { version: Number(row.runner_version), fold };
    }),
  ];
  return steps.toSorted((a, b) => a.version - b.version).reduce((position, { fold }) => fold(position), FLAT);
}

/** Trade ids rise within a coin: the longest text, then the highest, is the newest. */
export async function lastTradeId(
  db: Reader,
  { accountId, epoch, symbol }: { readonly accountId: AccountId; readonly epoch: number; readonly symbol: string },
): Promise<string | null> {
  const row = await db
    .selectFrom('fills')
    .select('trade_id')
    .where('account_id', '=', accountId)
    .where('epoch', '=', epoch)
    .where('symbol', '=', symbol)
    .orderBy(sql`length(trade_id)`, 'desc')
    .orderBy('trade_id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.trade_id ?? null;
}

/** The asset of an account's newest fee, where that was neither coin of its pair as the ledger names them; else null. */
export async function newestThirdFee(db: Reader, accountId: AccountId): Promise<string | null> {
  const fill = await db
    .selectFrom('fills')
    .select(['epoch', 'symbol', 'trade_id', 'fee_asset', 'fee_amount'])
    .where('account_id', '=', accountId)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (fill === undefined || fill.fee_asset === null || requireDecimal(fill.fee_amount) === ZERO) return null;
  const pair = await db
    .selectFrom('ledger_entries')
    .select('asset')
    .where('account_id', '=', accountId)
    .where('epoch', '=', fill.epoch)
    .where('symbol', '=', fill.symbol)
    .where('trade_id', '=', fill.trade_id)
    .where('reason', '=', 'fill')
    .execute();
  return pair.some(({ asset }) => asset === fill.fee_asset) ? null : fill.fee_asset;
}
