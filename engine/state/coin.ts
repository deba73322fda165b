import { add, type Decimal, fromSteps, subtract, toSteps, ZERO } from '#core/amount/decimal.ts';
import type { Interval } from '#core/market/candle.ts';
import { createGates, gateNeeds, type Gates } from '#core/decision/gates.ts';
import { type LevelFill, targetOf } from '#core/position/levels.ts';
import { fnv1a64, type OrderRecord } from '#core/order/order.ts';
import type { RunnerState, StateToKeep } from '#core/ports/store.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import { isSellable, type Position } from '#core/position/position.ts';
import { minOrderQuote } from '#core/sizing/sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { isObject, mergePatch } from '#core/merge.ts';
import { type BoundStrategy, gridOf, type StrategyInstance, type TickView } from '#strategies/strategy.ts';
import { type AccountContext, marketMs } from './account-context.ts';
import { baseFeeRate } from './base-fee.ts';
import { type Breaker, createBreaker } from './breaker.ts';
import type { CoinAction } from './operator-request.ts';
import { createGuard, type Guard } from './guard.ts';
import type { LiveOrder } from './live-order.ts';

/** Market time further back than this is another time, not a clock correction. */
const BACKWARDS_MS = 3_600_000;

/** A stored order as it is followed. */
export const liveOrderOf = (record: OrderRecord): LiveOrder => ({
  record,
  applied: record.filledQuantity,
  reported: record.filledQuantity,
  unvaluedFee: false,
  cancelUntilMs: null,
  certainAtMs: null,
});

/** The working memory of one (profile, symbol); everything in it can be rebuilt from the store and the exchange. */
export interface Coin {
  readonly context: AccountContext;
  readonly symbol: string;
  readonly rules: SymbolRules;
  readonly bound: BoundStrategy;
  readonly instance: StrategyInstance;
  readonly view: TickView;
  readonly breaker: Breaker;
  readonly guard: Guard;
  /** What else must agree before a buy; null when nothing is asked. */
  readonly gates: Gates | null;
  /** The candles it lives on: those of its strategy first, then those of its gates. */
  readonly sources: readonly CandleSource[];
  /** Short for strategy and merged config. */
  readonly settings: string;
  readonly live: Map<string, LiveOrder>;
  /** Client ids settled in full during this run: later repeats of their events need no look at the store. */
  readonly settled: Set<string>;
  profile: ProfileToRun;
  position: Position;
  /** Fills of the buy levels in the present cycle. */
  levels: readonly LevelFill[];
  version: number;
  price: Decimal | null;
  /** performance.now() of the last price, the pace at which data age is judged. */
  priceSeenMs: number;
  savedState: string;
  /** What the operator has asked for and the coin has not finished. */
  pendingAction: CoinAction | null;
  /** What the last sweep over positions found wrong; only a second one in a row acts on it. */
  doubt: { readonly kind: 'phantom' | 'drift'; readonly sweep: string } | null;
  /** The running coins of its profile, itself among them: a plan looks at all of them. */
  siblings: () => readonly Coin[];
}

interface CoinInput {
  readonly context: AccountContext;
  readonly profile: ProfileToRun;
  readonly rules: SymbolRules;
  readonly bound: BoundStrategy;
  readonly stored: RunnerState;
  readonly levels: readonly LevelFill[];
}

/** What is stored as strategy state: the instance's own, and which fill it has seen. */
interface StoredState {
  readonly v: 1;
  /** Market time at which it was true. */
  readonly atMs: number;
  readonly lastFillAt: string | null;
  readonly instance: unknown;
}

/** One interval of closed candles, and the newest of them that was seen. */
export interface CandleSource {
  readonly interval: Interval;
  readonly want: number;
  lastOpenMs: number;
  /** The candles that the coin starts with have been read: since then it is fed each one that closes. */
  complete: boolean;
  /** Why the last read failed, and when the next one is (wall time). */
  problem: { readonly cause: string; readonly nextAt: Date } | null;
}

/** What the coin starts with and has not read yet: until then nothing is bought. */
export const missingCandles = ({ sources }: Coin): CandleSource | undefined =>
  sources.find(({ complete }) => !complete);

