import { add, type Decimal, multiply, ZERO } from '#core/amount/decimal.ts';
import type { AccountEvent, MarketEvent, MarketStream } from '#core/ports/exchange.ts';
import { rulesFor, type SymbolRules } from '#core/market/symbol.ts';
import { type AccountContext, createAccountContext } from '#engine/state/account-context.ts';
import { type CoinRunner, isWatched, saveStates } from '#engine/runner/coin-runner.ts';
import { createResetWatch, type ResetWatch } from './epoch.ts';
import { endsRun } from '#engine/state/ends-run.ts';
import { DISCOUNT_ASSET } from '#engine/state/fee-prices.ts';
import { createSnapshotBuffer } from './snapshot-buffer.ts';
import { createRunningCoins, type RunningCoins } from './roster.ts';
import { createReconciler, type Reconciler } from './reconcile-account.ts';
import { openStreamState } from './stream-state.ts';
import { createRestPrices } from './rest-prices.ts';
import { wait } from '#engine/state/wait.ts';
import type { AccountRun } from './account-run.ts';

const TIMER_MS = 1_000;

const COINS_A_TURN = 50;

const LOOK_EVERY_INTERVALS = 20;
/** While a buy waits on the exchange: a fill of it that the stream did not report is a position without a stop. */
const LOOK_AT_BUYS_EVERY_INTERVALS = 5;

const HALTS_EVERY_INTERVALS = 2;

/** A change of a limit or a pause is reported by a command; the account's own buys and fills are counted at once. */
const LIMITS_EVERY_INTERVALS = 4;

const CLOCK_EVERY_INTERVALS = 60;

const PROFILES_EVERY_INTERVALS = 30;

/** An hour: rules and phases of coins change without notice. */
const RULES_EVERY_INTERVALS = 3_600;

/** Doubted balances are read at most this often (wall ms). */
const BALANCES_EVERY_MS = 5_000;

/** Doubted rules are read at most this often (wall ms). */
const DOUBTED_EVERY_MS = 10_000;

/** Pause after a failed read of the rules; doubled after each further one, up to DOUBTED_EVERY_MS. */
const RULES_RETRY_MS = 1_000;

const NOT_TRADING_EVERY_INTERVALS = 20;

/**
 * Runs one account until `signal` aborts (resolves) or a fault ends it (rejects). All of its state can be rebuilt: the
 * caller starts it again, and every start is a recovery.
 */
export async function runAccount(run: AccountRun): Promise<void> {
  const ended = new AbortController();
  // Not AbortSignal.any: every price reads `aborted`, and a combined signal has to read all of its sources.
  const { signal } = ended;
  const stop = (): void => ended.abort(run.signal.reason);
  run.signal.addEventListener('abort', stop);
  if (run.signal.aborted) stop();
  const faults: unknown[] = [];
  const fail = (error: unknown): void => {
    if (!signal.aborted) faults.push(error);
    ended.abort();
  };
  const { account, fencing, keyStatus, ports, timing, isKeyRefusal } = run;
  const context = createAccountContext({ account, fencing, keyStatus, ports, timing, isKeyRefusal, fail, signal });
  try {
    await trade(context, run);
  } finally {
    run.signal.removeEventListener('abort', stop);
    ended.abort();
  }
  if (faults.length > 0) throw faults[0];
}

async function trade(context: AccountContext, run: AccountRun): Promise<void> {
  const { ports, signal } = context;
  await ports.market.clock.sync();
  const rules = await readFirstRules(context, run);
  const coins = createRunningCoins(context, run, rules);
  context.positionValue = (quoteAsset) => positionValueOf(coins.all(), quoteAsset);
  const buffer = createSnapshotBuffer();
  const reconciler = createReconciler(context, coins, () => refreshWallet(context, run));
  const resets = createResetWatch(context);

  // Subscribe first, read afterwards: events in between wait in the buffer.
  await using accountStream = ports.openAccountStream((event) => buffer.receive(event));
  // A refused key appears as a stream that does not connect: a signed call returns the cause.
  await buffer.connected(signal).catch(async (error: unknown) => {
    await ports.trading.wallet();
    throw error;
  });
  await refreshWallet(context, run);
  context.fees.thirdAsset = await ports.store.newestThirdFee(context.account.id);
  refreshFeePrices(context);
  await judgeReset(context, resets);
  coins.setRules(rulesFor(context.permissions, rules));
  await readHalts(context);
  context.orphans = await ports.store.orphanLocks(context.account.id);
  await coins.refresh();
  await reconciler.checkOpenOrders().catch((error: unknown) => onUnread(context, error));
  buffer.open((event) => onAccountEvent(context, { event, coins, run, reconciler, resets }));

  const stream = openStreamState();
  await using market = ports.openMarketStream((event) => {
    if (event.kind === 'connected' || event.kind === 'disconnected') stream.note(event.kind);
    onMarketEvent(context, { coins, onPrice: run.onPrice }, event);
  });
  market.update(coins.wanted());
  const refreshProfiles = async (): Promise<void> => {
    context.orphans = await ports.store.orphanLocks(context.account.id);
    await coins.refresh();
    market.update(coins.wanted());
  };
  run.onRunning({
    context,
    coins,
    refreshProfiles,
    refreshHalts: () => refreshHalts(context, coins),
    reportedStream: stream.reported,
  });
  try {
    let isLooking = false;
    const look = async (): Promise<void> => {
      // A slow exchange must not be read twice at once, nor the stream renewed twice for one order.
      if (isLooking) return;
      isLooking = true;
      try {
        await judgeReset(context, resets);
        await reconciler.look((cause) => accountStream.renew(cause));
      } finally {
        isLooking = false;
      }
    };
    await runTimer(context, { coins, run, refreshProfiles, look, market, streamConnected: stream.isConnected });
  } finally {
    await coins.close();
  }
}

