import { basketCoin, type BasketCoin, type BasketTurn, createBasket } from '#core/sizing/basket.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { toNumber, ZERO } from '#core/amount/decimal.ts';
import { PRICE_AGE_LIMIT_MS } from '#core/judge/checks.ts';
import { baseFeeRate } from '#engine/state/base-fee.ts';
import { type Coin, missingCandles } from '#engine/state/coin.ts';

/**
 * The basket plan of the profile for this coin at this tick; null for a strategy without plans. Called once per tick.
 */
export function basketTurn(coin: Coin): BasketTurn | null {
  const { bound, profile, context, symbol, rules, view } = coin;
  const { planner } = bound;
  if (planner === undefined) return null;
  const coins = coin.siblings();
  const config = JSON.stringify(profile.config);
  const known = context.baskets.get(profile.id);
  const entry = known?.config === config ? known : { config, basket: createBasket(planner) };
  const { basket } = entry;
  if (entry !== known) {
    context.baskets.set(profile.id, entry);
    basket.planMs = Math.max(0, ...coins.map(({ instance }) => instance.ranking?.planMs() ?? 0));
  }
  const unopened = profile.symbols.filter((member) => !coins.some((running) => running.symbol === member.symbol));
  const turn = basket.turn(symbol, view.nowMs, {
    coins: [
      ...coins.map((running) => coinOf(running, rules.quoteAsset)),
      ...unopened.map((member) => absent(member.symbol)),
    ],
    freeQuote: toNumber(context.wallet.free(rules.quoteAsset, performance.now())),
    takerFee: context.fees.taker,
  });
  coin.instance.ranking?.planned(basket.planMs);
  return turn;
}

function coinOf(coin: Coin, quoteAsset: string): BasketCoin {
  const { rules, position, instance, bound, sources, context } = coin;
  const score = instance.ranking?.score() ?? null;
  return basketCoin({
    position,
    rules,
    price: coin.price ?? ZERO,
    baseFeeRate: baseFeeRate(context, rules),
    score,
    closedMs: (sources[0]?.lastOpenMs ?? 0) + INTERVAL_MS[bound.needs.interval],
    lacks: lackOf(coin, { score, quoteAsset }),
    settled: coin.live.size === 0,
  });
}

function lackOf(coin: Coin, { score, quoteAsset }: { score: number | null; quoteAsset: string }): string | null {
  if (coin.price === null || performance.now() - coin.priceSeenMs > PRICE_AGE_LIMIT_MS) return 'a fresh price';
  if (coin.rules.status !== 'TRADING') return 'an open market';
  if (coin.rules.quoteAsset !== quoteAsset) return `a price in ${quoteAsset}`;
  return score === null || missingCandles(coin) !== undefined ? 'enough candles' : null;
}

/** The entry for a coin of the profile that does not run. */
const absent = (symbol: string): BasketCoin => ({
  ...{ symbol, quantity: 0, price: 0, step: 1, minSell: 0, minBuy: 0, score: null },
  ...{ closedMs: 0, lacks: 'a running coin', settled: true },
});
