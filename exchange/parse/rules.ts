import { z } from 'zod';
import { type Decimal, ZERO } from '#core/amount/decimal.ts';
import { type SymbolRules, type SymbolStatus, unreadableRules } from '#core/market/symbol.ts';
import type { RateLimit, RateLimits } from '#exchange/limits.ts';
import { decimal, requireShape } from './shape.ts';

const filter = z.looseObject({ filterType: z.string() });
type Filter = z.infer<typeof filter>;

const symbolEntry = z.object({
  symbol: z.string(),
  status: z.string(),
  baseAsset: z.string(),
  quoteAsset: z.string(),
  orderTypes: z.array(z.string()),
  isSpotTradingAllowed: z.boolean().default(true),
  ocoAllowed: z.boolean().default(false),
  permissionSets: z
    .array(z.array(z.string()))
    .nullish()
    .transform((sets) => sets ?? []),
  filters: z.array(filter),
});
const rateLimit = z.object({
  rateLimitType: z.string(),
  interval: z.string(),
  intervalNum: z.number().positive(),
  limit: z.number().positive(),
});
const exchangeInfo = z.object({
  rateLimits: z.array(z.unknown()).default([]),
  symbols: z.array(z.unknown()),
});
const named = z.looseObject({
  symbol: z.string(),
  baseAsset: z.string().default(''),
  quoteAsset: z.string().default(''),
  isSpotTradingAllowed: z.boolean().default(true),
});

const range = z.object({ minQty: decimal, maxQty: decimal, stepSize: decimal });
const priceFilter = z.object({ minPrice: decimal, maxPrice: decimal, tickSize: decimal });
const notional = z.object({
  minNotional: decimal,
  maxNotional: decimal.default(ZERO),
  applyMinToMarket: z.boolean().default(true),
});
const minNotional = z.object({ minNotional: decimal, applyToMarket: z.boolean().default(true) });
const band = z.object({ multiplierUp: decimal, multiplierDown: decimal });
const trailingDelta = z.object({ minTrailingBelowDelta: z.int(), maxTrailingBelowDelta: z.int() });
const bandBySide = z.object({
  bidMultiplierUp: decimal,
  bidMultiplierDown: decimal,
  askMultiplierUp: decimal,
  askMultiplierDown: decimal,
});

const STATUSES: readonly SymbolStatus[] = ['TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY'];

/** Every status but TRADING blocks entries; an unknown status counts as HALT. */
const statusOf = (text: string): SymbolStatus => STATUSES.find((status) => status === text) ?? 'HALT';

function readFilter<T>(filters: readonly Filter[], type: string, schema: z.ZodType<T>): T | undefined {
  const found = filters.find((entry) => entry.filterType === type);
  return found === undefined ? undefined : requireShape(schema, found, `the filter ${type}`);
}

const NO_RANGE = { step: ZERO, min: ZERO, max: ZERO };

function lotOf(filters: readonly Filter[], type: string): { step: Decimal; min: Decimal; max: Decimal } {
  const found = readFilter(filters, type, range);
  return found === undefined ? NO_RANGE : { step: found.stepSize, min: found.minQty, max: found.maxQty };
}

function notionalOf(filters: readonly Filter[]): SymbolRules['notional'] {
  const both = readFilter(filters, 'NOTIONAL', notional);
  if (both !== undefined) {
    return { min: both.minNotional, max: both.maxNotional, minAppliesToMarket: both.applyMinToMarket };
  }
  const least = readFilter(filters, 'MIN_NOTIONAL', minNotional);
  if (least === undefined) return { min: ZERO, max: ZERO, minAppliesToMarket: false };
  return { min: least.minNotional, max: ZERO, minAppliesToMarket: least.applyToMarket };
}

function bandOf(filters: readonly Filter[]): SymbolRules['band'] {
  const sides = readFilter(filters, 'PERCENT_PRICE_BY_SIDE', bandBySide);
  if (sides !== undefined) {
    return {
      bidUp: sides.bidMultiplierUp,
      bidDown: sides.bidMultiplierDown,
      askUp: sides.askMultiplierUp,
      askDown: sides.askMultiplierDown,
    };
  }
  const one = readFilter(filters, 'PERCENT_PRICE', band);
  if (one === undefined) return null;
  return { bidUp: one.multiplierUp, bidDown: one.multiplierDown, askUp: one.multiplierUp, askDown: one.multiplierDown };
}

function rulesOf(entry: z.infer<typeof symbolEntry>): SymbolRules {
  const price = readFilter(entry.filters, 'PRICE_FILTER', priceFilter);
  const delta = readFilter(entry.filters, 'TRAILING_DELTA', trailingDelta);
  return {
    symbol: entry.symbol,
    status: statusOf(entry.status),
    baseAsset: entry.baseAsset,
    quoteAsset: entry.quoteAsset,
    orderTypes: entry.orderTypes,
    permissionSets: entry.permissionSets,
    price: { tick: price?.tickSize ?? ZERO, min: price?.minPrice ?? ZERO, max: price?.maxPrice ?? ZERO },
    lot: lotOf(entry.filters, 'LOT_SIZE'),
    marketLot: lotOf(entry.filters, 'MARKET_LOT_SIZE'),
    notional: notionalOf(entry.filters),
    band: bandOf(entry.filters),
    ...(delta && { trailing: { min: delta.minTrailingBelowDelta, max: delta.maxTrailingBelowDelta } }),
    ...(entry.ocoAllowed && { lists: true }),
  };
}

/** Data of GET /api/v3/exchangeInfo that this product uses. */
interface ExchangeRules {
  readonly symbols: SymbolRules[];
  readonly limits: RateLimits;
}

const INTERVAL_MS: Readonly<Record<string, number>> = {
  SECOND: 1_000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: 86_400_000,
};

/**
 * Parses the rate limits. Limits of an unknown type or interval are skipped: the exchange enforces them by refusals.
 */
function limitsOf(entries: readonly unknown[]): RateLimits {
  const list = entries.flatMap((entry) => rateLimit.safeParse(entry).data ?? []);
  const ofType = (type: string): RateLimit[] =>
    list.flatMap(({ rateLimitType, interval, intervalNum, limit }) => {
      const unitMs = INTERVAL_MS[interval];
      return rateLimitType !== type || unitMs === undefined ? [] : [{ windowMs: unitMs * intervalNum, limit }];
    });
  return { weight: ofType('REQUEST_WEIGHT')[0], requests: ofType('RAW_REQUESTS')[0], orders: ofType('ORDERS') };
}

/**
 * Parses the exchange information. Leaves out symbols without spot trading. A symbol whose entry is not as documented
 * is listed as `unreadable` with the cause; the others are parsed. Throws ExchangeError when the reply as a whole is
 * not as documented.
 */
export function parseExchangeInfo(body: unknown): ExchangeRules {
  const info = requireShape(exchangeInfo, body, 'the exchange information');
  return { symbols: info.symbols.flatMap(readEntry), limits: limitsOf(info.rateLimits) };
}

/** Empty for a symbol without spot trading, and for an entry without a name. */
function readEntry(body: unknown): SymbolRules[] {
  try {
    const entry = requireShape(symbolEntry, body, 'a symbol');
    return entry.isSpotTradingAllowed ? [rulesOf(entry)] : [];
  } catch (error) {
    const { success, data } = named.safeParse(body);
    if (!success || !data.isSpotTradingAllowed) return [];
    const problem = error instanceof Error ? error.message : String(error);
    return [unreadableRules({ ...data, problem })];
  }
}