/** Exits must not wait for rules: the previous rules are almost always right, and they are read again soon. */
async function readFirstRules(context: AccountContext, run: AccountRun): Promise<readonly SymbolRules[]> {
  try {
    const rules = await context.ports.market.rules();
    run.onRules(rules);
    return rules;
  } catch (error) {
    const kept = await run.keptRules?.();
    if (kept === undefined) throw error;
    warn(context, 'rules_not_read', error);
    Object.assign(context.rules, { doubted: true, failures: 1, readMs: performance.now() });
    return kept;
  }
}

interface TimerInput {
  readonly coins: RunningCoins;
  readonly run: AccountRun;
  readonly refreshProfiles: () => Promise<void>;
  /** Compares the account with the events of its stream. */
  readonly look: () => Promise<void>;
  readonly market: MarketStream;
  readonly streamConnected: () => boolean;
}

/**
 * Once a second: ticks silent coins, reads prices that the stream does not deliver, and reads wallet and halts again.
 */
async function runTimer(
  context: AccountContext,
  { coins, run, refreshProfiles, look, market, streamConnected }: TimerInput,
): Promise<void> {
  const restPrices = createRestPrices(context, { stream: market, streamConnected, onPrice: run.onPrice });
  for (let interval = 1; !context.signal.aborted; interval++) {
    await wait(TIMER_MS, context.signal);
    if (context.signal.aborted) return;
    await tickCoins(context, coins);
    await saveStates(context);
    restPrices.refresh(coins.all());
    if (areBalancesDue(context)) void refreshWallet(context, run).catch((error: unknown) => onUnread(context, error));
    refreshFeePrices(context);
    if (areRulesDue(context, coins, interval)) {
      await refreshRules(context, { coins, run, refreshProfiles });
    }
    if (interval % PROFILES_EVERY_INTERVALS === 0 || coins.isRetryDue()) await refreshProfiles();
    if (interval % HALTS_EVERY_INTERVALS === 0) {
      context.halts = await context.ports.store.halts();
      if (interval % LIMITS_EVERY_INTERVALS === 0) await context.risk.poll();
      for (const runner of coins.all()) runner.onHalts();
    }
    if (interval % CLOCK_EVERY_INTERVALS === 0)
      await context.ports.market.clock.sync().catch((error: unknown) => warn(context, 'clock_not_read', error));
    const lookEvery = doesBuyWait(coins) ? LOOK_AT_BUYS_EVERY_INTERVALS : LOOK_EVERY_INTERVALS;
    if (interval % lookEvery === 0) void look().catch((error: unknown) => onUnread(context, error));
  }
}

function doesBuyWait(coins: RunningCoins): boolean {
  for (const { coin } of coins.all())
    for (const { record } of coin.live.values())
      if (record.side === 'buy' && record.exchangeOrderId !== null) return true;
  return false;
}

/** Ticks many coins in groups, so that a price that arrives meanwhile does not wait for all of them. */
async function tickCoins({ signal }: AccountContext, coins: RunningCoins): Promise<void> {
  let nth = 0;
  for (const runner of coins.all()) {
    runner.onTimer();
    nth += 1;
    if (nth % COINS_A_TURN === 0) await wait(0, signal);
    if (signal.aborted) return;
  }
}

const areBalancesDue = ({ balances: { doubted, readMs } }: AccountContext): boolean =>
  doubted && performance.now() - readMs >= BALANCES_EVERY_MS;

function areRulesDue(context: AccountContext, coins: RunningCoins, interval: number): boolean {
  if (interval % RULES_EVERY_INTERVALS === 0) return true;
  const { doubted, readMs, failures } = context.rules;
  const pauseMs = failures === 0 ? DOUBTED_EVERY_MS : Math.min(RULES_RETRY_MS * 2 ** (failures - 1), DOUBTED_EVERY_MS);
  if (doubted && performance.now() - readMs >= pauseMs) return true;
  return (
    interval % NOT_TRADING_EVERY_INTERVALS === 0 && [...coins.all()].some(({ coin }) => coin.rules.status !== 'TRADING')
  );
}

