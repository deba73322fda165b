import type { z } from 'zod';
import { isPhantom, totalOf } from '#core/position/cost-basis.ts';
import { APPROVAL_REASONS, describe } from '#core/decision/decision.ts';
import {
  add,
  type Decimal,
  divide,
  formatDecimal,
  multiply,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { isObject } from '#core/merge.ts';
import { unrealisedOf } from '#core/position/position.ts';
import { type OrphanLock, orphansOn } from '#core/account/orphan.ts';
import type { HaltView } from '#storage/trading/halts.ts';
import type { LogView } from '#storage/history/logs.ts';
import type { CoinRow } from '#storage/operator/profile-symbols.ts';
import type { OrderView } from '#storage/trading/order-views.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { killSwitch } from '#api/contract/halts.ts';
import type { coin, coinState, order, profile } from '#api/contract/profiles.ts';
import type { logRow } from '#api/contract/records.ts';
import type { CachedWallet, Prices, Rules } from '#api/frame/venues.ts';

/* Maps storage rows to the contract where they differ from it. The encoder drops what the contract does not name. */

/** Decimal text without the padding zeros of a numeric column. */
export const plain = (text: string): string => formatDecimal(requireDecimal(text));
export const plainOrNull = (text: string | null): string | null => (text === null ? null : plain(text));
const configOf = (stored: unknown): Record<string, unknown> => (isObject(stored) ? stored : {});

export const profileView = (view: ProfileView): z.output<typeof profile> => ({
  id: view.id,
  accountId: view.accountId,
  name: view.name,
  strategyName: view.strategyName,
  takesSignals: STRATEGIES.get(view.strategyName)?.takesSignals === true,
  config: configOf(view.config),
  enabled: view.enabled,
  symbols: [...view.symbols],
  createdAt: view.createdAt,
  updatedAt: view.updatedAt,
});

export const killSwitchView = (halt: HaltView | undefined): z.output<typeof killSwitch> => ({
  engaged: halt !== undefined,
  since: halt?.since ?? null,
  reason: halt?.reason ?? null,
  by: halt?.by ?? null,
  freeze: halt?.freeze ?? false,
  cancelEntryOrders: halt?.cancelEntries ?? false,
});

export const logRowView = (row: LogView): z.output<typeof logRow> => ({
  id: row.id,
  symbol: row.symbol,
  level: row.level,
  msg: row.msg,
  ctx: row.ctx,
  count: row.count,
  firstAt: row.firstAt,
  lastAt: row.lastAt,
});

export function orderView(row: OrderView): z.output<typeof order> {
  const filled = requireDecimal(row.filledQuantity);
  return {
    id: row.id,
    symbol: row.symbol,
    side: row.side,
    purpose: row.purpose,
    type: row.type,
    state: row.state,
    reason: row.reason,
    quantity: plain(row.quantity),
    price: plainOrNull(row.price),
    stopPrice: plainOrNull(row.stopPrice),
    filledQuantity: formatDecimal(filled),
    averageFillPrice: filled === 0n ? null : formatDecimal(divide(requireDecimal(row.filledQuote), filled)),
    clientOrderId: row.clientOrderId,
    exchangeOrderId: row.exchangeOrderId,
    createdAt: row.createdAt,
    updatedAt: row.updatedAt,
  };
}

const pauseView = ({ pausedAt, pausedUntil, pauseReason }: CoinRow): z.output<typeof coin>['pause'] =>
  pausedAt === null || pausedUntil === null ? null : { since: pausedAt, until: pausedUntil, reason: pauseReason };

interface CoinSurroundings {
  readonly rules: Rules | undefined;
  readonly prices: Prices;
  readonly wallet: CachedWallet | undefined;
  /** Positions of an asset in all coins of the account. */
  readonly held: (baseAsset: string) => Decimal;
  /** Amounts that orphan orders lock on the account. */
  readonly orphans: readonly OrphanLock[];
  readonly state: z.output<typeof coinState> | undefined;
}

/** Untracked quantity of the wallet beyond the positions, if it is large enough to be sold. */
function untrackedOf(row: CoinRow, { rules, prices, wallet, held, orphans }: CoinSurroundings): string | null {
  const known = rules?.get(row.symbol);
  const price = prices.get(row.symbol)?.price;
  if (known === undefined || price === undefined || wallet === undefined) return null;
  const taken = add(held(known.baseAsset), orphansOn(known.baseAsset, orphans).locked);
  const more = subtract(totalOf(wallet.balances, known.baseAsset) ?? ZERO, taken);
  return isPhantom(more, price, known) ? null : formatDecimal(more);
}

const LOCKED = 'base-locked-by-orphan';
const LEFT = {
  sentence:
    '{left} open {left:order|orders} of {asset} {left:belongs|belong} to no profile and {left:was|were} left: {locked} {asset} cannot be sold.',
  thresholds: [],
};

/** A buy order locks none of the coin. */
const UNLOCKED = {
  sentence:
    'Not buying: {orders} open {orders:order|orders} of {asset} {orders:belongs|belong} to no profile. Adopt, cancel or ignore {orders:it|them} under orphan orders.',
  thresholds: [],
};

/** An undecided orphan order blocks buys. A left one only locks its amount, which cannot be sold. */
function blockersOf(baseAsset: string | undefined, locks: readonly OrphanLock[]): z.output<typeof coin>['blockers'] {
  const { orders, left, locked } = orphansOn(baseAsset ?? '', locks);
  if (orders === 0) return [];
  const numbers = { asset: baseAsset ?? '', orders, left, locked: formatDecimal(locked) };
  const undecided = locked === ZERO ? UNLOCKED : APPROVAL_REASONS[LOCKED];
  return [{ code: LOCKED, sentence: describe(left < orders ? undecided : LEFT, numbers), numbers }];
}

export function coinView(row: CoinRow, surroundings: CoinSurroundings): z.output<typeof coin> {
  const { rules, prices, state } = surroundings;
  const known = rules?.get(row.symbol);
  const price = prices.get(row.symbol);
  const quantity = requireDecimal(row.quantity);
  const cost = requireDecimal(row.cost);
  const valued = price !== undefined && quantity > 0n;
  return {
    symbol: row.symbol,
    baseAsset: known?.baseAsset ?? null,
    quoteAsset: known?.quoteAsset ?? null,
    tickSize: known === undefined ? null : formatDecimal(known.price.tick),
    stepSize: known === undefined ? null : formatDecimal(known.lot.step),
    overrideConfig: configOf(row.overrideConfig),
    price: price === undefined ? null : formatDecimal(price.price),
    priceAt: price?.at ?? null,
    position: {
      quantity: formatDecimal(quantity),
      averagePrice: plain(row.averagePrice),
      cost: formatDecimal(cost),
      value: valued ? formatDecimal(multiply(quantity, price.price)) : null,
      unrealised: valued && row.note === null ? formatDecimal(unrealisedOf({ quantity, cost }, price.price)) : null,
      realised: plain(row.realised),
      fees: plain(row.fees),
      unvaluedFees: row.unvaluedFees,
      cycle: row.cycle,
      openedAt: row.openedAt,
    },
    pause: pauseView(row),
    cooldownUntil: row.cooldownUntil,
    costBasis:
      row.basisPrice === null
        ? null
        : { averageEntryPrice: plain(row.basisPrice), quantity: plain(row.basisQuantity ?? '0'), note: row.note },
    blockers: blockersOf(known?.baseAsset, surroundings.orphans),
    untracked: untrackedOf(row, surroundings),
    state: state ?? null,
  };
}
