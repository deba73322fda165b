import { type Decimal, formatDecimal, multiply, ZERO } from '#core/amount/decimal.ts';
import { dearestPrice } from '#core/judge/entry.ts';
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
 * The runner of a coin, or the reason why there is none. `cannot` needs the operator; after `later` the caller tries
 * again. The caller reports the reason once in the profile's log.
 */
type CoinPlan =
  | { readonly kind: 'run'; readonly runner: CoinRunner }
  | { readonly kind: 'cannot' | 'later'; readonly reason: string };

interface CoinSource {
  readonly profile: ProfileToRun;
  readonly symbol: string;
  readonly rules: SymbolRules | undefined;
  readonly strategy: AnyStrategy | undefined;
  /** The account's orders that are not final, read after the previous runner of this coin was closed. */
  readonly liveOrders: readonly OrderRecord[];
}

/**
 * Builds the in-memory state of one coin from stored state: position, strategy state, and open orders, which are
 * watched until their outcome is certain. feed-candle.ts reads the candles later. Start, restart and takeover use the
 * same path.
 */
export async function openCoin(context: AccountContext, source: CoinSource): Promise<CoinPlan> {
  const { profile, symbol, rules, strategy, liveOrders } = source;
  if (strategy === undefined)
    return { kind: 'cannot', reason: `There is no strategy named "${profile.strategyName}".` };
  if (rules === undefined) return { kind: 'cannot', reason: `The exchange does not list ${symbol}.` };
  if (rules.status === 'unreadable' && rules.lot.step === ZERO)
    return { kind: 'cannot', reason: `Its trading rules could not be read. ${rules.problem ?? ''}`.trim() };
  const plans = strategy.plansBaskets === true;
  const config = plans ? profile.config : mergedConfig(profile, symbol);
  await strategy.prepare?.(config);
  const bound = strategy.bind(config);
  const stored = await context.ports.store.loadRunner(profile.id, symbol);
  const levels = await context.ports.store.levelFills(profile.id, symbol);
  const coin = createCoin({ context, profile, rules, bound, stored, levels });
  const runner = createCoinRunner(coin);
  adoptLiveOrders(coin, liveOrders);
  await reserveUnknownBuys(coin);
  if (!stored.reconciled) {
    // Without parsable settings the ownership of open orders is not proved: they stay orphans.
    const proves = strategy.config.safeParse(mergedConfig(profile, symbol)).success;
    const failure = await reconcile(coin, proves).then(() => null, causeUnlessFatal);
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

/** A buy that an earlier run left without an answer may still arrive: until its outcome is known, no other buy may spend its money. */
async function reserveUnknownBuys(coin: Coin): Promise<void> {
  const { context, live, rules } = coin;
  for (const { record } of live.values()) {
    if (record.side !== 'buy' || record.exchangeOrderId !== null) continue;
    context.wallet.reserve(record.id, rules.quoteAsset, await mostOf(coin, record));
  }
}

/** The most that a buy may cost; without a price everything, since the coin must open for its exits. */
async function mostOf({ context, rules, symbol }: Coin, { form, quantity }: OrderRecord): Promise<Decimal> {
  const price = 'price' in form ? form.price : await context.ports.market.price(symbol).catch(causeUnlessFatal);
  return typeof price === 'string'
    ? context.wallet.total(rules.quoteAsset)
    : multiply(quantity, dearestPrice(form, price));
}

/** Recovers orders that a restored backup does not know: first executions, in their order, then resting orders. */
async function reconcile(coin: Coin, proves: boolean): Promise<void> {
  await bookMissedOrders(coin);
  if (!proves) return;
  await adoptOpenOrders(coin);
  await coin.context.ports.store.markReconciled(coin.profile.id, coin.symbol);
}

/** An exchange that does not answer affects this coin alone; other errors end the run. */
function causeUnlessFatal(error: unknown): string {
  if (endsRun(error)) throw error;
  return error instanceof Error ? error.message : String(error);
}

/**
 * Loads stored orders that are not final. An order without acknowledgement counts as possibly sent. It may have
 * replaced a stop: that stop counts as resting only after a query later than the last moment of the cancel.
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
