import { totalOf } from '#core/position/cost-basis.ts';
import { add, type Decimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import type { EquityOf } from './sizing-check.ts';
import type { CachedWallet, Prices, Rules } from '#api/frame/venues.ts';

interface Worth {
  readonly rules: Rules | undefined;
  readonly prices: Prices;
  /** Undefined without a recent wallet. */
  readonly wallet: CachedWallet | undefined;
  /** Positions of all profiles of the account. */
  readonly positions: readonly { readonly symbol: string; readonly quantity: string; readonly averagePrice: string }[];
}

/** The equity that the engine sizes entries with: the quote asset and the positions in it, at cost without a price. */
export const equityOf =
  ({ rules, prices, wallet, positions }: Worth): EquityOf =>
  (quoteAsset) => {
    const cash = wallet === undefined ? undefined : totalOf(wallet.balances, quoteAsset);
    if (cash === undefined) return undefined;
    return positions
      .filter(({ symbol }) => rules?.get(symbol)?.quoteAsset === quoteAsset)
      .map(({ symbol, quantity, averagePrice }): Decimal => {
        const price = prices.get(symbol)?.price ?? requireDecimal(averagePrice);
        return multiply(requireDecimal(quantity), price);
      })
      .reduce(add, cash);
  };
