import type { Trigger } from '#core/decision/audit.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import { type Decimal, formatDecimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { ActionOutcome } from '#core/order/operator-action.ts';
import type { PendingSignal } from '#core/order/signal.ts';
import { fnv1a64, isLiveOrder } from '#core/order/order.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { AccountContext } from '#engine/state/account-context.ts';
import { cancelEntries, entriesToCancel } from './cancel-entries.ts';
import { type Coin, isCertain, liveOrderOf, missingCandles, takeStored, toKeep } from '#engine/state/coin.ts';
import type { LiveOrder } from '#engine/state/live-order.ts';
import type { CoinAction } from '#engine/state/operator-request.ts';
import { createDecisionLog, type DecisionLog } from '#engine/tick/decision-log.ts';
import { createCandleFeeds } from './feed-candle.ts';
import { createMailbox, type Mailbox } from './mailbox.ts';
import { adoptOrder } from './missed-orders.ts';
import { resolveOrder } from '#engine/tick/resolve.ts';
import { takeSignal } from '#engine/tick/signal.ts';
import { findOwnOrder, settleOrder } from '#engine/tick/settle.ts';
import { publishTick } from '#engine/tick/tick.ts';
import { tracedTick } from '#engine/tick/traced-tick.ts';

/** A new coin makes no decision for at most this long while its first candles are read (wall ms). */
const CANDLES_WAIT_MS = 3_000;
/** Timer intervals between two checks of the strategy state while every tick repeats the one before. */
const STATE_EVERY_INTERVALS = 10;

/** Input of an action; `clientOrderId` names the order that an earlier run committed for it. */
interface ActionInput extends Pick<CoinAction, 'id' | 'request' | 'deadlineMs'> {
  readonly clientOrderId: string | null;
}

/**
 * Serialises all events of one coin: one job at a time, in order of arrival. A newer price replaces a waiting price.
 * Candles, orders and operator changes are never dropped.
 */
export interface CoinRunner {
  readonly coin: Coin;
  /** `fresh` is false for a price read while the stream is down: exits may use it, its age still blocks entries. */
  onPrice(price: Decimal, fresh: boolean): void;
  onCandle(interval: Interval, candle: Candle): void;
  /** Reads the first candles; resolves once they are read or the read failed. Never rejects. */
  readCandles(): Promise<void>;
  /** The market stream is complete again: reads the closed candles that it missed. */
  onStream(): void;
  onOrder(order: ExchangeOrder, fill: ExchangeFill | null): void;
  onProfile(profile: ProfileToRun): void;
  /** The kill switches were read again. */
  onHalts(): void;
  /** A recorded signal that waits for its order. */
  onSignal(signal: PendingSignal): void;
  /** Ticks again without a new price. */
  nudge(trigger: Trigger): void;
  /** Runs a change in the coin's queue, then ticks; rejects when the coin is closed first. */
  change(work: (coin: Coin) => Promise<void>): Promise<void>;
  /** Executes an operator request in the coin's queue; rejects when the coin is closed before the request has ended. */
  act(input: ActionInput): Promise<ActionOutcome>;
  /** Watches an order until its outcome is certain. */
  watch(clientOrderId: string): void;
  /** The periodic timer: ticks when nothing else did since the last call, and stores changed strategy state. */
  onTimer(): void;
  /** Accepts no more jobs, waits for the job in flight, then writes pending records and state. */
  close(): Promise<void>;
}

/** Only prices of watched coins are published to other parts of the worker. */
export const isWatched = ({ coin: { profile, position } }: CoinRunner): boolean =>
  profile.enabled || position.quantity > 0n;

