import { add, type Decimal, fromSteps, subtract, toSteps, ZERO } from '#core/amount/decimal.ts';
import type { Interval } from '#core/market/candle.ts';
import { createGates, gateNeeds, type Gates } from '#core/decision/gates.ts';
import { openView, type TickView, viewPosition } from '#core/judge/view.ts';
import type { LevelFill } from '#core/position/levels.ts';
import { fnv1a64, type OrderRecord } from '#core/order/order.ts';
import type { RunnerState, StateToKeep } from '#core/ports/store.ts';
import type { PendingSignal } from '#core/order/signal.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { Position } from '#core/position/position.ts';
import { readStoredState, type StoredState } from '#core/position/strategy-state.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { isObject, mergePatch } from '#core/merge.ts';
import { type BoundStrategy, gridOf, type StrategyInstance } from '#strategies/strategy.ts';
import { type AccountContext, marketMs } from './account-context.ts';
import { baseFeeRate } from './base-fee.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { CoinAction } from './operator-request.ts';
import { createGuard, type Guard } from './guard.ts';
import type { LiveOrder } from './live-order.ts';
import type { OrderTrace } from './order-trace.ts';

/** Market time that jumps back further than this means a restarted replay, not a clock correction. */
const BACKWARDS_MS = 3_600_000;

/** A stored order with the state that the run tracks. */
export const liveOrderOf = (record: OrderRecord): LiveOrder => ({
  record,
  applied: record.filledQuantity,
  reported: record.filledQuantity,
  unvaluedFee: false,
  cancelUntilMs: null,
  certainAtMs: null,
});

/** In-memory state of one (profile, symbol). All of it can be rebuilt from the store and the exchange. */
export interface Coin {
  readonly context: AccountContext;
  readonly symbol: string;
  readonly rules: SymbolRules;
  readonly bound: BoundStrategy;
  readonly instance: StrategyInstance;
  readonly view: TickView;
  readonly breaker: Breaker;
  readonly guard: Guard;
  /** Gates that must agree before a buy; null when none is set. */
  readonly gates: Gates | null;
  /** The candles that it needs: those of its strategy first, then those of its gates. */
  readonly sources: readonly CandleSource[];
  /** Hash of strategy and merged config. */
  readonly settings: string;
  readonly live: Map<string, LiveOrder>;
  /** Client ids of orders settled during this run: repeated events of them need no database query. */
  readonly settled: Set<string>;
  profile: ProfileToRun;
  position: Position;
  /** Fills of the buy levels in the present cycle. */
  levels: readonly LevelFill[];
  version: number;
  price: Decimal | null;
  /** performance.now() of the last price; the age of a price is measured on this clock. */
  priceSeenMs: number;
  savedState: string;
  /** The operator's action that the coin has not finished. */
  pendingAction: CoinAction | null;
  /** The recorded signal that waits for its answer. */
  signal: CoinSignal | null;
  /** The id of the last signal that was answered: it may still be read as pending. */
  answeredSignal: string | null;
  /** The last stored reason why the signal has no order yet. */
  refusedSignal: string | null;
  /** Finding of the last position sweep; only a second sweep in a row acts on it. */
  doubt: { readonly kind: 'phantom' | 'drift'; readonly sweep: string } | null;
  /** The trace of the orders of the present tick; null between ticks and while traces are off. */
  trace: OrderTrace | null;
  /** The running coins of its profile, including itself: a basket plan reads all of them. */
  siblings: () => readonly Coin[];
}

interface CoinSignal extends PendingSignal {
  /** performance.now() when it was read. */
  readonly readMs: number;
}

interface CoinInput {
  readonly context: AccountContext;
  readonly profile: ProfileToRun;
  readonly rules: SymbolRules;
  readonly bound: BoundStrategy;
  readonly stored: RunnerState;
  readonly levels: readonly LevelFill[];
}

/** One interval of closed candles, with the newest that the coin has received. */
export interface CandleSource {
  readonly interval: Interval;
  readonly want: number;
  lastOpenMs: number;
  /** True once the first candles are read: from then on the coin receives each candle that closes. */
  complete: boolean;
  /** Why the last read failed, and when the next attempt is (wall time). */
  problem: { readonly cause: string; readonly nextAt: Date } | null;
}

/** The first candles that the coin has not read yet: until then it buys nothing. */
export const missingCandles = ({ sources }: Coin): CandleSource | undefined =>
  sources.find(({ complete }) => !complete);

