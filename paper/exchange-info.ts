import type { Decimal } from '#core/decimal.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { EXCHANGE_COUNTS, SYMBOL_COUNTS } from './count-filters.ts';
import { AVERAGE_MINUTES, ICEBERG_PARTS, MAX_NUM_ORDER_AMENDS, TRAILING_DELTA } from './filters.ts';
import { RATE_LIMITS } from './limits.ts';
import { PREVENTION_MODES } from './order.ts';
import { type SymbolMarket, statusOf } from './market/symbol-market.ts';
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
  exchangeFilters: EXCHANGE_FILTERS,
  symbols,
});

/** One coin of exchangeInfo. */
export const symbolInfo = (market: SymbolMarket): Record<string, unknown> => {
  const { rules, maxPosition } = market.listing;
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
    orderTypes: rules.orderTypes,
    icebergAllowed: true,
    ocoAllowed: true,
    otoAllowed: true,
    opoAllowed: false,
    quoteOrderQtyMarketAllowed: true,
    allowTrailingStop: true,
    cancelReplaceAllowed: true,
    amendAllowed: true,
    pegInstructionsAllowed: true,
    isSpotTradingAllowed: true,
    isMarginTradingAllowed: false,
    filters: filtersOf(rules, maxPosition),
    permissions: [],
    permissionSets: [['SPOT']],
    defaultSelfTradePreventionMode: 'NONE',
    allowedSelfTradePreventionModes: PREVENTION_MODES,
  };
};

export function filtersOf(rules: SymbolRules, maxPosition: Decimal | undefined): Record<string, unknown>[] {
  const { price, lot, marketLot, notional, band } = rules;
  const range = (one: typeof lot) => ({ minQty: fixed8(one.min), maxQty: fixed8(one.max), stepSize: fixed8(one.step) });
  return [
    {
      filterType: 'PRICE_FILTER',
      minPrice: fixed8(price.min),
      maxPrice: fixed8(price.max),
      tickSize: fixed8(price.tick),
    },
    { filterType: 'LOT_SIZE', ...range(lot) },
    { filterType: 'MARKET_LOT_SIZE', ...range(marketLot) },
    ...(band === null ? [] : [bandFilter(band)]),
    {
      filterType: 'NOTIONAL',
      minNotional: fixed8(notional.min),
      applyMinToMarket: notional.minAppliesToMarket,
      maxNotional: fixed8(notional.max),
      applyMaxToMarket: false,
      avgPriceMins: AVERAGE_MINUTES,
    },
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
    { filterType: 'MAX_NUM_ORDER_AMENDS', maxNumOrderAmends: MAX_NUM_ORDER_AMENDS },
    { filterType: 'MAX_NUM_ORDER_LISTS', maxNumOrderLists: SYMBOL_COUNTS.lists },
    ...(maxPosition === undefined ? [] : [{ filterType: 'MAX_POSITION', maxPosition: fixed8(maxPosition) }]),
  ];
}

const bandFilter = (band: NonNullable<SymbolRules['band']>): Record<string, unknown> => ({
  filterType: 'PERCENT_PRICE_BY_SIDE',
  bidMultiplierUp: fixed8(band.bidUp),
  bidMultiplierDown: fixed8(band.bidDown),
  askMultiplierUp: fixed8(band.askUp),
  askMultiplierDown: fixed8(band.askDown),
  avgPriceMins: AVERAGE_MINUTES,
});