export function createCoinRunner(coin: Coin): CoinRunner {
  const { fail, signal } = coin.context;
  const log = decisionLogOf(coin);
  const saveState = createStateSaver(coin, log);
  let [ticks, ticksAtTimer] = [0, 0];
  const waitsForCandles = createCandleWait(coin);
  const runTick = (trigger: Trigger): Promise<void> | undefined => {
    ticks += 1;
    if (waitsForCandles()) return undefined;
    const sent = tracedTick(coin, trigger, log);
    if (sent === undefined) watchLive(coin, watch);
    // The order may have changed the position: the next tick updates its stop at once.
    return sent?.then(() => {
      mailbox.push(() => runTick('order'));
      watchLive(coin, watch);
    });
  };
  const seeOrder = async (order: ExchangeOrder, fill: ExchangeFill | null): Promise<void> => {
    const seen = await applyOrderEvent(coin, order, fill);
    if (seen === 'missing') watch(order.clientOrderId);
    if (seen !== 'foreign') await runTick('order');
  };
  const mailbox = createMailbox({ coalesced: () => runTick('price'), fail, signal });
  const candles = createCandleFeeds(coin, { inTurn: mailbox.push, onFed: () => afterAnswers(coin, runTick) });
  const watch = createWatch(coin, mailbox, () => mailbox.push(() => runTick('order')));

  return {
    coin,
    watch,
    onPrice(price, fresh) {
      coin.price = price;
      if (fresh) coin.priceSeenMs = performance.now();
      mailbox.coalesce();
    },
    onCandle: (interval, candle) => candles.take(interval, candle),
    readCandles: () => candles.read(),
    onStream: () => void candles.read(),
    onOrder: (order, fill) => mailbox.push(() => seeOrder(order, fill)),
    onProfile(profile) {
      mailbox.push(async () => {
        if (await applyProfile(coin, profile)) await runTick('operator');
      });
    },
    onHalts() {
      if (entriesToCancel(coin).length > 0) mailbox.push(() => cancelEntries(coin));
    },
    change: (work) =>
      mailbox.until(mailbox.enqueue(() => work(coin))).then(() => mailbox.push(() => runTick('operator'))),
    act: (input) => startAction(coin, mailbox, { ...input, tick: () => runTick('operator') }),
    onSignal: (signal) => mailbox.push(() => (takeSignal(coin, signal) ? runTick('external') : undefined)),
    nudge: (trigger) => mailbox.push(() => runTick(trigger)),
    onTimer() {
      const silent = ticks === ticksAtTimer;
      candles.readDue();
      if (silent) mailbox.push(() => runTick('timer'));
      mailbox.push(() => {
        ticksAtTimer = ticks;
        saveState();
      });
    },
    async close() {
      await mailbox.close();
      coin.context.deferred.drain();
      log.flush();
      noteState(coin);
      await saveStates(coin.context).catch((err: unknown) => logUnsaved(coin, err));
    },
  };
}

/** Ticks once the strategy has answered about its candles: at once, or when it runs in another process. */
function afterAnswers(coin: Coin, runTick: (trigger: Trigger) => Promise<void> | undefined): Promise<void> | undefined {
  const answers = coin.instance.settle?.(coin.view);
  return answers === undefined ? runTick('candle') : answers.then(() => runTick('candle'));
}

/** True until the first candles are read, have failed, or have taken too long: exits never wait longer for them. */
function createCandleWait(coin: Coin): () => boolean {
  const untilMs = performance.now() + CANDLES_WAIT_MS;
  let over = false;
  return () => {
    over ||= performance.now() >= untilMs || missingCandles(coin) === undefined || hasProblem(coin);
    return !over;
  };
}

const hasProblem = ({ sources }: Coin): boolean => sources.some(({ problem }) => problem !== null);

/**
 * Returns true when the profile was enabled or disabled. Reads a position again that was written while the coin opened.
 */
async function applyProfile(coin: Coin, profile: ProfileToRun): Promise<boolean> {
  const switched = coin.profile.enabled !== profile.enabled;
  coin.profile = profile;
  const version = profile.symbols.find(({ symbol }) => symbol === coin.symbol)?.version ?? 0;
  if (version > coin.version)
    await takeStored(coin, await coin.context.ports.store.loadRunner(profile.id, coin.symbol));
  return switched;
}

const logUnsaved = ({ context, symbol }: Coin, err: unknown): void =>
  context.ports.log.warn({ event: 'state_not_kept', symbol, err }, 'Strategy state could not be stored');

