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

/** What all coins of one account share while one lease lasts. */
export interface AccountContext {
  readonly account: Account;
  readonly fencing: number;
  readonly ports: EnginePorts;
  readonly timing: OrderTiming;
  readonly wallet: WalletBook;
  readonly risk: RiskBook;
  /** Doubted: balances as last reported leave nothing to sell of a position, so they are read again soon. */
  readonly balances: { doubted: boolean; readMs: number };
  /** `thirdAsset`: what the newest fee was paid in, where that was neither coin of its pair. */
  readonly fees: { taker: number; maker: number; thirdAsset: string | null };
  readonly feePrices: FeePrices;
  /** Of the account at the exchange: they decide which coins it may trade. */
  permissions: readonly string[];
  readonly keyStatus: 'healthy' | 'error' | null;
  /** Halts as last read; the intent transaction reads them again and decides. */
  halts: readonly Halt[];
  /** What orders that no profile tracks hold locked, as last seen. */
  orphans: readonly OrphanLock[];
  /**
   * Doubted: the exchange refused an order that its rules as known allow, or they could not be read, so they are read again
   * soon. `failures` counts reads that failed one after the other.
   */
  readonly rules: { doubted: boolean; readMs: number; failures: number };
  /** Latest time carried by a market event: market time never lies before it. */
  lastEventMs: number;
  /** Ends this run of the account; the owner rebuilds it from stored facts. */
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal;
  /** Whether a request failed because the exchange refuses the API key. */
  readonly isKeyRefusal: (error: unknown) => boolean;
  /** Why an open order of a coin could not be read; such a coin buys nothing. */
  readonly unreadOrders: Map<string, string>;
  /** For how long positions that want a stop on the exchange have been without one, by coin, since this run began. */
  readonly unprotectedMs: Map<string, number>;
  /** States of strategies that have changed since they were last kept, by coin. */
  readonly unsaved: Map<string, StateToKeep>;
  /** Writes down decisions that sent nothing. */
  readonly deferred: DeferredQueue;
  /** Plans over all coins of a profile, with the config they are made by. */
  readonly baskets: Map<ProfileId, { readonly config: string; readonly basket: Basket }>;
  /** Worth of the running coins' positions in a quote asset. */
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
