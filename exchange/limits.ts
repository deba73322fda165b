import { performance } from 'node:perf_hooks';
import { createMeter, type ReportedUsage, type Meter, type Taken } from './meter.ts';

/** Who goes first when weight is short. `exit` also carries cancels. */
const PRIORITIES = ['exit', 'query', 'entry', 'history'] as const;
export type RequestPriority = (typeof PRIORITIES)[number];

/** How much of a limit each lane may use up: the rest stays free for the lanes before it. */
const SHARE: Readonly<Record<RequestPriority, number>> = { exit: 0.98, query: 0.9, entry: 0.8, history: 0.5 };
const WEIGHT_WINDOW_MS = 60_000;
const RAW_WINDOW_MS = 300_000;
const BAN_MS = 120_000;
const TOO_MANY_ORDERS = -1015;
/**
 * After a page of the exchange's firewall all but exits wait this long, twice as long each time, at most the second.
 */
const BLOCKED_MS = 60_000;
const LONGEST_BLOCKED_MS = 480_000;

/** One limit of the exchange: `limit` in each window of `windowMs`. */
export interface RateLimit {
  readonly windowMs: number;
  readonly limit: number;
}

/** What exchangeInfo grants. Weight and requests count per address, orders per account. */
export interface RateLimits {
  readonly weight: RateLimit | undefined;
  readonly requests: RateLimit | undefined;
  readonly orders: readonly RateLimit[];
}

/** What is assumed until the exchange has told its limits. */
const ASSUMED = { weight: 6_000, requests: 61_000 };

/** The orders of one account, as its exchange counts them; made by {@link createOrderBudget}. */
export interface OrderBudget {
  readonly meters: Map<number, Meter>;
  /** No new order is sent before this moment. */
  stopMs: number;
}

export const createOrderBudget = (): OrderBudget => ({ meters: new Map(), stopMs: 0 });

interface RateLimitRequest {
  readonly priority: RequestPriority;
  readonly weight: number;
  /** Given for requests that count as a new order. */
  readonly orders?: OrderBudget | undefined;
  /** Waiting longer than this is pointless. */
  readonly waitMs: number;
}

/** What a reply says about the limits. */
export interface Usage {
  readonly status: number;
  readonly code: number | null;
  readonly usedWeight: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** Orders of the account by window length in ms. */
  readonly orderCounts?: ReadonlyMap<number, number>;
}

/** Leave to send one request. */
export interface Reservation {
  /** The request was sent; without `usage` no reply came. */
  settle(usage?: Usage): void;
  /** The request was not sent after all. */
  release(): void;
}

/** What processes behind one address tell each other; wall times until which nothing, and only exits, are sent. */
export interface LimitSnapshot extends ReportedUsage {
  readonly stopMs: number;
  readonly blockedMs: number;
}

/** One per egress address and exchange host, shared by all calls to it. */
export interface RateLimiter {
  /** Resolves with a reservation when the request may be sent now, undefined when it may not be within `waitMs`. */
  acquire(request: RateLimitRequest): Promise<Reservation | undefined>;
  setLimits(limits: RateLimits): void;
  /** The exchange's windows turn by its own clock. */
  followClock(protocolMs: () => number): void;
  /** Nothing is granted until `loaded` settles. */
  waitFor(loaded: Promise<unknown>): void;
  snapshot(): LimitSnapshot;
  merge(from: string, snapshot: LimitSnapshot): void;
  /** `listener` is called after each change of what {@link RateLimiter.snapshot} says. */
  onChange(listener: () => void): void;
}

interface Waiting extends RateLimitRequest {
  readonly giveUpMs: number;
  readonly decide: (reservation: Reservation | undefined) => void;
}

interface Ledger {
  readonly nowMs: () => number;
  readonly waiting: Waiting[];
  weight: Meter;
  requests: Meter;
  orderLimits: readonly RateLimit[];
  exchangeMs: () => number;
  /** Nothing at all is sent before this moment. */
  stopMs: number;
  /** Only exits are sent before this moment; how often the firewall has refused in a row. */
  blocked: { untilMs: number; times: number };
  timer: NodeJS.Timeout | undefined;
  loading: Promise<unknown> | undefined;
  tell: () => void;
}