/** Starts an action in the coin's queue; the following ticks execute it. */
function startAction(
  coin: Coin,
  mailbox: Mailbox,
  { clientOrderId, tick: runTick, ...input }: ActionInput & { readonly tick: () => Promise<void> | undefined },
): Promise<ActionOutcome> {
  const { promise, resolve } = Promise.withResolvers<ActionOutcome>();
  const start = async (): Promise<void> => {
    coin.pendingAction = {
      ...input,
      requestedMs: performance.now(),
      order: await orderOf(coin, clientOrderId),
      finish: resolve,
    };
    await runTick();
  };
  return mailbox.until(mailbox.enqueue(start).then(() => promise));
}

async function orderOf(coin: Coin, clientOrderId: string | null): Promise<LiveOrder | null> {
  if (clientOrderId === null) return null;
  const { account, ports } = coin.context;
  const live = coin.live.get(clientOrderId);
  const record = live?.record ?? (await ports.store.findOrderByClientId(account.id, clientOrderId));
  return live ?? (record === undefined ? null : liveOrderOf(record));
}

/** Applies an order event; returns `missing` while executions of the order are still missing. */
async function applyOrderEvent(
  coin: Coin,
  order: ExchangeOrder,
  fill: ExchangeFill | null,
): Promise<'foreign' | 'missing' | 'settled'> {
  // Fills are recorded even for an order without a record; an order without fills may be an orphan.
  const live = await (order.filledQuantity > 0n ? adoptOrder(coin, order) : findOwnOrder(coin, order.clientOrderId));
  if (live === undefined) return 'foreign';
  const { state, exchangeOrderId } = order;
  const filledQuantity = formatDecimal(order.filledQuantity);
  const detail = { state, exchangeOrderId, filledQuantity, tradeId: fill?.tradeId ?? null };
  coin.context.ports.records.evidence({ orderId: live.record.id, kind: 'event', at: new Date(), detail });
  const complete = await settleOrder(coin, live, { order, fills: fill === null ? [] : [fill] });
  if (isLiveOrder(live.record.state)) coin.live.set(live.record.clientOrderId, live);
  return complete ? 'settled' : 'missing';
}

/** Runs at most one lookup per order; results are applied in the mailbox, then the coin ticks. */
function createWatch(coin: Coin, mailbox: Mailbox, onResolved: () => void): (clientOrderId: string) => void {
  const watched = new Set<string>();
  return (clientOrderId) => {
    const live = coin.live.get(clientOrderId);
    if (live === undefined || watched.has(clientOrderId)) return;
    watched.add(clientOrderId);
    resolveOrder(coin, live, (job) => mailbox.enqueue(job))
      .then(onResolved)
      .catch(coin.context.fail)
      .finally(() => watched.delete(clientOrderId));
  };
}

function decisionLogOf(coin: Coin): DecisionLog {
  const { records } = coin.context.ports;
  return createDecisionLog(
    { write: (row) => records.log(row), publish: (audit) => publishTick(coin, audit) },
    coin.bound.reasons,
  );
}

function watchLive(coin: Coin, watch: CoinRunner['watch']): void {
  for (const live of coin.live.values()) if (!isCertain(live)) watch(live.record.clientOrderId);
}

/** Called at every timer interval. State changes from quiet price ticks may wait for a few intervals. */
function createStateSaver(coin: Coin, log: { readonly changes: number }): () => void {
  // Each coin gets its own offset: many coins in the same interval would delay prices.
  let [intervals, changesBefore] = [Number(fnv1a64(coin.symbol) % BigInt(STATE_EVERY_INTERVALS)), 0];
  return () => {
    intervals += 1;
    if (log.changes !== changesBefore || intervals % STATE_EVERY_INTERVALS === 0) noteState(coin);
    changesBefore = log.changes;
  };
}

/** Marks the strategy state for storage when it has changed since it was last marked. */
function noteState(coin: Coin): void {
  const text = JSON.stringify([coin.version, coin.instance.state()]);
  if (text === coin.savedState) return;
  coin.savedState = text;
  coin.context.unsaved.set(`${coin.profile.id}:${coin.symbol}`, toKeep(coin));
}

/** Stores all marked states in one statement. */
export async function saveStates({ unsaved, ports }: AccountContext): Promise<void> {
  const states = [...unsaved.values()];
  unsaved.clear();
  await ports.store.saveStrategyStates(states);
}
