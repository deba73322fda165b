import type { SymbolRules } from '#core/market/symbol.ts';
import { EXCHANGE_COUNTS, SYMBOL_COUNTS } from '#paper/exchange/count-filters.ts';
import { AVERAGE_MINUTES, ICEBERG_PARTS, TRAILING_DELTA } from '#paper/exchange/filters.ts';
import { RATE_LIMITS } from './limits.ts';
import { listingNow, type SymbolMarket, statusOf } from '#paper/market/symbol-market.ts';
import type { Listing } from '#paper/market/source.ts';
import { FEATURES } from '#paper/market/terms.ts';
import { DEFAULT_PREVENTION } from '#paper/exchange/order.ts';
import { fixed8 } from './order-json.ts';

const PRECISION = 8;

export const EXCHANGE_FILTERS = [
  { filterType: 'EXCHANGE_MAX_NUM_ORDERS', maxNumOrders: EXCHANGE_COUNTS.orders },
  { filterType: 'EXCHANGE_MAX_NUM_ALGO_ORDERS', maxNumAlgoOrders: EXCHANGE_COUNTS.stops },
  { filterType: 'EXCHANGE_MAX_NUM_ICEBERG_ORDERS', maxNumIcebergOrders: EXCHANGE_COUNTS.icebergs },
  { filterType: 'EXCHANGE_MAX_NUM_ORDER_LISTS', maxNumOrderLists: EXCHANGE_COUNTS.lists },
] as const;

export const exchangeInfo = (
  symbols: readonly Record<string, unknown>[],
  serverTime: number,
): Record<string, unknown> => ({
  timezone: 'UTC',
  serverTime,
  rateLimits: RATE_LIMITS,
  // Empty, as the real exchange sends it. Strict clients reject unknown filter names. myFilters lists these filters.
  exchangeFilters: [],
  symbols,
});

/** One coin of exchangeInfo. */
export const symbolInfo = (market: SymbolMarket): Record<string, unknown> => {
  const { rules } = market.listing;
  const { terms } = market;
  return {
    symbol: rules.symbol,
    status: statusOf(market),
    baseAsset: rules.baseAsset,
    baseAssetPrecision: PRECISION,
    quoteAsset: rules.quoteAsset,
    quotePrecision: PRECISION,
    quoteAssetPrecision: PRECISION,
    baseCommissionPrecision: PRECISION,
    quoteCommissionPrecision: PRECISION,
    orderTypes: rules.orderTypes.filter((type) => !terms.lacks.includes(type)),
    ...Object.fromEntries(Object.keys(FEATURES).map((feature) => [feature, !terms.lacks.includes(feature)])),
    opoAllowed: false,
    amendAllowed: false,
    pegInstructionsAllowed: false,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: filtersOf(listingNow(market)),
    permissions: [],
    permissionSets: [terms.permissions],
    defaultSelfTradePreventionMode: DEFAULT_PREVENTION,
    allowedSelfTradePreventionModes: terms.preventions,
  };
};

export function filtersOf({ rules, maxPosition, isOlder = false }: Listing): Record<string, unknown>[] {
  const { price, lot, marketLot, band } = rules;
  const range = (lotRule: typeof lot) => ({
    minQty: fixed8(lotRule.min),
    maxQty: fixed8(lotRule.max),
    stepSize: fixed8(lotRule.step),
  });
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: fixed8(price.min),
      maxPrice: fixed8(price.max),
      tickSize: fixed8(price.tick),
    },
    { filterType: 'LOT_SIZE', ...range(lot) },
    { filterType: 'MARKET_LOT_SIZE', ...range(marketLot) },
    ...(band === null ? [] : [bandFilter(band, isOlder)]),
    notionalFilter(rules.notional, isOlder),
    { filterType: 'ICEBERG_PARTS', limit: ICEBERG_PARTS },
    {
      filterType: 'TRAILING_DELTA',
      minTrailingAboveDelta: TRAILING_DELTA.above.min,
      maxTrailingAboveDelta: TRAILING_DELTA.above.max,
      minTrailingBelowDelta: TRAILING_DELTA.below.min,
      maxTrailingBelowDelta: TRAILING_DELTA.below.max,
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: SYMBOL_COUNTS.orders },
    { filterType: 'MAX_NUM_ALGO_ORDERS', maxNumAlgoOrders: SYMBOL_COUNTS.stops },
    { filterType: 'MAX_NUM_ICEBERG_ORDERS', maxNumIcebergOrders: SYMBOL_COUNTS.icebergs },
    { filterType: 'MAX_NUM_ORDER_LISTS', maxNumOrderLists: SYMBOL_COUNTS.lists },
    ...(maxPosition === undefined ? [] : [{ filterType: 'MAX_POSITION', maxPosition: fixed8(maxPosition) }]),
  ];
}

function bandFilter(band: NonNullable<SymbolRules['band']>, isOlder: boolean): Record<string, unknown> {
  const avgPriceMins = AVERAGE_MINUTES;
  const [up, down] = [fixed8(band.bidUp), fixed8(band.bidDown)];
  if (isOlder) return { filterType: 'PERCENT_PRICE', multiplierUp: up, multiplierDown: down, avgPriceMins };
  const bid = { bidMultiplierUp: up, bidMultiplierDown: down };
  const ask = { askMultiplierUp: fixed8(band.askUp), askMultiplierDown: fixed8(band.askDown) };
  return { filterType: 'PERCENT_PRICE_BY_SIDE', ...bid, ...ask, avgPriceMins };
}

function notionalFilter({ min, max, minAppliesToMarket }: SymbolRules['notional'], isOlder: boolean) {
  const [minNotional, avgPriceMins] = [fixed8(min), AVERAGE_MINUTES];
  if (isOlder) return { filterType: 'MIN_NOTIONAL', minNotional, applyToMarket: minAppliesToMarket, avgPriceMins };
  const most = { maxNotional: fixed8(max), applyMaxToMarket: false };
  return { filterType: 'NOTIONAL', minNotional, applyMinToMarket: minAppliesToMarket, ...most, avgPriceMins };
}
