import { z } from 'zod';
import { type Decimal, readDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules, SymbolStatus } from '#core/market/symbol.ts';
import type { Listing } from './source.ts';

const STATUSES: readonly SymbolStatus[] = ['TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY'];
const INTERVAL_MS = 60_000;

const filter = z.looseObject({ filterType: z.string() });
const entry = z.object({
  symbol: z.string(),
  status: z.string(),
  baseAsset: z.string(),
  quoteAsset: z.string(),
  orderTypes: z.array(z.string()),
  filters: z.array(filter),
});
export const relayedInfo = z.object({ symbols: z.array(entry) });
type Entry = z.output<typeof entry>;

/** A coin with a status that this exchange does not know is halted. */
export const statusOfEntry = ({ status }: Pick<Entry, 'status'>): SymbolStatus =>
  STATUSES.find((known) => known === status) ?? 'HALT';

/** A coin as another exchange lists it; undefined for one without a grid of prices and quantities. */
export function listingOfEntry(listed: Entry): Listing | undefined {
  const member = (type: string, name: string): unknown =>
    listed.filters.find((filter) => filter.filterType === type)?.[name];
  const read = (type: string, name: string): Decimal => readDecimal(String(member(type, name) ?? '0')) ?? ZERO;
  const range = (type: string): SymbolRules['lot'] => ({
    ...{ step: read(type, 'stepSize'), min: read(type, 'minQty'), max: read(type, 'maxQty') },
  });
  const [tick, lot] = [read('PRICE_FILTER', 'tickSize'), range('LOT_SIZE')];
  if (tick <= 0n || lot.step <= 0n) return undefined;
  const isNotional = member('NOTIONAL', 'minNotional') !== undefined;
  const maxPosition = read('MAX_POSITION', 'maxPosition');
  return {
    rules: {
      symbol: listed.symbol,
      status: statusOfEntry(listed),
      baseAsset: listed.baseAsset,
      quoteAsset: listed.quoteAsset,
      orderTypes: listed.orderTypes,
      price: { tick, min: read('PRICE_FILTER', 'minPrice'), max: read('PRICE_FILTER', 'maxPrice') },
      lot,
      marketLot: range('MARKET_LOT_SIZE'),
      notional: {
        min: read(isNotional ? 'NOTIONAL' : 'MIN_NOTIONAL', 'minNotional'),
        max: read('NOTIONAL', 'maxNotional'),
        minAppliesToMarket: isNotional
          ? member('NOTIONAL', 'applyMinToMarket') === true
          : member('MIN_NOTIONAL', 'applyToMarket') === true,
      },
      band: bandOf(read, member),
    },
    intervalMs: INTERVAL_MS,
    grid: { tickUnits: Math.round(toNumber(tick) * 1e8), stepUnits: Math.round(toNumber(lot.step) * 1e8) },
    ...(maxPosition > 0n ? { maxPosition } : {}),
  };
}

function bandOf(
  read: (type: string, name: string) => Decimal,
  member: (type: string, name: string) => unknown,
): SymbolRules['band'] {
  const BY_SIDE = 'PERCENT_PRICE_BY_SIDE';
  if (member(BY_SIDE, 'bidMultiplierUp') === undefined) return null;
  const [bidUp, bidDown] = [read(BY_SIDE, 'bidMultiplierUp'), read(BY_SIDE, 'bidMultiplierDown')];
  return { bidUp, bidDown, askUp: read(BY_SIDE, 'askMultiplierUp'), askDown: read(BY_SIDE, 'askMultiplierDown') };
}
