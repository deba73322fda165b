import { add, type Decimal, divide, floorToStep, maximum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { type ExchangeFill, feeValueOf } from '#core/order/fill.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/**
 * The position of (profile, symbol): the fold of its fills and recorded adjustments, in base units and quote prices.
 * A cycle runs from flat to flat; what is left below the sellable minimum carries over at its average price.
 */
export interface Position {
  readonly quantity: Decimal;
  /** What a unit was bought at, fees left out: the average entry price of the specification. */
  readonly averagePrice: Decimal;
  /** What was paid for what is held now, the fees of its buys included (quote). */
  readonly cost: Decimal;
  readonly peakQuantity: Decimal;
  readonly cycle: number;
  /** Realised profit of the present cycle until now, net of all fees. */
  readonly cycleNet: Decimal;
  readonly filledQuote: Decimal;
  readonly firstBuyAt: Date | null;
  readonly lastFillAt: Date | null;
  readonly cooldownUntil: Date | null;
  readonly lastCycleNet: Decimal | null;
}

export const FLAT: Position = {
  quantity: ZERO,
  averagePrice: ZERO,
  cost: ZERO,
  peakQuantity: ZERO,
  cycle: 0,
  cycleNet: ZERO,
  filledQuote: ZERO,
  firstBuyAt: null,
  lastFillAt: null,
  cooldownUntil: null,
  lastCycleNet: null,
};

export interface FoldResult {
  readonly position: Position;
  /** Realised profit of a sell: what came in less its fee and less the cost of what was sold; zero for a buy. */
  readonly realised: Decimal;
  /** True when this fill closed the cycle, as what is left can no longer be sold, or amended the net of the closed one. */
  readonly closedCycle: boolean;
}

/** A quantity can be sold at `price` when it holds one minimum lot worth the minimum order value. */
export function isSellable(quantity: Decimal, price: Decimal, rules: SymbolRules): boolean {
  const lots = floorToStep(quantity, rules.lot.step);
  return lots > 0n && lots >= rules.lot.min && multiply(lots, price) >= rules.notional.min;
}

/** Profit that a sale would realise now, before its fee: what is held at `price` less what it cost with all fees. */
export const unrealisedOf = ({ quantity, cost }: Pick<Position, 'quantity' | 'cost'>, price: Decimal): Decimal =>
  subtract(multiply(quantity, price), cost);

/**
 * Folds one fill. This is the one definition of cost and profit, live and in a backtest: the cost of a buy is everything
 * paid for it, whatever the asset of the fee; a fee in the base asset lowers what a buy adds, one in a third asset counts
 * with its value `feeQuote`, where that is known. A sale takes its share of the cost. The one that closes the cycle takes
 * all of it but the plain price of what is left. So all profits, realised and unrealised, sum to what came in less what
 * was paid, to the last digit.
 */
export function foldFill(position: Position, fill: ExchangeFill, context: FoldContext): FoldResult {
  return fill.side === 'buy' ? foldBuy(position, fill, context) : foldSell(position, fill, context);
}

interface FoldContext {
  readonly rules: SymbolRules;
  readonly cooldownMs: number;
  /** What a fee in a third asset is worth in quote. */
  readonly feeQuote?: Decimal | null;
}

/** The fee in quote that is paid in addition to the price; a fee in base is part of the quantity instead. */
const paidFee = (fill: ExchangeFill, { rules, feeQuote }: FoldContext): Decimal =>
  fill.feeAsset === rules.baseAsset ? ZERO : (feeValueOf(fill, rules, feeQuote ?? null) ?? ZERO);

function foldBuy(position: Position, fill: ExchangeFill, context: FoldContext): FoldResult {
  const inBase = fill.feeAsset === context.rules.baseAsset;
  const received = inBase ? subtract(fill.quantity, fill.feeAmount) : fill.quantity;
  const quantity = add(position.quantity, received);
  const prices = add(multiply(position.averagePrice, position.quantity), multiply(fill.price, received));
  const fresh = position.firstBuyAt === null;
  return {
    position: {
      ...position,
      quantity,
      averagePrice: quantity === 0n ? ZERO : divide(prices, quantity),
      cost: add(position.cost, add(fill.quoteQuantity, paidFee(fill, context))),
      peakQuantity: maximum(position.peakQuantity, quantity),
      cycle: fresh ? position.cycle + 1 : position.cycle,
      cycleNet: fresh ? ZERO : position.cycleNet,
      filledQuote: add(position.filledQuote, fill.quoteQuantity),
      firstBuyAt: position.firstBuyAt ?? fill.at,
      lastFillAt: fill.at,
      cooldownUntil: null,
    },
    realised: ZERO,
    closedCycle: false,
  };
}

function foldSell(position: Position, fill: ExchangeFill, context: FoldContext): FoldResult {
  const { rules } = context;
  const soldBase = fill.feeAsset === rules.baseAsset ? add(fill.quantity, fill.feeAmount) : fill.quantity;
  const proceeds = subtract(fill.quoteQuantity, paidFee(fill, context));
  const quantity = maximum(subtract(position.quantity, soldBase), ZERO);
  const averagePrice = quantity === 0n ? ZERO : position.averagePrice;
  const runs = position.firstBuyAt !== null && isSellable(quantity, fill.price, rules);
  const cost = runs
    ? subtract(position.cost, divide(multiply(position.cost, soldBase), position.quantity))
    : multiply(quantity, averagePrice);
  const realised = subtract(proceeds, subtract(position.cost, cost));
  const held = { ...position, quantity, averagePrice, cost, lastFillAt: fill.at };
  if (runs) return { position: { ...held, cycleNet: add(position.cycleNet, realised) }, realised, closedCycle: false };
  // The tail of an exit whose earlier fill closed the cycle adds to the profit of that cycle.
  const tail = position.firstBuyAt === null;
  const net = add(tail ? (position.lastCycleNet ?? ZERO) : position.cycleNet, realised);
  const closedCycle = !tail || position.lastCycleNet !== null;
  return { position: closeCycle(held, net, context), realised, closedCycle };
}

/** What carries over to the next cycle; only a loss, fees counted, pauses entries. */
function closeCycle(position: Position, net: Decimal, { cooldownMs }: FoldContext): Position {
  const pausedFrom = net < 0n && cooldownMs > 0 ? position.lastFillAt : null;
  return {
    ...position,
    peakQuantity: ZERO,
    cycleNet: ZERO,
    filledQuote: ZERO,
    firstBuyAt: null,
    cooldownUntil: pausedFrom === null ? null : new Date(pausedFrom.getTime() + cooldownMs),
    lastCycleNet: net,
  };
}

/** What a position is set to by something that is no fill. */
export interface Adjustment {
  readonly quantity: Decimal;
  readonly averagePrice: Decimal;
  /** False keeps price and quantity on record without a position. */
  readonly held: boolean;
  readonly at: Date;
}

/**
 * Folds an adjustment: the position holds `quantity` at `averagePrice` from now on, and that is its whole cost. A held
 * position goes on with its cycle; otherwise a cycle begins as if the quantity had just been bought. Nothing is realised,
 * because nothing was sold: a position that is no longer held ends its cycle without a gain or a loss.
 */
export function foldAdjustment(position: Position, { quantity, averagePrice, held, at }: Adjustment): Position {
  const set = { ...position, quantity, averagePrice, cost: multiply(quantity, averagePrice), lastFillAt: at };
  if (!held) {
    return { ...set, peakQuantity: ZERO, cycleNet: ZERO, filledQuote: ZERO, firstBuyAt: null, lastCycleNet: null };
  }
  const running = position.firstBuyAt !== null;
  return {
    ...set,
    peakQuantity: running ? maximum(position.peakQuantity, quantity) : quantity,
    cycle: running ? position.cycle : position.cycle + 1,
    cycleNet: running ? position.cycleNet : ZERO,
    firstBuyAt: position.firstBuyAt ?? at,
    cooldownUntil: null,
  };
}