function sourcesOf({ needs, shared }: BoundStrategy): CandleSource[] {
  const gates = shared.gates === undefined ? [] : gateNeeds(shared.gates);
  const own = gates.find(({ interval }) => interval === needs.interval);
  const all = [{ interval: needs.interval, want: Math.max(needs.want, own?.want ?? 0) }, ...gates];
  return all
    .filter((source) => source !== own)
    .map(({ interval, want }) => ({
      ...{ interval, want, lastOpenMs: 0 },
      ...{ complete: false, problem: null },
    }));
}

/** The stored config merged with the coin's override; not parsed. */
export const mergedConfig = (profile: ProfileToRun, symbol: string): Record<string, unknown> =>
  mergePatch(profile.config, profile.symbols.find((member) => member.symbol === symbol)?.overrideConfig ?? {});

export function createCoin({ context, profile, rules, bound, stored, levels }: CoinInput): Coin {
  const saved = usableState(readStoredState(stored.strategyState), marketMs(context));
  const instance = bound.create(gridOf(rules), saved?.instance);
  const coin: Coin = {
    context,
    symbol: rules.symbol,
    rules,
    bound,
    instance,
    view: openView(),
    breaker: createBreaker(),
    guard: createGuard(),
    gates: bound.shared.gates === undefined ? null : createGates(bound.shared.gates),
    sources: sourcesOf(bound),
    settings: fnv1a64(JSON.stringify([profile.strategyName, mergedConfig(profile, rules.symbol)])).toString(36),
    live: new Map(),
    settled: new Set(),
    profile,
    position: stored.position,
    levels,
    version: stored.version,
    price: null,
    priceSeenMs: Number.NEGATIVE_INFINITY,
    savedState: '',
    pendingAction: null,
    trace: null,
    signal: null,
    answeredSignal: null,
    refusedSignal: null,
    doubt: null,
    siblings: () => [coin],
  };
  refreshView(coin);
  const seen = saved?.lastFillAt ?? null;
  const last = stored.position.lastFillAt?.toISOString() ?? null;
  if (last !== null && last !== seen) instance.onFill(stored.position.firstBuyAt === null ? 'sell' : 'buy', coin.view);
  return coin;
}

/** A replay that restarts at an earlier time must not continue with state of a later time. */
const usableState = (saved: StoredState | undefined, nowMs: number): StoredState | undefined =>
  saved === undefined || saved.atMs > nowMs + BACKWARDS_MS ? undefined : saved;

export const stateToStore = (coin: Coin): StoredState => ({
  v: 1,
  atMs: marketMs(coin.context),
  lastFillAt: coin.position.lastFillAt?.toISOString() ?? null,
  instance: coin.instance.state(),
});

/** The strategy state to store now. */
export const toKeep = (coin: Coin): StateToKeep => ({
  profileId: coin.profile.id,
  symbol: coin.symbol,
  version: coin.version,
  state: stateToStore(coin),
});

/** Fills the reused view with current values. */
export function refreshView(coin: Coin): void {
  const { view, position, rules, context } = coin;
  view.nowMs = marketMs(context);
  view.price = coin.price === null ? 0 : Math.round(toSteps(coin.price, rules.price.tick));
  view.priceAgeMs = performance.now() - coin.priceSeenMs;
  viewPosition(view, {
    ...{ position, levels: coin.levels, rules, terms: coin.bound.shared },
    baseFeeRate: () => baseFeeRate(context, rules),
  });
  const waits = waitingEntry(coin);
  view.entryOrderOpen = hasLive(coin, ({ side }) => side === 'buy');
  view.waiting = waits === undefined ? null : waitingView(coin, waits);
  view.regime = coin.gates?.regime ?? 2;
  view.ratingSells = coin.gates?.sells(view.nowMs) ?? false;
  view.exitOrderOpen = hasLive(coin, ({ purpose }) => purpose === 'exit');
  view.signal = signalNow(coin);
  view.takerFee = context.fees.taker;
  view.makerFee = context.fees.maker;
  view.readable = coin.bound.readable;
}

/** The signal as the strategy sees it. One that has become too old is dropped. */
function signalNow(coin: Coin): TickView['signal'] {
  if (coin.signal === null) return null;
  const { action, key, inlet, ageMs, validMs, readMs } = coin.signal;
  const passedMs = performance.now() - readMs;
  if (passedMs < validMs) return { action, key, inlet, ageMs: ageMs + passedMs };
  coin.signal = null;
  return null;
}

/**
 * Applies a position that was stored without a fill. The strategy receives it like a fill, so that its levels restart.
 * Call it only within the coin's queue.
 */
