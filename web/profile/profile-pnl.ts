import { add, type Decimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import type { Coin } from '#web/data/answers.ts';
import { coinView } from '#web/coin/coin-view.ts';

/** P&L of coins of one quote asset, net of all fees except the exit fee of open positions. */
interface ProfilePnl {
  readonly quote: string;
  /** Null while an open position has no price. */
  readonly total: Decimal | null;
  readonly realised: Decimal;
}

/** P&L of the coins that a profile has now, by quote asset. */
export function profilePnl(coins: readonly Coin[]): ProfilePnl[] {
  return [...Map.groupBy(coins, ({ quoteAsset }) => quoteAsset ?? '')].map(([quote, group]) => {
    const realised = group.map(({ position }) => requireDecimal(position.realised)).reduce(add, ZERO);
    const views = group.map(coinView);
    const isPriced = views.every(({ held, price }) => !held || price !== null);
    const unrealised = views.map(({ gain }) => gain ?? ZERO).reduce(add, ZERO);
    return { quote, realised, total: isPriced ? add(realised, unrealised) : null };
  });
}
