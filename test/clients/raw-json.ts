import { z } from 'zod';
import type { FillSeen, Market, OrderSeen } from './stock-client.ts';

/** The exchange's own JSON, which two of the clients hand out as it is; some of them turn ids into text or bigint. */
const number = z.union([z.string(), z.number(), z.bigint()]).transform(Number);
const text = z.union([z.string(), z.number(), z.bigint()]).transform(String);

const order = z.object({
  orderId: text,
  clientOrderId: z.string(),
  status: z.string(),
  side: z.string(),
  type: z.string(),
  origQty: number,
  executedQty: number,
  cummulativeQuoteQty: number,
});
export const readOrder = (json: unknown): OrderSeen => {
  const one = order.parse(json);
  return {
    id: one.orderId,
    clientId: one.clientOrderId,
    status: one.status,
    side: one.side,
    type: one.type,
    quantity: one.origQty,
    executed: one.executedQty,
    quote: one.cummulativeQuoteQty,
  };
};
export const readOrders = (json: unknown): OrderSeen[] => z.array(z.unknown()).parse(json).map(readOrder);

const report = z.object({
  e: z.literal('executionReport'),
  i: text,
  c: z.string(),
  X: z.string(),
  S: z.string(),
  o: z.string(),
  q: number,
  z: number,
  Z: number,
});
/** An executionReport; undefined for any other event. */
export function readReport(json: unknown): OrderSeen | undefined {
  const parsed = report.safeParse(json);
  if (!parsed.success) return undefined;
  const { i, c, X, S, o, q, z: executed, Z } = parsed.data;
  return { id: i, clientId: c, status: X, side: S, type: o, quantity: q, executed, quote: Z };
}

const fill = z.object({
  price: number,
  qty: number,
  quoteQty: number,
  commission: number,
  commissionAsset: z.string(),
});
export const readFills = (json: unknown): FillSeen[] =>
  z
    .array(fill)
    .parse(json)
    .map((one) => ({
      quantity: one.qty,
      price: one.price,
      quote: one.quoteQty,
      fee: one.commission,
      feeAsset: one.commissionAsset,
    }));

const filter = z.looseObject({ filterType: z.string() });
const info = z.object({
  symbols: z.array(z.object({ symbol: z.string(), status: z.string(), filters: z.array(filter) })),
});
export const readMarkets = (json: unknown): Market[] =>
  info.parse(json).symbols.map(({ symbol, status, filters }) => {
    const at = (types: string, name: string): number =>
      Number(filters.find((one) => types.split(' ').includes(one.filterType))?.[name] ?? Number.NaN);
    return {
      symbol,
      active: status === 'TRADING',
      tick: at('PRICE_FILTER', 'tickSize'),
      step: at('LOT_SIZE', 'stepSize'),
      minQuantity: at('LOT_SIZE', 'minQty'),
      maxQuantity: at('LOT_SIZE', 'maxQty'),
      minNotional: at('NOTIONAL MIN_NOTIONAL', 'minNotional'),
    };
  });

const account = z.object({ balances: z.array(z.object({ asset: z.string(), free: number })) });
export const readFree = (json: unknown, asset: string): number =>
  account.parse(json).balances.find((one) => one.asset === asset)?.free ?? 0;

export const tradeEvent = z.object({ e: z.literal('trade'), p: number, q: number });
export const klineEvent = z.object({ e: z.literal('kline'), k: z.object({ t: number, c: number }) });
export const tickerEvent = z.object({ e: z.literal('24hrTicker'), c: number, h: number, l: number });
const level = z.tuple([number, number]).readonly();
export const depthEvent = z.object({
  e: z.literal('depthUpdate'),
  U: number,
  u: number,
  b: z.array(level),
  a: z.array(level),
});
export const depthSnapshot = z.object({ lastUpdateId: number, bids: z.array(level), asks: z.array(level) });
