import { type Decimal, formatFixed } from '#core/amount/decimal.ts';
import { referenceOf } from '#paper/market/reference.ts';
import { type SymbolMarket, statusOf } from '#paper/market/symbol-market.ts';
import { fixed8 } from './order-json.ts';
import { finishParams, type Params, requireSymbol } from './params.ts';
import { readStatus, readSymbols, requireMarket, requireStatus } from './read-symbols.ts';
import { deny } from '#paper/exchange/refusal.ts';
import { publicQuery, type PublicRoute } from './routes.ts';
import type { Venue } from '#paper/exchange/venue.ts';

const ALL_WEIGHT = 40;
const RULE_DECIMALS = 4;

/** Execution rules, and the reference prices that they use. */
export const referenceRoutes = (venue: Venue): PublicRoute[] => [
  publicQuery(venue, ['executionRules', 'executionRules', rulesWeight], listRules),
  publicQuery(venue, ['referencePrice', 'referencePrice', 2], (_, params) => {
    const market = readMarket(venue, params);
    return referenceJson(market, requireReference(market, venue.clock.nowMs()));
  }),
  publicQuery(venue, ['referencePrice/calculation', 'referencePrice.calculation', 2], (_, params) =>
    describeCalculation(readMarket(venue, params)),
  ),
];

function rulesWeight(params: Params): number {
  const symbols = params.values.get('symbols')?.split(',').length;
  return params.values.has('symbol') ? 2 : Math.min(ALL_WEIGHT, symbols === undefined ? ALL_WEIGHT : 2 * symbols);
}

function listRules(venue: Venue, params: Params): unknown {
  const wanted = readSymbols(params);
  const status = readStatus(params);
  finishParams(params);
  if (wanted !== undefined && status !== undefined) deny(-1128, 'Combination of optional parameters invalid.');
  const markets = (wanted?.symbols ?? [...venue.markets.keys()]).map((symbol) => requireMarket(venue, symbol));
  return { symbolRules: markets.filter((market) => status === undefined || statusOf(market) === status).map(rulesOf) };
}

/** The price range rule of a coin. Bounds that it does not have are absent. */
function rulesOf({ listing, terms: { range } }: SymbolMarket): Record<string, unknown> {
  const bounds: readonly (readonly [string, Decimal | null])[] = [
    ['bidLimitMultUp', range.bidUp],
    ['bidLimitMultDown', range.bidDown],
    ['askLimitMultUp', range.askUp],
    ['askLimitMultDown', range.askDown],
  ];
  const set = bounds.flatMap(([name, value]) => (value === null ? [] : [[name, formatFixed(value, RULE_DECIMALS)]]));
  const rules = set.length === 0 ? [] : [{ ruleType: 'PRICE_RANGE', ...Object.fromEntries(set) }];
  return { symbol: listing.rules.symbol, rules };
}

function readMarket(venue: Venue, params: Params): SymbolMarket {
  const symbol = requireSymbol(params);
  const status = readStatus(params);
  finishParams(params);
  const market = requireMarket(venue, symbol);
  requireStatus(market, status);
  return market;
}

type Reference = NonNullable<ReturnType<typeof referenceOf>>;

const NO_REFERENCE = "This symbol doesn't have a reference price.";
const requireReference = (market: SymbolMarket, nowMs: number): Reference =>
  referenceOf(market, nowMs) ?? deny(-2043, NO_REFERENCE);

const referenceJson = ({ listing }: SymbolMarket, { price, atMs }: Reference): Record<string, unknown> => ({
  symbol: listing.rules.symbol,
  referencePrice: price === null ? null : fixed8(price),
  timestamp: atMs,
});

function describeCalculation({ listing, terms: { reference } }: SymbolMarket): unknown {
  const { symbol } = listing.rules;
  if (reference.kind === 'none') return deny(-2043, NO_REFERENCE);
  if (reference.kind === 'external')
    return { symbol, calculationType: 'EXTERNAL', externalCalculationId: reference.id };
  const { bucketCount, bucketWidthMs } = reference;
  return { symbol, calculationType: 'ARITHMETIC_MEAN', bucketCount, bucketWidthMs };
}