const { timeOrigin } = performance;
const wallMs = (): number => timeOrigin + performance.now();

/**
 * Keeps requests under the exchange's limits and stops when the exchange says so. The used-weight header is the truth,
 * because other processes share the address; between replies the weight in flight is added to it.
 * `nowMs` is wall time on a steady base.
 */
export function createRateLimiter(nowMs: () => number = wallMs): RateLimiter {
  const ledger: Ledger = {
    nowMs,
    waiting: [],
    weight: createMeter(WEIGHT_WINDOW_MS, ASSUMED.weight),
    requests: createMeter(RAW_WINDOW_MS, ASSUMED.requests),
    orderLimits: [],
    exchangeMs: nowMs,
    stopMs: 0,
    blocked: { untilMs: 0, times: 0 },
    timer: undefined,
    loading: undefined,
    tell: () => undefined,
  };
  return {
    async acquire(request) {
      const giveUpMs = nowMs() + request.waitMs;
      if (ledger.loading !== undefined) await ledger.loading;
      if (ledger.waiting.length === 0 && freeMs(ledger, request) <= nowMs()) return issue(ledger, request);
      return new Promise((decide) => {
        ledger.waiting.push({ ...request, giveUpMs, decide });
        grantWaiting(ledger);
      });
    },
    setLimits({ weight, requests, orders }) {
      if (weight !== undefined) ledger.weight = resized(ledger.weight, weight);
      if (requests !== undefined) ledger.requests = resized(ledger.requests, requests);
      ledger.orderLimits = orders;
      grantWaiting(ledger);
    },
    followClock(protocolMs) {
      ledger.exchangeMs = protocolMs;
    },
    waitFor(loaded) {
      const done = (): void => {
        ledger.loading = undefined;
      };
      ledger.loading = loaded.then(done, done);
    },
    snapshot: () => ({
      ...ledger.weight.known(ledger.exchangeMs()),
      stopMs: ledger.stopMs,
      blockedMs: ledger.blocked.untilMs,
    }),
    merge(from, snapshot) {
      ledger.weight.merge(from, snapshot, ledger.exchangeMs());
      ledger.stopMs = Math.max(ledger.stopMs, snapshot.stopMs);
      ledger.blocked.untilMs = Math.max(ledger.blocked.untilMs, snapshot.blockedMs);
      grantWaiting(ledger);
    },
    onChange(listener) {
      ledger.tell = listener;
    },
  };
}

/** A meter keeps its count as long as its window keeps its length. */
function resized(meter: Meter, { windowMs, limit }: RateLimit): Meter {
  if (meter.windowMs !== windowMs) return createMeter(windowMs, limit);
  meter.limit = limit;
  return meter;
}

/** The meters a request counts in, with how much it takes from each. */
function metersOf(ledger: Ledger, { weight, orders }: RateLimitRequest): (readonly [Meter, number])[] {
  const counted =
    orders === undefined ? [] : ledger.orderLimits.map((limit) => [orderMeter(orders, limit), 1] as const);
  return [[ledger.weight, weight], [ledger.requests, 1], ...counted];
}

function orderMeter({ meters }: OrderBudget, limit: RateLimit): Meter {
  const meter = resized(meters.get(limit.windowMs) ?? createMeter(limit.windowMs, limit.limit), limit);
  meters.set(limit.windowMs, meter);
  return meter;
}

/** Wall time from which a request may go; a request heavier than its lane's share still goes when nothing was used. */
function freeMs(ledger: Ledger, request: RateLimitRequest): number {
  const { exchangeMs } = ledger;
  const now = exchangeMs();
  let freeAtMs = stoppedMs(ledger, request);
  for (const [meter, amount] of metersOf(ledger, request)) {
    const used = meter.used(now);
    if (used === 0 || used + amount <= meter.limit * SHARE[request.priority]) continue;
    freeAtMs = Math.max(freeAtMs, ledger.nowMs() + meter.windowEndMs(now) - now);
  }
  return freeAtMs;
}

const stoppedMs = ({ stopMs, blocked }: Ledger, { priority, orders }: RateLimitRequest): number =>
  Math.max(stopMs, priority === 'exit' ? 0 : blocked.untilMs, orders?.stopMs ?? 0);

