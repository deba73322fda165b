import { add, type Decimal, maximum, minimum, multiply, ZERO } from '#core/amount/decimal.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { ceil8 } from './commission.ts';
import { planFor } from './execution.ts';
import type { MatchingEngine } from './matching-engine.ts';
import { statusOf } from '#paper/market/symbol-market.ts';
import { isOpen, isStop, type NewOrder, type Order } from './order.ts';
import { addOrder, findByClientId } from './orders.ts';
import {
  DUPLICATE_ORDER,
  filterFailure,
  INSUFFICIENT_BALANCE,
  liquidityBelow,
  MARKET_CLOSED,
  NO_LIQUIDITY,
  type Refusal,
  rejected,
  TRIGGERS_IMMEDIATELY,
  WOULD_TAKE,
} from './refusal.ts';
import { isUnpriced, lockFor, paidAsset } from './settlement.ts';
import { EMPTY_PLAN, type Plan } from './taker.ts';
import { reachesStop } from './triggers.ts';

/** The matches of an order at the moment it starts to work. Empty for an order that waits for a price. */
export const planOf = (engine: MatchingEngine, request: NewOrder): Plan =>
  isStop(request.type) ? EMPTY_PLAN : planFor(engine, request);

/** The refusal of a client id that an open order of the account already uses. */
export function duplicateRefusal(engine: MatchingEngine, request: NewOrder): Refusal | undefined {
  const duplicate = findByClientId(engine.orders, request, request.clientOrderId);
  return duplicate !== undefined && isOpen(duplicate) ? rejected(DUPLICATE_ORDER) : undefined;
}

/**
 * The refusal of orders that cannot start now. Several orders are an OCO pair: one of them executes, so the money is
 * locked once.
 */
export function startRefusal(
  engine: MatchingEngine,
  requests: readonly NewOrder[],
  plans: readonly Plan[],
): Refusal | undefined {
  const [first] = requests;
  if (first === undefined) return undefined;
  const market = engine.market(first.symbol);
  const { rules } = market.listing;
  const { lastPrice } = market;
  if (lastPrice === undefined || statusOf(market) !== 'TRADING') return rejected(MARKET_CLOSED);
  for (const [at, request] of requests.entries()) {
    const plan = plans[at] ?? EMPTY_PLAN;
    const conflict = marketConflict(request, plan, lastPrice);
    if (conflict !== undefined) return rejected(conflict);
    const refusal = request.quoteQuantity > 0n ? amountRefusal(rules, plan) : undefined;
    if (refusal !== undefined) return refusal;
  }
  const { free } = engine.balances.balance(first.account, paidAsset(first.side, rules));
  const needed = requests
    .map((request, at) => lockAtStart(request, plans[at] ?? EMPTY_PLAN, lastPrice))
    .reduce(maximum, ZERO);
  return free < needed ? rejected(INSUFFICIENT_BALANCE) : undefined;
}

/** The refusal of a quote amount that does not give a tradable quantity. */
function amountRefusal({ lot, marketLot }: SymbolRules, plan: Plan): Refusal | undefined {
  if (plan.matches.length === 0) return rejected(NO_LIQUIDITY);
  const quantity = plannedQuantity(plan);
  if (quantity < lot.min) return rejected(liquidityBelow('LOT_SIZE'));
  if (quantity < marketLot.min) return rejected(liquidityBelow('MARKET_LOT_SIZE'));
  return marketLot.max > 0n && quantity > marketLot.max ? filterFailure('MARKET_LOT_SIZE') : undefined;
}

/** The message for an order that conflicts with the current market. */
function marketConflict(request: NewOrder, plan: Plan, lastPrice: Decimal): string | undefined {
  const crosses = plan.matches.length > 0 || plan.end === 'out of range';
  if (request.type === 'LIMIT_MAKER' && crosses) return WOULD_TAKE;
  const hasFixedStop = isStop(request.type) && request.stopPrice > 0n;
  return hasFixedStop && reachesStop(request, lastPrice) ? TRIGGERS_IMMEDIATELY : undefined;
}

/**
 * The amount that an order locks when it starts. A stop without a limit price locks for its stop price until it fires.
 */
export function lockAtStart(request: NewOrder, plan: Plan, lastPrice: Decimal): Decimal {
  if (request.quoteQuantity > 0n && request.side === 'SELL') return plannedQuantity(plan);
  if (!isUnpriced(request)) return lockFor(request, request.quantity);
  if (request.type === 'MARKET') return plan.quote;
  return ceil8(multiply(request.stopPrice > 0n ? request.stopPrice : lastPrice, request.quantity));
}

/** The quantity that a quote amount buys or sells: trades, plus what self-trade prevention takes from the taker. */
const plannedQuantity = (plan: Plan): Decimal =>
  plan.matches.reduce((sum, match) => (match.sparesTaker ? sum : add(sum, match.quantity)), ZERO);

/** Creates an order from a request. The order does not lock money or work yet. */
export function admitOrder(
  engine: MatchingEngine,
  request: NewOrder,
  given: { readonly plan: Plan; readonly listId: number; readonly pending: boolean; readonly atMs: number },
): Order {
  const quantity = request.quoteQuantity > 0n ? plannedQuantity(given.plan) : request.quantity;
  engine.orders.lastId += 1;
  const order: Order = {
    ...request,
    quantity,
    id: engine.orders.lastId,
    listId: given.listId,
    executed: ZERO,
    executedQuote: ZERO,
    prevented: ZERO,
    preventedMatchId: -1,
    status: given.pending ? 'PENDING_NEW' : 'NEW',
    locked: ZERO,
    working: false,
    workingMs: -1,
    trailingMs: -1,
    extreme: ZERO,
    shown: minimum(request.icebergQuantity, quantity),
    ahead: ZERO,
    createdMs: given.atMs,
    updatedMs: given.atMs,
    expiryReason: 'NONE',
  };
  addOrder(engine.orders, order);
  return order;
}