function sourcesOf({ needs, shared }: BoundStrategy): CandleSource[] {
  const gates = shared.gates === undefined ? [] : gateNeeds(shared.gates);
  const own = gates.find(({ interval }) => interval === needs.interval);
  const all = [{ interval: needs.interval, want: Math.max(needs.want, own?.want ?? 0) }, ...gates];
  return all
    .filter((each) => each !== own)
    .map(({ interval, want }) => ({
      ...{ interval, want, lastOpenMs: 0 },
      ...{ complete: false, problem: null },
    }));
}

/** The stored config with the coin's override, as the tick reads it: merged, not parsed. */
export const mergedConfig = (profile: ProfileToRun, symbol: string): Record<string, unknown> =>
  mergePatch(profile.config, profile.symbols.find((each) => each.symbol === symbol)?.overrideConfig ?? {});

export function createCoin({ context, profile, rules, bound, stored, levels }: CoinInput): Coin {
  const saved = usableState(readStoredState(stored.strategyState), marketMs(context));
  const instance = bound.create(gridOf(rules), saved?.instance);
  const coin: Coin = {
    context,
    symbol: rules.symbol,
    rules,
    bound,
    instance,
    view: emptyView(),
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
    doubt: null,
    siblings: () => [coin],
  };
  refreshView(coin);
  const seen = saved?.lastFillAt ?? null;
  const last = stored.position.lastFillAt?.toISOString() ?? null;
  if (last !== null && last !== seen) instance.onFill(stored.position.firstBuyAt === null ? 'sell' : 'buy', coin.view);
  return coin;
}

/** A replay that began again at an earlier time must not go on with what a later time knew. */
const usableState = (saved: StoredState | undefined, nowMs: number): StoredState | undefined =>
  saved === undefined || saved.atMs > nowMs + BACKWARDS_MS ? undefined : saved;

function readStoredState(value: unknown): StoredState | undefined {
  if (!isObject(value) || value['v'] !== 1) return undefined;
  const lastFillAt = value['lastFillAt'];
  const atMs = value['atMs'];
  return {
    v: 1,
    atMs: typeof atMs === 'number' ? atMs : 0,
    lastFillAt: typeof lastFillAt === 'string' ? lastFillAt : null,
    instance: value['instance'],
  };
}

export const stateToStore = (coin: Coin): StoredState => ({
  v: 1,
  atMs: marketMs(coin.context),
  lastFillAt: coin.position.lastFillAt?.toISOString() ?? null,
  instance: coin.instance.state(),
});

/** What the store keeps of the strategy as it is now. */
export const toKeep = (coin: Coin): StateToKeep => ({
  profileId: coin.profile.id,
  symbol: coin.symbol,
  version: coin.version,
  state: stateToStore(coin),
});

const emptyView = (): TickView => ({
  nowMs: 0,
  price: 0,
  priceAgeMs: Number.POSITIVE_INFINITY,
  lots: 0,
  peakLots: 0,
  avgTicks: 0,
  sellable: false,
  firstBuyFillMs: 0,
  cycle: 0,
  target: 0,
  entryOrderOpen: false,
  waiting: null,
  exitOrderOpen: false,
  regime: 2,
  ratingSells: false,
  basket: null,
  takerFee: 0.001,
  makerFee: 0.001,
  readable: true,
});

/** Fills the reused view with what is true now. */
export function refreshView(coin: Coin): void {
  const { view, position, rules, context } = coin;
  const held = position.firstBuyAt !== null;
  view.nowMs = marketMs(context);
  view.price = coin.price === null ? 0 : Math.round(toSteps(coin.price, rules.price.tick));
  view.priceAgeMs = performance.now() - coin.priceSeenMs;
  // What is not held, such as a price without a position, is no concern of the strategy.
  view.lots = held ? Math.floor(toSteps(position.quantity, rules.lot.step)) : 0;
  view.peakLots = held ? Math.floor(toSteps(position.peakQuantity, rules.lot.step)) : 0;
  view.avgTicks = held ? toSteps(position.averagePrice, rules.price.tick) : 0;
  view.sellable = held && isSellable(position.quantity, position.averagePrice, rules);
  view.firstBuyFillMs = position.firstBuyAt?.getTime() ?? 0;
  view.cycle = position.cycle;
  view.target = held ? targetNow(coin) : 0;
  const waits = waitingEntry(coin);
  view.entryOrderOpen = hasLive(coin, ({ side }) => side === 'buy');
  view.waiting = waits === undefined ? null : waitingView(coin, waits);
  view.regime = coin.gates?.regime ?? 2;
  view.ratingSells = coin.gates?.sells(view.nowMs) ?? false;
  view.exitOrderOpen = hasLive(coin, ({ purpose }) => purpose === 'exit');
  view.takerFee = context.fees.taker;
  view.makerFee = context.fees.maker;
  view.readable = coin.bound.readable;
}

