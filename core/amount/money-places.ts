/** Assets with a high unit value. All others are shown with two decimals. */
const PLACES: ReadonlyMap<string, number> = new Map([
  ['BTC', 8],
  ['ETH', 6],
  ['BNB', 5],
]);

/** Decimals for the display of an amount of a quote asset. */
export const moneyPlaces = (asset: string | null | undefined): number => PLACES.get(asset ?? '') ?? 2;
