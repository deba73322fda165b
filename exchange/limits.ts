import { performance } from 'node:perf_hooks';
import { createMeter, type ReportedUsage, type Meter, type Taken } from './meter.ts';

/** Priorities, highest first, for requests that wait for weight. `exit` includes cancels. */
const PRIORITIES = ['exit', 'query', 'entry', 'history'] as const;
export type RequestPriority = (typeof PRIORITIES)[number];

/** Share of a limit that requests of each priority may use; the rest stays free for higher priorities. */
const SHARE: Readonly<Record<RequestPriority, number>> = { exit: 0.98, query: 0.9, entry: 0.8, history: 0.5 };
const WEIGHT_WINDOW_MS = 60_000;
const RAW_WINDOW_MS = 300_000;
const BAN_MS = 120_000;
const TOO_MANY_ORDERS = -1015;
/** Wait of all requests but exits after a firewall page (403); doubled each time, up to the longest. */
const BLOCKED_MS = 60_000;
const LONGEST_BLOCKED_MS = 480_000;

/** One limit of the exchange: `limit` in each window of `windowMs`. */
export interface RateLimit {
  readonly windowMs: number;
  readonly limit: number;
}

/** Limits from exchangeInfo. Weight and requests count per address, orders per account. */
export interface RateLimits {
  readonly weight: RateLimit | undefined;
  readonly requests: RateLimit | undefined;
  readonly orders: readonly RateLimit[];
}

/** Assumed limits until the exchange has reported its own. */
const ASSUMED = { weight: 6_000, requests: 61_000 };

/** The orders of one account, as its exchange counts them; made by {@link createOrderBudget}. */
export interface OrderBudget {
  readonly meters: Map<number, Meter>;
  /** No new order is sent before this time. */
  stopMs: number;
}

export const createOrderBudget = (): OrderBudget => ({ meters: new Map(), stopMs: 0 });

interface RateLimitRequest {
  readonly priority: RequestPriority;
  readonly weight: number;
  /** Set for requests that count as a new order. */
  readonly orders?: OrderBudget | undefined;
  /** Longest useful wait in ms. */
  readonly waitMs: number;
}

/** Data about the limits in a reply. */
export interface Usage {
  readonly status: number;
  readonly code: number | null;
  readonly usedWeight: number | undefined;
  readonly retryAfterMs: number | undefined;
  /** Orders of the account by window length in ms. */
  readonly orderCounts?: ReadonlyMap<number, number>;
}

/** Permission to send one request, with the weight reserved for it. */
export interface Reservation {
  /** The request was sent; without `usage` no reply came. */
  settle(usage?: Usage): void;
  /** The request was not sent: frees the reserved weight. */
  release(): void;
}

/**
 * State that processes behind one address share. `stopMs`: no request is sent before it; `blockedMs`: only exits are
 * sent before it. Both are wall times.
 */
export interface LimitSnapshot extends ReportedUsage {
  readonly stopMs: number;
  readonly blockedMs: number;
}

/** One per egress address and exchange host, shared by all calls to it. */
export interface RateLimiter {
  /** Resolves with a reservation once the request may be sent; with undefined when that is not within `waitMs`. */
  acquire(request: RateLimitRequest): Promise<Reservation | undefined>;
  setLimits(limits: RateLimits): void;
  /** Sets the exchange's clock, which limits its windows. */
  followClock(protocolMs: () => number): void;
  /** Grants nothing until `loaded` settles. */
  waitFor(loaded: Promise<unknown>): void;
  snapshot(): LimitSnapshot;
  merge(from: string, snapshot: LimitSnapshot): void;
  /** Calls `listener` after each change of {@link RateLimiter.snapshot}. */
  onChange(listener: () => void): void;
}

interface Waiting extends RateLimitRequest {
  readonly deadlineMs: number;
  readonly decide: (reservation: Reservation | undefined) => void;
}

interface Ledger {
  readonly nowMs: () => number;
  readonly waiting: Waiting[];
  weight: Meter;
  requests: Meter;
  orderLimits: readonly RateLimit[];
  exchangeMs: () => number;
  /** No request is sent before this time. */
  stopMs: number;
  /** Only exits are sent before `untilMs`; `times` counts refusals of the firewall in a row. */
  blocked: { untilMs: number; times: number };
  timer: NodeJS.Timeout | undefined;
  loading: Promise<unknown> | undefined;
  changed: () => void;
}

const { timeOrigin } = performance;
const wallMs = (): number => timeOrigin + performance.now();

/**
 * Keeps requests below the exchange's limits and stops when the exchange demands it. The used-weight header is
 * authoritative, because other processes share the address; between replies the weight in flight is added to it.
 * `nowMs` is wall time on a monotonic base.
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
    changed: () => undefined,
  };
  return {
    async acquire(request) {
      const deadlineMs = nowMs() + request.waitMs;
      if (ledger.loading !== undefined) await ledger.loading;
      if (ledger.waiting.length === 0 && freeMs(ledger, request) <= nowMs()) return issue(ledger, request);
      return new Promise((decide) => {
        ledger.waiting.push({ ...request, deadlineMs, decide });
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
      ledger.changed = listener;
    },
  };
}

/** Changes the limit of a meter. It keeps its count unless the length of the window changes. */
function resized(meter: Meter, { windowMs, limit }: RateLimit): Meter {
  if (meter.windowMs !== windowMs) return createMeter(windowMs, limit);
  meter.limit = limit;
  return meter;
}

/** The meters that a request counts in, with the amount for each. */
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

/** Wall time from which a request may be sent. A request above its priority's share is sent when nothing was used. */
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

/** Less traffic of other processes may free weight before the window ends: a full window is checked this often. */
const CHECK_AGAIN_MS = 1_000;

function grantWaiting(ledger: Ledger): void {
  const now = ledger.nowMs();
  let nextMs = Number.POSITIVE_INFINITY;
  for (const request of ledger.waiting.toSorted(
    (a, b) => PRIORITIES.indexOf(a.priority) - PRIORITIES.indexOf(b.priority),
  )) {
    const atMs = freeMs(ledger, request);
    const granted = atMs <= now;
    const stopped = stoppedMs(ledger, request);
    if (!granted && now < request.deadlineMs && stopped < request.deadlineMs) {
      nextMs = Math.min(nextMs, atMs, request.deadlineMs, Math.max(stopped, now + CHECK_AGAIN_MS));
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
    ledger.changed();
    grantWaiting(ledger);
  };
  ledger.changed();
  return {
    release: () => finish((meter, part) => meter.release(part)),
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

/** Only an accepted order counts; its reply carries the count. An order without a reply may have been accepted. */
function settleOrder(meter: Meter, { part, at, usage }: { part: Taken; at: number; usage: Usage | undefined }): void {
  const count = usage?.orderCounts?.get(meter.windowMs);
  if (usage !== undefined && count === undefined && usage.status >= 400 && usage.status < 500) meter.release(part);
  else meter.settle(part, at, count);
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

/** The firewall answers 403 with a page; a reply of the exchange itself has a code. */
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
 * The limiter of an exchange host in this process: the exchange counts limits per address, not per account. Calls below
 * /sapi have separate limits.
 */
export function rateLimiterFor(restUrl: string, family: 'api' | 'sapi' = 'api'): RateLimiter {
  const name = `${new URL(restUrl).origin}/${family}`;
  const known = shared.get(name) ?? createRateLimiter();
  shared.set(name, known);
  return known;
}
