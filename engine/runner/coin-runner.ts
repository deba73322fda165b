import type { Trigger } from '#core/decision/audit.ts';
import type { Candle, Interval } from '#core/market/candle.ts';
import { type Decimal, formatDecimal } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import type { ActionOutcome } from '#core/order/operator-action.ts';
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
import { findOwnOrder, settleOrder } from '#engine/tick/settle.ts';
import { publishTick, tick } from '#engine/tick/tick.ts';

/** A coin that has just been opened decides nothing for so long while its candles are being read (wall ms). */
const CANDLES_WAIT_MS = 3_000;
/** A state is looked at so often where every tick repeats the one before. */
const STATE_EVERY_INTERVALS = 10;

/** An action as it is handed to the coin; `clientOrderId` is of the order that an earlier run committed for it. */
interface ActionInput extends Pick<CoinAction, 'id' | 'request' | 'deadlineMs'> {
  readonly clientOrderId: string | null;
}

/**
 * Serialises everything that happens to one coin: one job at a time, in order of arrival. Only price events replace price
 * events; candles, orders and operator changes never get lost.
 */
export interface CoinRunner {
  readonly coin: Coin;
  /** `fresh` is false for a price read while the stream is down: exits may use it, entries stay blocked by its age. */
  onPrice(price: Decimal, fresh: boolean): void;
  onCandle(interval: Interval, candle: Candle): void;
  /** Reads the candles that the coin starts with; resolves once they are read or could not be. Never rejects. */
  readCandles(): Promise<void>;
  /** The market stream is complete again: closed candles that it did not bring are read. */
  onStream(): void;
  onOrder(order: ExchangeOrder, fill: ExchangeFill | null): void;
  onProfile(profile: ProfileToRun): void;
  /** Kill switches were read again. */
  onHalts(): void;
  /** Ticks again without a new price. */
  nudge(trigger: Trigger): void;
  /** Runs a change in the coin's turn and ticks; rejects when the coin is closed before. */
  change(work: (coin: Coin) => Promise<void>): Promise<void>;
  /** Carries out what the operator asked for in the coin's turn; rejects when the coin is closed before it has ended. */
  act(input: ActionInput): Promise<ActionOutcome>;
  /** Watches an order until its outcome is certain. */
  watch(clientOrderId: string): void;
  /** The periodic timer: ticks when nothing else did since the last call, and keeps changed strategy state. */
  onTimer(): void;
  /** Takes nothing more, waits for the job in flight, then writes what is still open. */
  close(): Promise<void>;
}

/** Prices of other coins are used here, but not kept for others. */
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
    const sent = tick(coin, trigger, log);
    if (sent === undefined) watchLive(coin, watch);
    // What was sent may have changed the position: its stop is looked after at once.
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
  const candles = createCandleFeeds(coin, { inTurn: mailbox.push, onFed: () => runTick('candle') });
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

/** True until its first candles are read, could not be, or have taken too long: exits never wait for them. */
function createCandleWait(coin: Coin): () => boolean {
  const untilMs = performance.now() + CANDLES_WAIT_MS;
  let over = false;
  return () => {
    over ||= performance.now() >= untilMs || missingCandles(coin) === undefined || hasProblem(coin);
    return !over;
  };
}

const hasProblem = ({ sources }: Coin): boolean => sources.some(({ problem }) => problem !== null);

/** True when the profile was enabled or disabled. A position written while the coin was being opened is read again. */
async function applyProfile(coin: Coin, profile: ProfileToRun): Promise<boolean> {
  const switched = coin.profile.enabled !== profile.enabled;
  coin.profile = profile;
  const version = profile.symbols.find(({ symbol }) => symbol === coin.symbol)?.version ?? 0;
  if (version > coin.version)
    await takeStored(coin, await coin.context.ports.store.loadRunner(profile.id, coin.symbol));
  return switched;
}

const logUnsaved = ({ context, symbol }: Coin, err: unknown): void =>
  context.ports.log.warn({ event: 'state_not_kept', symbol, err }, 'Strategy state could not be kept');

/** Begins an action in the coin's turn; its ticks carry it out. */
function startAction(
  coin: Coin,
  mailbox: Mailbox,
  { clientOrderId, tick: runTick, ...input }: ActionInput & { readonly tick: () => Promise<void> | undefined },
): Promise<ActionOutcome> {
  const { promise, resolve } = Promise.withResolvers<ActionOutcome>();
  const begin = async (): Promise<void> => {
    coin.pendingAction = {
      ...input,
      requestedMs: performance.now(),
      order: await orderOf(coin, clientOrderId),
      finish: resolve,
    };
    await runTick();
  };
  return mailbox.until(mailbox.enqueue(begin).then(() => promise));
}

async function orderOf(coin: Coin, clientOrderId: string | null): Promise<LiveOrder | null> {
  if (clientOrderId === null) return null;
  const { account, ports } = coin.context;
  const live = coin.live.get(clientOrderId);
  const record = live?.record ?? (await ports.store.findOrderByClientId(account.id, clientOrderId));
  return live ?? (record === undefined ? null : liveOrderOf(record));
}

/** Settles what an event says of an order; `missing` while executions of it are still to come. */
async function applyOrderEvent(
  coin: Coin,
  order: ExchangeOrder,
  fill: ExchangeFill | null,
): Promise<'foreign' | 'missing' | 'settled'> {
  // What has been executed is booked, also of an order that no record knows; one that only rests may be an orphan.
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

/** Follows each order once at a time; what it finds is applied in the mailbox, then the coin ticks. */
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

/** Called at every beat: what ticks on prices change of a strategy's memory beyond its thresholds may wait a little. */
function createStateSaver(coin: Coin, log: { readonly changes: number }): () => void {
  // Each coin at intervals of its own: those of many coins at the same one would hold up prices.
  let [intervals, changesBefore] = [Number(fnv1a64(coin.symbol) % BigInt(STATE_EVERY_INTERVALS)), 0];
  return () => {
    intervals += 1;
    if (log.changes !== changesBefore || intervals % STATE_EVERY_INTERVALS === 0) noteState(coin);
    changesBefore = log.changes;
  };
}

/** Has the strategy's state kept with those of the other coins when it has changed since it was last kept. */
function noteState(coin: Coin): void {
  const text = JSON.stringify([coin.version, coin.instance.state()]);
  if (text === coin.savedState) return;
  coin.savedState = text;
  coin.context.unsaved.set(`${coin.profile.id}:${coin.symbol}`, toKeep(coin));
}

/** Writes the states that have been noted: one statement, however many coins. */
export async function saveStates({ unsaved, ports }: AccountContext): Promise<void> {
  const states = [...unsaved.values()];
  unsaved.clear();
  await ports.store.saveStrategyStates(states);
}
