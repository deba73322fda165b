import type { Candle } from '#core/candle.ts';
import { formatDecimal, ZERO } from '#core/decimal.ts';
import { certainFrom } from '#core/order-timing.ts';
import type { OrderRecord } from '#core/order.ts';
import type { ProfileToRun } from '#core/ports.ts';
import type { SymbolRules } from '#core/symbol.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { AccountContext } from './account-context.ts';
import { type Coin, createCoin, liveOrderOf, mergedConfig } from './coin.ts';
import { type CoinRunner, createCoinRunner } from './coin-runner.ts';
import { feedClosed } from './feed-candle.ts';
import { bookMissedOrders } from './missed-orders.ts';

/** A coin of a profile that cannot run, and why: told once in the profile's log by the caller. */
export type CoinPlan =
  | { readonly kind: 'run'; readonly runner: CoinRunner }
  | { readonly kind: 'cannot'; readonly reason: string };

export interface CoinSource {
  readonly profile: ProfileToRun;
  readonly symbol: string;
  readonly rules: SymbolRules | undefined;
  readonly strategy: AnyStrategy | undefined;
  /** The account's orders that are not final, read when nothing of this coin ran any more. */
  readonly liveOrders: readonly OrderRecord[];
}

/**
 * Builds the working memory of one coin from stored facts: position and strategy state from the store, warm-up candles
 * from the exchange, open orders to be watched until they are proven. The same path serves start, restart and takeover.
 */
export async function openCoin(context: AccountContext, source: CoinSource): Promise<CoinPlan> {
  const { profile, symbol, rules, strategy, liveOrders } = source;
  if (strategy === undefined)
    return { kind: 'cannot', reason: `There is no strategy named "${profile.strategyName}".` };
  if (rules === undefined) return { kind: 'cannot', reason: `The exchange does not list ${symbol}.` };
  if (rules.status === 'unreadable' && rules.lot.step === ZERO)
    return { kind: 'cannot', reason: `Its trading rules could not be read. ${rules.problem ?? ''}`.trim() };
  const plans = strategy.plansBaskets === true;
  const bound = strategy.bind(plans ? profile.config : mergedConfig(profile, symbol));
  const stored = await context.ports.store.loadRunner(profile.id, symbol);
  const levels = await context.ports.store.levelFills(profile.id, symbol);
  const coin = createCoin({ context, profile, rules, bound, stored, levels });
  const runner = createCoinRunner(coin);
  adoptLiveOrders(coin, liveOrders);
  const candles = await warmUp(coin);
  if (!stored.compared) {
    await bookMissedOrders(coin);
    await context.ports.store.noteCompared(profile.id, symbol);
  }
  const last = candles.at(-1);
  context.ports.log.info(
    {
      event: 'coin_opened',
      profileId: profile.id,
      symbol,
      candles: candles.length,
      lastClose: last?.close ?? null,
      position: formatDecimal(coin.position.quantity),
      liveOrders: coin.live.size,
    },
    `${symbol} of profile ${profile.name} is ready`,
  );
  for (const clientOrderId of coin.live.keys()) runner.watch(clientOrderId);
  return { kind: 'run', runner };
}

/** Loads the candles of every interval the coin lives on; returns those of its strategy. */
async function warmUp(coin: Coin): Promise<readonly Candle[]> {
  const { market } = coin.context.ports;
  const loaded = coin.sources.map(async (source) => {
    const limit = Math.min(source.want + 1, 1_000);
    return { source, candles: await market.candles({ symbol: coin.symbol, interval: source.interval, limit }) };
  });
  const all = await Promise.all(loaded);
  for (const { source, candles } of all)
    for (const candle of candles) if (candle.closed) feedClosed(coin, source, candle);
  return all[0]?.candles ?? [];
}

/**
 * Orders stored as not final: those the exchange never acknowledged count as possibly sent. Such an order may have been to
 * replace a stop, which counts as resting only once the exchange has said so after the last moment of its cancel.
 */
function adoptLiveOrders(coin: Coin, liveOrders: readonly OrderRecord[]): void {
  const { ports, timing } = coin.context;
  let cancelUntilMs = ports.market.clock.protocolMs() - 1;
  for (const record of liveOrders) {
    if (record.profileId !== coin.profile.id || record.symbol !== coin.symbol) continue;
    const certainAtMs = record.exchangeOrderId === null ? certainFrom(record.sendBeforeMs, timing) : null;
    coin.live.set(record.clientOrderId, { ...liveOrderOf(record), certainAtMs });
    cancelUntilMs = Math.max(cancelUntilMs, certainAtMs ?? 0);
  }
  for (const live of coin.live.values()) if (live.certainAtMs === null) live.cancelUntilMs = cancelUntilMs;
}