/** Lighter traffic of others may free a lane before its window ends, so a full window is looked at again this often. */
const LOOK_AGAIN_MS = 1_000;

function grantWaiting(ledger: Ledger): void {
  const now = ledger.nowMs();
  let nextMs = Number.POSITIVE_INFINITY;
  for (const request of ledger.waiting.toSorted(
    (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority),
  )) {
    const atMs = freeMs(ledger, request);
    const granted = atMs <= now;
    const stopped = stoppedMs(ledger, request);
    if (!granted && now < request.giveUpMs && stopped < request.giveUpMs) {
      nextMs = Math.min(nextMs, atMs, request.giveUpMs, Math.max(stopped, now + LOOK_AGAIN_MS));
      continue;
    }
    ledger.waiting.splice(ledger.waiting.indexOf(request), 1);
    request.decide(granted ? issue(ledger, request) : undefined);
  }
  clearTimeout(ledger.timer);
  ledger.timer =
    ledger.waiting.length === 0 ? undefined : setTimeout(() => grantWaiting(ledger), Math.ceil(nextMs - now));
}

function issue(ledger: Ledger, request: RateLimitRequest): Reservation {
  const now = ledger.exchangeMs();
  const taken = metersOf(ledger, request).map(([meter, amount]) => [meter, meter.take(amount, now)] as const);
  const finish = (end: (meter: Meter, part: Taken) => void): void => {
    for (const [meter, part] of taken.splice(0)) end(meter, part);
    ledger.tell();
    grantWaiting(ledger);
  };
  ledger.tell();
  return {
    release: () => finish((meter, part) => meter.giveBack(part)),
    settle(usage) {
      const at = ledger.exchangeMs();
      if (usage !== undefined && (usage.status === 429 || usage.status === 418)) stop(ledger, request, usage);
      if (usage !== undefined) noteFirewall(ledger, usage);
      finish((meter, part) => {
        if (meter === ledger.weight) return meter.settle(part, at, usage?.usedWeight);
        if (meter === ledger.requests) return meter.settle(part, at);
        return settleOrder(meter, { part, at, usage });
      });
    },
  };
}

/** Only an accepted order counts; its reply tells the count. An order without a reply may have been accepted. */
function settleOrder(meter: Meter, { part, at, usage }: { part: Taken; at: number; usage: Usage | undefined }): void {
  const told = usage?.orderCounts?.get(meter.windowMs);
  if (usage !== undefined && told === undefined && usage.status >= 400 && usage.status < 500) meter.giveBack(part);
  else meter.settle(part, at, told);
}

function stop(ledger: Ledger, request: RateLimitRequest, usage: Usage): void {
  const now = ledger.nowMs();
  const exchangeNow = ledger.exchangeMs();
  const fallbackMs = usage.status === 418 ? BAN_MS : ledger.weight.windowEndMs(exchangeNow) - exchangeNow;
  const untilMs = now + (usage.retryAfterMs ?? fallbackMs);
  const { orders } = request;
  if (usage.code === TOO_MANY_ORDERS && orders !== undefined) orders.stopMs = Math.max(orders.stopMs, untilMs);
  else ledger.stopMs = Math.max(ledger.stopMs, untilMs);
}

/** The firewall answers 403 with a page; it is no answer of the exchange's own, which has a code. */
function noteFirewall(ledger: Ledger, { status, code }: Usage): void {
  const { blocked } = ledger;
  if (status !== 403 || code !== null) {
    if (status === 200) blocked.times = 0;
    return;
  }
  blocked.untilMs = ledger.nowMs() + Math.min(LONGEST_BLOCKED_MS, BLOCKED_MS * 2 ** blocked.times);
  blocked.times += 1;
}

const shared = new Map<string, RateLimiter>();

/**
 * The limiter of an exchange host in this process: limits are counted per address, not per account. The calls below
 * /sapi have limits of their own.
 */
export function rateLimiterFor(restUrl: string, family: 'api' | 'sapi' = 'api'): RateLimiter {
  const name = `${new URL(restUrl).origin}/${family}`;
  const known = shared.get(name) ?? createRateLimiter();
  shared.set(name, known);
  return known;
}
