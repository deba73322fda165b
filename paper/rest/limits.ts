import { type Refusal, refuse } from '#paper/exchange/refusal.ts';

/** The rate limits of exchangeInfo. The exchange counts them in fixed windows of the wall clock. */
export const WEIGHT_LIMIT = 6000;
const RAW_LIMIT = 300_000;
const WALLET_LIMIT = 12_000;
export const RATE_LIMITS = [
  { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: WEIGHT_LIMIT },
  { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 100 },
  { rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: 200_000 },
  { rateLimitType: 'RAW_REQUESTS', interval: 'MINUTE', intervalNum: 5, limit: RAW_LIMIT },
] as const;

const MINUTE_MS = 60_000;
const RAW_WINDOW_MS = 5 * MINUTE_MS;
const CONNECTIONS_WINDOW_MS = 5 * MINUTE_MS;
const CONNECTIONS_LIMIT = 300;
/** Requests over a limit that an address may send after its first 429, before it is banned. */
const WARNINGS = 10;
const FIRST_BAN_MS = 2 * MINUTE_MS;
const LONGEST_BAN_MS = 3 * 86_400_000;
/** The amount by which the first fill of an order reduces the count of unfilled orders. */
const TAKER_RELIEF = 1;
const MAKER_RELIEF = 5;

const ORDER_WINDOWS = [
  { lengthMs: 10_000, limit: 100, name: '10S', text: '100 orders per 10 SECOND', interval: 'SECOND', intervalNum: 10 },
  {
    lengthMs: 86_400_000,
    limit: 200_000,
    name: '1D',
    text: '200000 orders per 1 DAY',
    interval: 'DAY',
    intervalNum: 1,
  },
] as const;

/** Counts events for each key in the window that contains `nowMs`; never below zero. */
interface WindowCount {
  add(key: string, amount: number, nowMs: number): number;
}

function countWindows(lengthMs: number): WindowCount {
  let window = -1;
  let counts = new Map<string, number>();
  return {
    add: (key, amount, nowMs) => {
      const current = Math.floor(nowMs / lengthMs);
      if (current !== window) {
        window = current;
        counts = new Map();
      }
      const next = Math.max(0, (counts.get(key) ?? 0) + amount);
      counts.set(key, next);
      return next;
    },
  };
}

/** Why an address must wait, and until when. */
export interface Wait {
  readonly kind: 'wait';
  readonly refusal: Refusal;
  readonly untilMs: number;
  readonly used: number;
}

interface OrderCount {
  readonly name: string;
  readonly interval: string;
  readonly intervalNum: number;
  readonly limit: number;
  readonly count: number;
}

export interface Limits {
  /** Counts a request of that weight. Returns the weight that the address has used this minute, or why it must wait. */
  admit(ip: string, weight: number, nowMs: number): { readonly kind: 'admitted'; readonly used: number } | Wait;
  /** The equivalent of `admit` for the wallet API, which has its own count. */
  admitToWallet(ip: string, weight: number, nowMs: number): ReturnType<Limits['admit']>;
  /** Adds weight (negative gives it back). Returns the weight that the address has used this minute. */
  addWeight(ip: string, weight: number, nowMs: number): number;
  /** Counts a WebSocket connection. False if the address has opened too many. */
  connect(ip: string, nowMs: number): boolean;
  isBanned(ip: string, nowMs: number): boolean;
  /** The text of the order limit that the account has reached; undefined while it may place orders. */
  reachedOrderLimit(account: string, nowMs: number): string | undefined;
  /** Counts one accepted order. */
  addOrder(account: string, nowMs: number): readonly OrderCount[];
  /** Records the first fill of an order. It reduces the account's count from its next request on. */
  noteFirstFill(account: string, maker: boolean): void;
  orderCounts(account: string, nowMs: number): readonly OrderCount[];
  /** Bans an address, or all addresses, until then. */
  ban(ip: string | undefined, untilMs: number): void;
  /** Lifts all bans and resets all counts of addresses. */
  reset(): void;
}

interface AddressViolations {
  warnings: number;
  window: number;
  offences: number;
  bannedUntilMs: number;
}