export async function takeStored(coin: Coin, stored: Pick<RunnerState, 'position' | 'version'>): Promise<void> {
  const { store } = coin.context.ports;
  if (stored.version === coin.version) return;
  coin.version = stored.version;
  coin.position = stored.position;
  coin.levels = await store.levelFills(coin.profile.id, coin.symbol);
  await coin.context.risk.booked();
  refreshView(coin);
  coin.instance.onFill(stored.position.firstBuyAt === null ? 'sell' : 'buy', coin.view);
  await store.saveStrategyStates([toKeep(coin)]);
}

function waitingView(coin: Coin, live: LiveOrder): TickView['waiting'] {
  const { form, createdAt } = live.record;
  if (form.type !== 'limit' && form.type !== 'stop-loss-limit') return null;
  const { tick } = coin.rules.price;
  const stop = form.type === 'limit' ? 0 : toTicks(form.stopPrice, tick);
  const reached = stop > 0 && coin.view.price >= stop;
  return {
    level: readEntry(live.record).level,
    stop,
    limit: toTicks(form.price, tick),
    placedMs: createdAt.getTime(),
    touched: reached || live.applied > 0n,
  };
}

const toTicks = (price: Decimal, tick: Decimal): number => Math.round(toSteps(price, tick));

/** Buy level and settings that an order row was written with. */
function readEntry({ decision }: Pick<OrderRecord, 'decision'>): {
  readonly level: number;
  readonly settings: unknown;
} {
  const entry = isObject(decision) ? decision['entry'] : undefined;
  if (!isObject(entry)) return { level: 0, settings: undefined };
  const { level, settings } = entry;
  return { level: typeof level === 'number' ? level : 0, settings };
}

/** True for a waiting buy of other settings or of another strategy: the present strategy does not manage it. */
export const isFromPreviousConfig = ({ settings }: Coin, { record }: LiveOrder): boolean =>
  readEntry(record).settings !== settings;

const hasLive = (coin: Coin, matches: (record: OrderRecord) => boolean): boolean => {
  for (const live of coin.live.values()) if (matches(live.record)) return true;
  return false;
};

/** False while the engine must query the exchange for the outcome of an order. */
export const isCertain = ({ certainAtMs, cancelUntilMs, applied, reported }: LiveOrder): boolean =>
  certainAtMs === null && cancelUntilMs === null && applied >= reported;

/** True when the last report of the exchange certainly has the order on its book. */
const isResting = (live: LiveOrder): boolean =>
  live.record.exchangeOrderId !== null && isCertain(live) && live.record.form.type !== 'market';

const resting = (coin: Coin, matches: (record: OrderRecord) => boolean): LiveOrder[] =>
  coin.live.size === 0 ? NONE : [...coin.live.values()].filter((live) => isResting(live) && matches(live.record));

const NONE: LiveOrder[] = [];

/** Protective stops that certainly rest on the exchange, oldest first; more than one only after a wrong proof. */
export const restingStops = (coin: Coin): LiveOrder[] => resting(coin, ({ purpose }) => purpose === 'stop');

/** Targets that certainly rest on the exchange. */
export const restingTargets = (coin: Coin): LiveOrder[] => resting(coin, ({ purpose }) => purpose === 'target');

/** The live orders of its order list, itself first. */
export const legsOf = ({ live }: Coin, order: LiveOrder): LiveOrder[] => {
  const { listId } = order.record;
  if (listId === null) return [order];
  return [order, ...[...live.values()].filter((each) => each !== order && each.record.listId === listId)];
};

/**
 * Resting orders other than stops and their targets: the next sale must not be bought back or sold twice by them.
 */
export const restingOrders = (coin: Coin): LiveOrder[] =>
  resting(coin, ({ purpose }) => purpose !== 'stop' && purpose !== 'target');

/** The strategy's buy that rests on the exchange. */
export const waitingEntry = (coin: Coin): LiveOrder | undefined =>
  resting(coin, ({ purpose }) => purpose === 'entry')[0];

/** Quantity that resting sales other than stops have not sold yet. */
export const quantityInOpenSells = (coin: Coin): Decimal =>
  restingOrders(coin)
    .filter(({ record }) => record.side === 'sell')
    .reduce((sum, { record, applied }) => add(sum, subtract(record.quantity, applied)), ZERO);

/** The own order that blocks this coin from sending another one; a resting order does not block. */
export const pendingOrder = (coin: Coin): LiveOrder | undefined =>
  [...coin.live.values()].find((live) => !isResting(live));

/** Plan lines of the chart as prices. */
export const planPrices = (coin: Coin): { name: string; price: Decimal }[] =>
  coin.instance
    .plan(coin.view)
    .filter((line) => line.ticks > 0)
    .map((line) => ({ name: line.name, price: fromSteps(Math.round(line.ticks), coin.rules.price.tick) }));
