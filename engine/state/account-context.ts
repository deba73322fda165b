import type { Account } from '#core/account/account.ts';
import type { Basket } from '#core/sizing/basket.ts';
import { type Decimal, ZERO } from '#core/amount/decimal.ts';
import { type Halt, haltsFor } from '#core/account/halts.ts';
import type { ProfileId } from '#core/ids.ts';
import type { OrderTiming } from '#core/order/order-timing.ts';
import type { OrphanLock } from '#core/account/orphan.ts';
import type { StateToKeep } from '#core/ports/store.ts';
import { createFeePrices, type FeePrices } from './fee-prices.ts';
import { createDeferredQueue, type DeferredQueue } from './deferred-queue.ts';
import type { EnginePorts } from './ports.ts';
import { createRiskBook, type RiskBook } from './risk-book.ts';
import { createWalletBook, type WalletBook } from './wallet-book.ts';

/** State that all coins of one account share for the duration of one lease. */
export interface AccountContext {
  readonly account: Account;
  readonly fencing: number;
  readonly ports: EnginePorts;
  readonly timing: OrderTiming;
  readonly wallet: WalletBook;
  readonly risk: RiskBook;
  /** Doubted: the last reported balances leave nothing to sell of a position, so the engine reads them again soon. */
  readonly balances: { doubted: boolean; readMs: number };
  /** `thirdAsset`: the asset of the newest fee, when it is neither the base nor the quote asset. */
  readonly fees: { taker: number; maker: number; thirdAsset: string | null };
  readonly feePrices: FeePrices;
  /** Permissions of the account at the exchange: they decide which coins it may trade. */
  permissions: readonly string[];
  readonly keyStatus: 'healthy' | 'error' | null;
  /** Halts as last read. The intent transaction reads them again and decides. */
  halts: readonly Halt[];
  /** Quantities locked by orders that no profile tracks, as last read. */
  orphans: readonly OrphanLock[];
  /**
   * Doubted: the exchange refused an order that the known rules allow, or the rules could not be read. The engine then
   * reads them again soon. `failures` counts failed reads in a row.
   */
  readonly rules: { doubted: boolean; readMs: number; failures: number };
  /** Latest time of a market event: market time is never earlier. */
  lastEventMs: number;
  /** Ends this run of the account; the owner rebuilds it from stored state. */
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal;
  /** Whether a request failed because the exchange refuses the API key. */
  readonly isKeyRefusal: (error: unknown) => boolean;
  /** By coin, why an open order could not be read; such a coin buys nothing. */
  readonly unreadOrders: Map<string, string>;
  /** By coin, how long positions had no stop on the exchange although they need one, since this run started (ms). */
  readonly unprotectedMs: Map<string, number>;
  /** Strategy states that changed since they were last stored, by coin. */
  readonly unsaved: Map<string, StateToKeep>;
  /** Records decisions that sent nothing, later and in order. */
  readonly deferred: DeferredQueue;
  /** Basket plans of the profiles, each with the config that it was computed from. */
  readonly baskets: Map<ProfileId, { readonly config: string; readonly basket: Basket }>;
  /** Value of the running coins' positions in a quote asset. */
  positionValue: (quoteAsset: string) => Decimal;
}

export interface AccountContextInput {
  readonly account: Account;
  readonly fencing: number;
  readonly keyStatus: 'healthy' | 'error' | null;
  readonly ports: EnginePorts;
  readonly timing: OrderTiming;
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal;
  /** Whether a request failed because the exchange refuses the API key. */
  readonly isKeyRefusal: (error: unknown) => boolean;
}

export function createAccountContext(input: AccountContextInput): AccountContext {
  const now = (): Date => marketNow(context);
  const { log, market } = input.ports;
  const context: AccountContext = {
    ...input,
    wallet: createWalletBook(),
    risk: createRiskBook(() => input.ports.store.risk(input.account.id, now()), now),
    balances: { doubted: false, readMs: Number.NEGATIVE_INFINITY },
    fees: { taker: 0.001, maker: 0.001, thirdAsset: null },
    feePrices: createFeePrices({ prices: () => market.prices(), marketMs: () => marketMs(context), log }),
    permissions: [],
    halts: [],
    orphans: [],
    unreadOrders: new Map(),
    lastEventMs: 0,
    rules: { doubted: false, readMs: Number.NEGATIVE_INFINITY, failures: 0 },
    unprotectedMs: new Map(),
    unsaved: new Map(),
    deferred: createDeferredQueue(input.fail),
    baskets: new Map(),
    positionValue: () => ZERO,
  };
  return context;
}

/** Market time now in ms: the exchange's clock, or the latest event where that is ahead. */
export const marketMs = (context: AccountContext): number =>
  Math.max(context.ports.market.clock.marketMs(), context.lastEventMs);

export const marketNow = (context: AccountContext): Date => new Date(marketMs(context));

export const haltsOf = (context: AccountContext, profileId: ProfileId): Halt[] =>
  haltsFor(context.halts, context.account.id, profileId);