/** Reopens a coin whose rules or status changed; its orders and state stay. */
async function refreshRules(
  context: AccountContext,
  { coins, run, refreshProfiles }: Pick<TimerInput, 'coins' | 'run' | 'refreshProfiles'>,
): Promise<void> {
  context.rules.readMs = performance.now();
  const rules = await context.ports.market.rules().catch((error: unknown) => {
    warn(context, 'rules_not_read', error);
    return undefined;
  });
  const isRead = rules !== undefined;
  context.rules.doubted = !isRead;
  context.rules.failures = isRead ? 0 : context.rules.failures + 1;
  if (!isRead) return;
  run.onRules(rules);
  coins.setRules(rulesFor(context.permissions, rules));
  await refreshProfiles();
}

async function refreshHalts(context: AccountContext, coins: RunningCoins): Promise<void> {
  await readHalts(context);
  for (const runner of coins.all()) {
    runner.onHalts();
    runner.nudge('operator');
  }
}

/** Reads kill switches first: they bind even when the limits cannot be read. */
async function readHalts(context: AccountContext): Promise<void> {
  context.halts = await context.ports.store.halts();
  await context.risk.refresh();
}

async function refreshWallet(context: AccountContext, run: AccountRun): Promise<void> {
  const { balances, ports } = context;
  balances.readMs = performance.now();
  const { wallet, takerFee, makerFee, permissions } = await ports.trading.wallet();
  balances.doubted = false;
  context.wallet.replace(wallet);
  context.fees.taker = takerFee;
  context.fees.maker = makerFee;
  context.permissions = permissions;
  run.onWallet(wallet, takerFee);
}

/** Reads fee prices only when the account holds the discount asset. */
function refreshFeePrices({ wallet, feePrices }: AccountContext): void {
  if (wallet.total(DISCOUNT_ASSET) > 0n) feePrices.refresh();
}

interface AccountEventInput {
  readonly event: AccountEvent;
  readonly coins: RunningCoins;
  readonly run: AccountRun;
  readonly reconciler: Reconciler;
  readonly resets: ResetWatch;
}

function onAccountEvent(context: AccountContext, { event, coins, run, reconciler, resets }: AccountEventInput): void {
  if (event.kind === 'balances') {
    context.wallet.merge(event.balances, event.at);
    const wallet = context.wallet.snapshot();
    if (wallet !== null) run.onWallet(wallet, context.fees.taker);
    for (const runner of coins.all()) if (runner.coin.guard.unprotected !== null) runner.nudge('order');
    return;
  }
  if (event.kind === 'order') {
    for (const runner of coins.of(event.order.symbol)) runner.onOrder(event.order, event.fill);
    return;
  }
  if (event.kind === 'disconnected') {
    warn(context, 'account_stream_lost', event.cause);
    return;
  }
  // Connected again: the engine reads everything that happened meanwhile from the exchange.
  resets.suspect();
  judgeReset(context, resets)
    .then(() => reconciler.catchUp())
    .catch((error: unknown) => onUnread(context, error));
  for (const runner of coins.all()) for (const id of runner.coin.live.keys()) runner.watch(id);
}

function onMarketEvent(
  context: AccountContext,
  { coins, onPrice }: Pick<AccountRun, 'onPrice'> & { readonly coins: RunningCoins },
  event: MarketEvent,
): void {
  if (event.kind === 'price') {
    context.lastEventMs = Math.max(context.lastEventMs, event.atMs);
    const runners = coins.of(event.symbol);
    for (const runner of runners) runner.onPrice(event.price, true);
    if (runners.some(isWatched)) onPrice(event);
  } else if (event.kind === 'candle') {
    if (!event.candle.closed) return;
    context.lastEventMs = Math.max(context.lastEventMs, event.candle.closeMs);
    for (const runner of coins.of(event.symbol)) runner.onCandle(event.interval, event.candle);
  } else if (event.kind === 'disconnected') {
    warn(context, 'market_stream_lost', event.cause);
  } else {
    for (const runner of coins.all()) runner.onStream();
  }
}

/** Checks for a reset. When the exchange does not answer, nothing waits: the next check tries again. */
async function judgeReset(context: AccountContext, resets: ResetWatch): Promise<void> {
  await resets.look().catch((error: unknown) => {
    if (endsRun(error)) throw error;
    warn(context, 'reset_not_judged', error);
  });
}

/** Handles a failed read: logs it, because a later read follows, or ends the run when the error requires it. */
function onUnread(context: AccountContext, error: unknown): void {
  if (endsRun(error) || context.isKeyRefusal(error)) context.fail(error);
  else warn(context, 'account_not_read', error);
}

const warn = (context: AccountContext, event: string, err: unknown): void =>
  context.ports.log.warn(
    { event, accountId: context.account.id, err },
    `Account ${context.account.name}: ${event.replaceAll('_', ' ')}`,
  );

/** Value of the positions at their last price, or at cost while no price is known. */
function positionValueOf(runners: Iterable<CoinRunner>, quoteAsset: string): Decimal {
  let value = ZERO;
  for (const { coin } of runners) {
    if (coin.position.quantity === ZERO || coin.rules.quoteAsset !== quoteAsset) continue;
    value = add(value, multiply(coin.position.quantity, coin.price ?? coin.position.averagePrice));
  }
  return value;
}
