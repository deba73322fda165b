import type { SymbolMarket } from './market/symbol-market.ts';

/** Quote assets that smart order routing takes for one and the same. */
const INTERCHANGEABLE = ['USDT', 'USDC', 'FDUSD', 'TUSD', 'USDP'];

/** Coins whose books one order may take from. */
export interface Sor {
  readonly baseAsset: string;
  readonly symbols: readonly string[];
}

/** The coins of every base asset that has several with interchangeable quote assets. */
export function sorsOf(markets: Iterable<SymbolMarket>): Sor[] {
  const eligible = [...markets]
    .map((one) => one.listing.rules)
    .filter((one) => INTERCHANGEABLE.includes(one.quoteAsset));
  return [...Map.groupBy(eligible, (one) => one.baseAsset)]
    .filter(([, rules]) => rules.length > 1)
    .map(([baseAsset, rules]) => ({ baseAsset, symbols: rules.map((one) => one.symbol) }));
}

/** The other coins an order for `symbol` may take from; undefined where there is no routing. */
export const routesFrom = (sors: readonly Sor[], symbol: string): readonly string[] | undefined =>
  sors.find((one) => one.symbols.includes(symbol))?.symbols.filter((one) => one !== symbol);
