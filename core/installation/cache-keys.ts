import { z } from 'zod';
import type { Venue } from '#core/account/account.ts';
import type { Interval } from '#core/market/candle.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';

/** Every key and channel of the cache store, with the JSON of its value. */
export const cacheKeys = {
  /** One entry per worker, TTL 15 s, written every 5 s: {@link heartbeat}. */
  heartbeat: (slot: string): string => `heartbeat:${slot}`,
  heartbeats: 'heartbeat:',
  /** {@link cachedPrice} of a coin of an enabled profile, or with a position in any profile; TTL {@link PRICE_TTL_MS}. */
  price: (venue: Venue, symbol: string): string => `price:${venue}:${symbol}`,
  prices: (venue: Venue): string => `price:${venue}:`,
  /** Array of encoded trading rules (core/market/symbol-codec.ts). */
  rules: (venue: Venue): string => `rules:${venue}`,
  /** {@link cachedWallet}. */
  wallet: (accountId: AccountId): string => `wallet:${accountId}`,
  /** {@link accountRun}: TTL 15 s, written every 5 s and at each fault by the worker that holds the account. */
  accountRun: (accountId: AccountId): string => `account-run:${accountId}`,
  /** Time of the last comparison of an account's open orders with its profiles. */
  orphansSeen: (accountId: AccountId): string => `orphans-seen:${accountId}`,
  /** {@link marketTrend} of a venue. */
  marketTrend: (venue: Venue): string => `market-trend:${venue}`,
  /** {@link marketClock} of a venue. */
  marketClock: (venue: Venue): string => `market-clock:${venue}`,
  /** Last decision and plan of a coin: the contract's coinState, with {@link COIN_STATE_TTL_MS}. */
  coinState: (profileId: ProfileId, symbol: string): string => `coin-state:${profileId}:${symbol}`,
  coinStates: (profileId: ProfileId): string => `coin-state:${profileId}:`,
  /** Capped list of tick audits, one JSON text per entry, with {@link TICK_TRACE_TTL_MS}. */
  tickTrace: (profileId: ProfileId): string => `tick-trace:${profileId}`,
  /** Window counter of the messages of a notifier. */
  notified: (profileId: ProfileId, provider: string): string => `notified:${profileId}:${provider}`,
  notifiedBy: (notifierId: string): string => `notified:${notifierId}`,
  /** Window counter of sign-in attempts. */
  signInAttempts: (ip: string): string => `sign-in:${ip}`,
  /** Window counter of requests with a bad token. */
  badTokens: (network: string): string => `bad-tokens:${network}`,
  passwordAttempts: (sessionId: string): string => `password:${sessionId}`,
  /** Window counter of large answers. */
  /** Counter of backtests and sweeps that visitors of a demo launched. */
  demoLaunches: 'demo-launches',
  /** Window counter of the signals of an inlet. */
  signals: (inlet: string): string => `signals:${inlet}`,
  /** Window counter of the commands of the chat. */
  chatCommands: 'chat-commands',
  /** Window counter of requests of an assistant. */
  assistantRequests: (token: string): string => `assistant:${token}`,
  /** Window counter of questions for the reasons of a span. */
  whyRequests: (caller: string): string => `why:${caller}`,
  /** core/research/strategy-preview.ts: result of a version of a strategy file on a coin. */
  strategyPreview: (hash: string, venue: Venue, symbol: string): string =>
    `strategy-preview:${hash}:${venue}:${symbol}`,
  columnsAsked: (operator: string): string => `columns-asked:${operator}`,
  /** {@link candlesFetched}: time of the last request to the exchange for missing candles. */
  candlesFetched: ({ venue, symbol, interval, fromMs }: CandleSpan): string =>
    `candles-fetched:${venue}:${symbol}:${interval}:${fromMs}`,
} as const;

/** Frames for the browser (api/contract/socket.ts busEvent). */
export const EVENT_CHANNEL = 'events';
/** Commands from the api to the workers: {@link workerCommand}. */
export const COMMAND_CHANNEL = 'commands';

export const WATCHED_EVERY_MS = 20_000;
export const HEARTBEAT_TTL_MS = 15_000;
export const HEARTBEAT_EVERY_MS = 5_000;
export const TICK_TRACE_CAP = 100_000;
/** Each write restarts the TTL. The last tick of a disabled profile and its trace stay readable for a while. */
export const PRICE_TTL_MS = 60_000;
export const COIN_STATE_TTL_MS = 86_400_000;
export const TICK_TRACE_TTL_MS = 7 * 86_400_000;

export const heartbeat = z.object({ sha: z.string(), bootedAt: z.iso.datetime() });
export type Heartbeat = z.infer<typeof heartbeat>;

/** The fault that keeps an account, or one of its coins, from running. */
export const accountRun = z.object({
  /** Start of the downtime: it starts, or waits for its next start. Null while it runs. */
  downSince: z.iso.datetime().nullable(),
  /** Consecutive faults that stopped it; null once it has run for half a minute. */
  faults: z.object({ count: z.number(), cause: z.string(), since: z.iso.datetime() }).nullable(),
  /** The market stream of the exchange is connected; absent while the account does not run or connects for the first time. */
  streamConnected: z.boolean().optional(),
  /** Coins that do not run, or run with incomplete candles. */
  coins: z.array(
    z.object({
      profileId: z.string(),
      symbol: z.string(),
      runs: z.boolean(),
      cause: z.string(),
      nextAt: z.iso.datetime().nullable(),
    }),
  ),
});
export type AccountRunState = z.infer<typeof accountRun>;

export const cachedPrice = z.object({ price: z.string(), at: z.iso.datetime() });
export const cachedWallet = z.object({
  at: z.iso.datetime(),
  /** Wall time at which the worker wrote it. */
  keptAt: z.iso.datetime(),
  balances: z.record(z.string(), z.object({ free: z.string(), locked: z.string() })),
  /** Fee of a market order as a share: 0.001 for 0.1 %. Absent in a wallet of an earlier version. */
  takerFee: z.number().optional(),
});
/** `marketMs` at wall time `wallMs`, advancing `speed` times as fast. */
export const marketClock = z.object({ marketMs: z.number(), wallMs: z.number(), speed: z.number() });
export type MarketClock = z.infer<typeof marketClock>;

export const marketTrend = z.object({
  at: z.iso.datetime(),
  /** Leading coins compared with their average price over a number of days. */
  leaders: z.array(
    z.object({
      symbol: z.string(),
      price: z.string(),
      average: z.string(),
      days: z.number(),
      trend: z.enum(['up', 'down']),
    }),
  ),
  /** Coins with the quote asset of the leaders whose price rose in the last 24 hours. */
  breadth: z.object({ up: z.number(), all: z.number() }),
});

export interface CandleSpan {
  readonly venue: Venue;
  readonly symbol: string;
  readonly interval: Interval;
  readonly fromMs: number;
  readonly toMs: number;
}
export const candlesFetched = z.object({ toMs: z.number(), problem: z.string().nullable() });

/** `watched`: a browser is connected to an api; repeated every {@link WATCHED_EVERY_MS} while one is. */
export const workerCommand = z.object({
  kind: z.enum(['profiles-changed', 'accounts-changed', 'halts-changed', 'alerts-changed', 'watched']),
});
export type WorkerCommand = z.infer<typeof workerCommand>;
