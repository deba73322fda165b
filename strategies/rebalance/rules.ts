import type { BasketCoin, BasketPlan, BasketView, Leg, Planner } from '#core/sizing/basket.ts';
import type { Numbers } from '#core/decision/decision.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { CASH_BUFFER } from '#core/sizing/sizing.ts';
import { readFactor } from '#strategies/fields.ts';
import { percentText } from '#strategies/grid-text.ts';
import { type Config, fitRanking } from './config.ts';

const BUFFER = 1 + toNumber(CASH_BUFFER);
/** Assumed slippage of a planned sale, until it has filled. */
const SLIP = 0.999;

const money = (value: number): string => value.toFixed(2);
/** Tolerance for a whole number of lots with float error. */
const wholeLots = (quantity: number, step: number): number => Math.floor(quantity / step + 1e-9);

/** Target share of each coin in the basket. A tie goes to the first coin by name. */
function weightsOf(config: Config, coins: readonly BasketCoin[]): ReadonlyMap<string, number> {
  const { weightMode, targets } = config;
  const momentum = fitRanking(config);
  if (weightMode === 'fixed') return new Map(targets.map(({ symbol, weight }) => [symbol, readFactor(weight)]));
  const least = momentum.minScore === '' ? Number.NEGATIVE_INFINITY : readFactor(momentum.minScore);
  const held = Math.min(momentum.topK, coins.length);
  const ranked = coins
    .map(({ symbol, score }) => ({ symbol, score: score ?? Number.NEGATIVE_INFINITY }))
    .toSorted((a, b) => b.score - a.score || (a.symbol < b.symbol ? -1 : 1));
  return new Map(
    ranked
      .slice(0, held)
      .filter(({ score }) => score >= least)
      .map(({ symbol }) => [symbol, 1 / momentum.topK]),
  );
}

interface Frame {
  readonly config: Config;
  readonly weights: ReadonlyMap<string, number>;
  readonly total: number;
}

/** Difference of a coin from its share, and the trade that corrects it; null without a trade. */
function judge(
  coin: BasketCoin,
  { config, weights, total }: Frame,
): { readonly drift: number; readonly leg: Leg | null } {
  const { symbol, price, step, minSell, minBuy, quantity } = coin;
  const weight = weights.get(symbol) ?? 0;
  const value = quantity * price;
  const delta = weight * total - value;
  const drift = Math.abs(delta) / total;
  const numbers: Numbers = { symbol, value: money(value), target: money(weight * total), drift: percentText(drift) };
  const held = wholeLots(quantity, step);
  if (weight === 0 && value >= minSell) {
    const leg: Leg = { symbol, side: 'sell', reason: 'plan-rotate-exit', lots: held, quote: value, numbers };
    return { drift, leg };
  }
  const least = Math.max(readFactor(config.minTradeQuote), delta < 0 ? minSell : minBuy);
  if (drift < readFactor(config.driftThreshold) || Math.abs(delta) < least) return { drift, leg: null };
  const sells = delta < 0;
  const lots = sells ? Math.min(held, wholeLots(-delta / price, step)) : 0;
  const side = sells ? 'sell' : 'buy';
  return { drift, leg: { symbol, side, reason: 'plan-rebalance', lots, quote: Math.abs(delta), numbers } };
}

function plan(config: Config, { coins, freeQuote, takerFee }: BasketView): BasketPlan {
  const worth = coins.reduce((sum, { quantity, price }) => sum + quantity * price, 0);
  const cash = Math.min(freeQuote, Math.max(0, readFactor(config.basketBudgetQuote) - worth));
  const total = worth + cash;
  if (total <= 0) return { reason: 'plan-empty-basket', numbers: {}, legs: [], cash };
  const frame: Frame = { config, weights: weightsOf(config, coins), total };
  const judged = coins.map((coin) => ({ coin, ...judge(coin, frame) }));
  const shares = new Map(coins.map(({ symbol }) => [symbol, (frame.weights.get(symbol) ?? 0) * total]));
  const legs = judged.flatMap(({ leg }) => (leg === null ? [] : [leg]));
  const [worst] = judged.toSorted((a, b) => b.drift - a.drift);
  const numbers = {
    total: money(total),
    cash: money(cash),
    maxDrift: percentText(worst?.drift ?? 0),
    furthest: worst?.coin.symbol ?? null,
    threshold: percentText(readFactor(config.driftThreshold)),
  };
  if (legs.length === 0) return { reason: 'plan-within-drift', numbers, legs, cash, shares };
  const sold = judged.flatMap(({ coin, leg }) =>
    leg?.side === 'sell' ? [leg.lots * coin.step * coin.price * (1 - takerFee) * SLIP] : [],
  );
  const expects = { ...numbers, legs: legs.length, proceeds: money(sold.reduce((sum, value) => sum + value, 0)) };
  if (!config.enabled) return { reason: 'plan-dry', numbers: expects, legs: [], cash, shares };
  return { reason: 'plan-rebalance', numbers: expects, legs, cash, shares };
}

/** Scales all buys by one factor. While the smallest is too small for its coin, it is dropped; among equals the last one. */
function fit(buys: readonly Leg[], available: number, coins: readonly BasketCoin[]): Leg[] {
  const leastOf = (symbol: string): number => coins.find((coin) => coin.symbol === symbol)?.minBuy ?? 0;
  let kept = [...buys];
  for (;;) {
    const sum = kept.reduce((total, { quote }) => total + quote, 0);
    const factor = sum > 0 ? Math.min(1, available / (sum * BUFFER)) : 0;
    const [smallest] = kept.toSorted((a, b) => a.quote - b.quote || (a.symbol < b.symbol ? 1 : -1));
    if (smallest === undefined) return [];
    // A buy reserves a buffer for price moves, which the available cash above includes.
    if (smallest.quote * factor * BUFFER >= leastOf(smallest.symbol))
      return kept.map((leg) => ({ ...leg, quote: leg.quote * factor * BUFFER }));
    kept = kept.filter((leg) => leg !== smallest);
  }
}

export const plannerOf = (config: Config): Planner => ({ plan: (basket) => plan(config, basket), fit });
