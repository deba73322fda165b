/** Assets of which a little is much; every other is written with two decimals. */
const PLACES: ReadonlyMap<string, number> = new Map([
  ['BTC', 8],
  ['ETH', 6],
  ['BNB', 5],
]);

/** Decimals with which an amount of a quote asset is written for a person. */
export const moneyPlaces = (asset: string | null | undefined): number => PLACES.get(asset ?? '') ?? 2;
