import { ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { cancelIdOf } from '#core/order/order.ts';
import type { OrderLookup, WriteOutcome } from '#core/ports/exchange.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { isReason } from './outcome.ts';
import { parseOrder, parseTrades } from '#exchange/parse/orders.ts';
import { readSigned, type SignedLink } from './signed-call.ts';
import type { Params } from './signing.ts';

const ORDER_PATH = '/api/v3/order';
const PAGE = 1_000;

/** Adds the executions to an order known by its state alone; the outcome is unknown while they cannot be read. */
export async function adopt(link: SignedLink, order: ExchangeOrder): Promise<WriteOutcome> {
  if (order.filledQuantity === ZERO) return { kind: 'accepted', order, fills: [] };
  return fillsOf(link, order.symbol, order.exchangeOrderId).then(
    (fills): WriteOutcome => ({ kind: 'accepted', order, fills }),
    failureOfRead,
  );
}

/** An acknowledged cancel is certain. When earlier executions cannot be read now, the account stream delivers them. */
export async function withFills(link: SignedLink, order: ExchangeOrder): Promise<WriteOutcome> {
  const adopted = await adopt(link, order);
  return adopted.kind === 'accepted' ? adopted : { kind: 'accepted', order, fills: [] };
}

const failureOfRead = (error: unknown): WriteOutcome => ({
  kind: 'unknown',
  cause: error instanceof Error ? error.message : 'The executions could not be read.',
});

/**
 * Looks an order up. The exchange lists a cancelled order under the id of its cancel: an order counts as absent only
 * when the exchange knows neither id.
 */
export async function findOrder(
  link: SignedLink,
  symbol: string,
  by: { clientOrderId: string } | { exchangeOrderId: string },
): Promise<OrderLookup> {
  if ('exchangeOrderId' in by) return queryOrder(link, { symbol, orderId: by.exchangeOrderId });
  const { clientOrderId } = by;
  const first = await queryOrder(link, { symbol, origClientOrderId: clientOrderId });
  const lookup =
    first.kind === 'absent' ? await queryOrder(link, { symbol, origClientOrderId: cancelIdOf(clientOrderId) }) : first;
  if (lookup.kind !== 'found' || lookup.order.clientOrderId === clientOrderId) return lookup;
  return { kind: 'unreadable', cause: `The exchange answered with another order (${lookup.order.clientOrderId}).` };
}

async function queryOrder(link: SignedLink, params: Params): Promise<OrderLookup> {
  try {
    const order = parseOrder(await readSigned(link, { path: ORDER_PATH, params, priority: 'query', weight: 4 }));
    if (order.symbol === params['symbol']) return { kind: 'found', order };
    return { kind: 'unreadable', cause: `The exchange answered with an order of ${order.symbol}.` };
  } catch (error) {
    if (isReason(error, 'order-absent')) return { kind: 'absent' };
    return { kind: 'unreadable', cause: error instanceof Error ? error.message : 'The order could not be read.' };
  }
}

export const fillsOf = (link: SignedLink, symbol: string, orderId: string): Promise<ExchangeFill[]> =>
  readTrades(link, { symbol, orderId }, { tradeId: null, weight: 5 });

export const tradesAfter = (link: SignedLink, symbol: string, tradeId: string | null): Promise<ExchangeFill[]> =>
  readTrades(link, { symbol }, { tradeId, weight: 20 });

/** Reads page by page, starting after `tradeId`. */
async function readTrades(
  link: SignedLink,
  filter: Params,
  { tradeId, weight }: { readonly tradeId: string | null; readonly weight: number },
): Promise<ExchangeFill[]> {
  const fills: ExchangeFill[] = [];
  for (;;) {
    const last = fills.at(-1)?.tradeId ?? tradeId;
    const fromId = last === null ? undefined : String(BigInt(last) + 1n);
    const params = { ...filter, fromId, limit: PAGE };
    const page = parseTrades(await readSigned(link, { path: '/api/v3/myTrades', params, priority: 'query', weight }));
    fills.push(...page);
    if (page.length < PAGE) return fills;
  }
}

/** One page from `tradeId` on, with the lowest priority. */
export async function tradesFrom(link: SignedLink, symbol: string, tradeId: string): Promise<ExchangeFill[]> {
  const params = { symbol, fromId: tradeId, limit: PAGE };
  return parseTrades(await readSigned(link, { path: '/api/v3/myTrades', params, priority: 'history', weight: 20 }));
}
