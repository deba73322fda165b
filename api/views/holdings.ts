import { add, type Decimal, divide, multiply, readDecimal, ZERO } from '#core/amount/decimal.ts';
import type { CachedWallet, Prices, Rules } from '#api/frame/venues.ts';

/** Default quote assets when no coin is bound, most common first. */
const USUAL_QUOTES = ['USDT', 'USDC', 'FDUSD', 'EUR', 'BTC'];

/**
 * Reporting asset of an account: the quote asset of most of its coins, else a common quote asset in its wallet, else null.
 */
export function mainQuoteAsset(
  symbols: readonly string[],
  rules: Rules | undefined,
  wallet: CachedWallet | undefined,
): string | null {
  const counts = new Map<string, number>();
  for (const symbol of symbols) {
    const quote = rules?.get(symbol)?.quoteAsset;
    if (quote !== undefined) counts.set(quote, (counts.get(quote) ?? 0) + 1);
  }
  const [most] = [...counts].toSorted((a, b) => b[1] - a[1]);
  if (most !== undefined) return most[0];
  return USUAL_QUOTES.find((asset) => wallet?.balances[asset] !== undefined) ?? null;
}

/** Value of `amount` of an asset in `quote` at cached prices; undefined without a price in either direction. */
function valueIn(
  quote: string,
  { asset, amount }: { asset: string; amount: Decimal },
  prices: Prices,
): Decimal | undefined {
  if (asset === quote || amount === 0n) return amount;
  const direct = prices.get(`${asset}${quote}`);
  if (direct !== undefined) return multiply(amount, direct.price);
  const inverse = prices.get(`${quote}${asset}`);
  return inverse === undefined || inverse.price === 0n ? undefined : divide(amount, inverse.price);
}

interface Holding {
  readonly asset: string;
  readonly free: Decimal;
  readonly locked: Decimal;
  readonly value: Decimal | undefined;
}

/** Balances with their value; invalid amounts are left out. */
export function holdingsOf(wallet: CachedWallet, quote: string | null, prices: Prices): Holding[] {
  return Object.entries(wallet.balances).flatMap(([asset, balance]) => {
    const free = readDecimal(balance.free);
    const locked = readDecimal(balance.locked);
    if (free === undefined || locked === undefined) return [];
    const value = quote === null ? undefined : valueIn(quote, { asset, amount: add(free, locked) }, prices);
    return [{ asset, free, locked, value }];
  });
}

/** Total value of all holdings that have a price. */
const equityOf = (holdings: readonly Holding[]): Decimal =>
  holdings.reduce((sum, { value }) => (value === undefined ? sum : add(sum, value)), ZERO);

interface AccountMoney {
  readonly wallet: CachedWallet | undefined;
  readonly quoteAsset: string | null;
  readonly prices: Prices;
  readonly rules: Rules | undefined;
  /** Coins that enabled profiles of the account trade. */
  readonly traded: readonly string[];
}

/** Total equity of an account; undefined without a wallet, and while a traded coin that it holds has no price. */
export function knownEquity({ wallet, quoteAsset, prices, rules, traded }: AccountMoney): Decimal | undefined {
  if (wallet === undefined || quoteAsset === null) return undefined;
  const holdings = holdingsOf(wallet, quoteAsset, prices);
  // A partial sum would be wrong: without a worker a traded coin has no price.
  const assets = new Set(traded.map((symbol) => rules?.get(symbol)?.baseAsset));
  const isPriced = holdings.every(({ asset, value }) => value !== undefined || !assets.has(asset));
  return isPriced ? equityOf(holdings) : undefined;
}