/** `onBan` is called with every address that has just been banned. */
export function openLimits(onBan: (ip: string | undefined) => void = () => undefined): Limits {
  let weight = countWindows(MINUTE_MS);
  let raw = countWindows(RAW_WINDOW_MS);
  const wallet = countWindows(MINUTE_MS);
  const connections = countWindows(CONNECTIONS_WINDOW_MS);
  const violations = new Map<string, AddressViolations>();
  let allBannedUntilMs = 0;
  const bannedUntil = (ip: string): number => Math.max(allBannedUntilMs, violations.get(ip)?.bannedUntilMs ?? 0);
  const wait = (status: 429 | 418, until: { untilMs: number; used: number; text: string }): Wait => ({
    kind: 'wait',
    refusal: refuse(-1003, until.text, status),
    untilMs: until.untilMs,
    used: until.used,
  });
  /** Warns an address over a limit. An address that continues is banned, longer each time. */
  const warn = (ip: string, over: { used: number; endMs: number; text: string }, nowMs: number): Wait => {
    const known = violations.get(ip) ?? { warnings: 0, window: 0, offences: 0, bannedUntilMs: 0 };
    violations.set(ip, known);
    known.warnings = known.window === over.endMs ? known.warnings + 1 : 1;
    known.window = over.endMs;
    if (known.warnings <= WARNINGS + 1) return wait(429, { untilMs: over.endMs, used: over.used, text: over.text });
    known.bannedUntilMs = nowMs + Math.min(LONGEST_BAN_MS, FIRST_BAN_MS * 2 ** known.offences);
    known.offences += 1;
    known.warnings = 0;
    onBan(ip);
    return wait(418, { untilMs: known.bannedUntilMs, used: over.used, text: bannedText(known.bannedUntilMs) });
  };
  return {
    ...openOrderLimits(),
    admit: (ip, amount, nowMs) => {
      const untilMs = bannedUntil(ip);
      if (untilMs > nowMs) return wait(418, { untilMs, used: weight.add(ip, 0, nowMs), text: bannedText(untilMs) });
      const used = weight.add(ip, amount, nowMs);
      const isRawOver = raw.add(ip, 1, nowMs) > RAW_LIMIT;
      if (isRawOver) return warn(ip, { used, endMs: endOf(nowMs, RAW_WINDOW_MS), text: RAW_TEXT }, nowMs);
      if (used > WEIGHT_LIMIT) return warn(ip, { used, endMs: endOf(nowMs, MINUTE_MS), text: WEIGHT_TEXT }, nowMs);
      return { kind: 'admitted', used };
    },
    admitToWallet: (ip, amount, nowMs) => {
      const untilMs = bannedUntil(ip);
      const used = wallet.add(ip, amount, nowMs);
      if (untilMs > nowMs) return wait(418, { untilMs, used, text: bannedText(untilMs) });
      if (used > WALLET_LIMIT) return warn(ip, { used, endMs: endOf(nowMs, MINUTE_MS), text: WALLET_TEXT }, nowMs);
      return { kind: 'admitted', used };
    },
    addWeight: (ip, amount, nowMs) => weight.add(ip, amount, nowMs),
    connect: (ip, nowMs) => connections.add(ip, 1, nowMs) <= CONNECTIONS_LIMIT,
    isBanned: (ip, nowMs) => bannedUntil(ip) > nowMs,
    ban: (ip, untilMs) => {
      if (ip === undefined) allBannedUntilMs = untilMs;
      else {
        const known = violations.get(ip) ?? { warnings: 0, window: 0, offences: 0, bannedUntilMs: 0 };
        violations.set(ip, { ...known, bannedUntilMs: untilMs });
      }
      onBan(ip);
    },
    reset: () => {
      violations.clear();
      allBannedUntilMs = 0;
      weight = countWindows(MINUTE_MS);
      raw = countWindows(RAW_WINDOW_MS);
    },
  };
}

const endOf = (nowMs: number, lengthMs: number): number => nowMs - (nowMs % lengthMs) + lengthMs;

const ADVICE = 'Please use WebSocket Streams for live updates to avoid';
const WEIGHT_TEXT = `Too much request weight used; current limit is ${WEIGHT_LIMIT} request weight per 1 MINUTE. ${ADVICE} polling the API.`;
const RAW_TEXT = `Too many requests; current limit is ${RAW_LIMIT} requests per 5 MINUTE. ${ADVICE} polling the API.`;
const WALLET_TEXT = `Too much request weight used; current limit is ${WALLET_LIMIT} request weight per 1 MINUTE.`;
const bannedText = (untilMs: number): string =>
  `Way too much request weight used; IP banned until ${untilMs}. ${ADVICE} bans.`;

/** Counts of unfilled orders for each account. */
function openOrderLimits(): Pick<Limits, 'reachedOrderLimit' | 'addOrder' | 'noteFirstFill' | 'orderCounts'> {
  const windows = ORDER_WINDOWS.map((window) => ({ ...window, count: countWindows(window.lengthMs) }));
  let relief: { readonly account: string; readonly amount: number }[] = [];
  const add = (account: string, amount: number, nowMs: number): OrderCount[] =>
    windows.map(({ name, interval, intervalNum, limit, count }) => ({
      ...{ name, interval, intervalNum, limit },
      count: count.add(account, amount, nowMs),
    }));
  const reduceOrderCount = (nowMs: number): void => {
    for (const row of relief) add(row.account, -row.amount, nowMs);
    relief = [];
  };
  return {
    reachedOrderLimit: (account, nowMs) => {
      reduceOrderCount(nowMs);
      return windows.find((window) => window.count.add(account, 0, nowMs) >= window.limit)?.text;
    },
    addOrder: (account, nowMs) => add(account, 1, nowMs),
    noteFirstFill: (account, maker) => {
      relief.push({ account, amount: maker ? MAKER_RELIEF : TAKER_RELIEF });
    },
    orderCounts: (account, nowMs) => {
      reduceOrderCount(nowMs);
      return add(account, 0, nowMs);
    },
  };
}

/** The counts as headers of a placement. */
export const orderCountHeaders = (counts: readonly OrderCount[]): Record<string, string> =>
  Object.fromEntries(counts.map(({ name, count }) => [`X-MBX-ORDER-COUNT-${name}`, String(count)]));

/** The counts in the format of the exchange's rate limits. */
export const orderLimitRows = (counts: readonly OrderCount[]): Record<string, unknown>[] =>
  counts.map(({ interval, intervalNum, limit, count }) => ({
    rateLimitType: 'ORDERS',
    interval,
    intervalNum,
    limit,
    count,
  }));