/**
 * Takes over a position that was stored without a fill; the strategy gets it like one, so that its levels begin anew.
 * Only within the coin's turn.
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

/** A position without fills of its own, such as one whose average price was set by hand, stands for the first level. */
const targetNow = (coin: Coin): number =>
  coin.levels.length === 0 ? Number(coin.view.sellable) : targetOf(coin.levels, leastEntry(coin));

/** The smallest buy at the average price that can be sold again, in quote. */
function leastEntry({ position, rules, bound, context }: Coin): Decimal {
  if (position.averagePrice <= 0n) return ZERO;
  const { stopMultiple, stopLimitOffset } = bound.shared;
  const price = position.averagePrice;
  return minOrderQuote({ price, rules, stopMultiple, stopLimitOffset, baseFeeRate: baseFeeRate(context, rules) });
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

/** What an order row says of the buy it was written for. */
function readEntry({ decision }: Pick<OrderRecord, 'decision'>): {
  readonly level: number;
  readonly settings: unknown;
} {
  const entry = isObject(decision) ? decision['entry'] : undefined;
  if (!isObject(entry)) return { level: 0, settings: undefined };
  const { level, settings } = entry;
  return { level: typeof level === 'number' ? level : 0, settings };
}

/** A waiting buy that other settings, or another strategy, wanted: nobody knows any more what it is for. */
export const isFromPreviousConfig = ({ settings }: Coin, { record }: LiveOrder): boolean =>
  readEntry(record).settings !== settings;

const hasLive = (coin: Coin, is: (record: OrderRecord) => boolean): boolean => {
  for (const live of coin.live.values()) if (is(live.record)) return true;
  return false;
};

/** False while the exchange must be asked what has become of an order. */
export const isCertain = ({ certainAtMs, cancelUntilMs, applied, reported }: LiveOrder): boolean =>
  certainAtMs === null && cancelUntilMs === null && applied >= reported;

/** The exchange certainly has it on its book, or had when it was last heard of. */
const isResting = (live: LiveOrder): boolean =>
  live.record.exchangeOrderId !== null && isCertain(live) && live.record.form.type !== 'market';

const resting = (coin: Coin, is: (record: OrderRecord) => boolean): LiveOrder[] =>
  coin.live.size === 0 ? NONE : [...coin.live.values()].filter((live) => isResting(live) && is(live.record));

const NONE: LiveOrder[] = [];

/** Protective stops that the exchange certainly holds, oldest first; more than one only after a proof went wrong. */
export const restingStops = (coin: Coin): LiveOrder[] => resting(coin, ({ purpose }) => purpose === 'stop');

/** Other orders that rest: what is sold next must not be bought or sold by them too. */
export const restingOrders = (coin: Coin): LiveOrder[] => resting(coin, ({ purpose }) => purpose !== 'stop');

/** The buy of the strategy that waits on the exchange. */
export const waitingEntry = (coin: Coin): LiveOrder | undefined =>
  resting(coin, ({ purpose }) => purpose === 'entry')[0];

/** What the resting sales other than stops have not sold yet. */
export const quantityInOpenSells = (coin: Coin): Decimal =>
  restingOrders(coin)
    .filter(({ record }) => record.side === 'sell')
    .reduce((sum, { record, applied }) => add(sum, subtract(record.quantity, applied)), ZERO);

/** The own order that keeps this coin from sending anything else, if there is one; one that rests does not. */
export const pendingOrder = (coin: Coin): LiveOrder | undefined =>
  [...coin.live.values()].find((live) => !isResting(live));

/** Plan lines of the chart as prices. */
export const planPrices = (coin: Coin): { name: string; price: Decimal }[] =>
  coin.instance
    .plan(coin.view)
    .filter((line) => line.ticks > 0)
    .map((line) => ({ name: line.name, price: fromSteps(Math.round(line.ticks), coin.rules.price.tick) }));
