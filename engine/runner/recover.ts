import { formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { certainFrom } from '#core/order/order-timing.ts';
import type { OrderRecord } from '#core/order/order.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { AccountContext } from '#engine/state/account-context.ts';
import { type Coin, createCoin, liveOrderOf, mergedConfig } from '#engine/state/coin.ts';
import { type CoinRunner, createCoinRunner } from './coin-runner.ts';
import { endsRun } from '#engine/state/ends-run.ts';
import { adoptOpenOrders, bookMissedOrders } from './missed-orders.ts';

/**
 * The runner of a coin, or why there is none: `cannot` needs the operator, `later` is tried again. The caller reports
 * the reason once in the profile's log.
 */
type CoinPlan =
  | { readonly kind: 'run'; readonly runner: CoinRunner }
  | { readonly kind: 'cannot' | 'later'; readonly reason: string };

interface CoinSource {
  readonly profile: ProfileToRun;
  readonly symbol: string;
  readonly rules: SymbolRules | undefined;
  readonly strategy: AnyStrategy | undefined;
  /** The account's orders that are not final, read when nothing of this coin ran any more. */
  readonly liveOrders: readonly OrderRecord[];
}

/**
 * Builds the working memory of one coin from stored facts: position and strategy state, open orders to be watched until
 * they are proven. Its candles are read later (feed-candle.ts). The same path serves start, restart and takeover.
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
  if (!stored.reconciled) {
    // Settings that cannot be parsed prove no ownership: open orders stay orphans until they can.
    const proves = strategy.config.safeParse(mergedConfig(profile, symbol)).success;
    const failure = await compare(coin, proves).then(() => null, causeUnlessFatal);
    if (failure !== null) return { kind: 'later', reason: `Its past and open orders could not be read (${failure}).` };
  }
  context.ports.log.info(
    {
      event: 'coin_opened',
      profileId: profile.id,
      symbol,
      position: formatDecimal(coin.position.quantity),
      liveOrders: coin.live.size,
    },
    `${symbol} of profile ${profile.name} is ready`,
  );
  for (const clientOrderId of coin.live.keys()) runner.watch(clientOrderId);
  return { kind: 'run', runner };
}

/** What a restored backup does not know: executions first, in their order, then what still rests. */
async function compare(coin: Coin, proves: boolean): Promise<void> {
  await bookMissedOrders(coin);
  if (!proves) return;
  await adoptOpenOrders(coin);
  await coin.context.ports.store.markReconciled(coin.profile.id, coin.symbol);
}

/** An exchange that does not answer is the trouble of this coin alone. */
function causeUnlessFatal(error: unknown): string {
  if (endsRun(error)) throw error;
  return error instanceof Error ? error.message : String(error);
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
