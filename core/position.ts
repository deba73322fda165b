import { add, type Decimal, divide, floorToStep, maximum, multiply, subtract, ZERO } from './decimal.ts';
import type { ExchangeFill } from './fill.ts';
import type { SymbolRules } from './symbol.ts';

/**
 * The position of (profile, symbol): the fold of its fills and recorded adjustments, in base units and quote prices.
 * A cycle runs from flat to flat; what is left below the sellable minimum carries over with its average price.
 */
export interface Position {
  readonly quantity: Decimal;
  readonly averagePrice: Decimal;
  readonly peakQuantity: Decimal;
  readonly cycle: number;
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
  /** Gain of a sell against the average price, fees in quote included; zero for a buy. */
  readonly realised: Decimal;
  /** True when this fill closed the cycle, as what is left can no longer be sold, or amended the net of the closed one. */
  readonly closedCycle: boolean;
}

/** A quantity can be sold at `price` when it holds one minimum lot worth the minimum order value. */
export function isSellable(quantity: Decimal, price: Decimal, rules: SymbolRules): boolean {
  const lots = floorToStep(quantity, rules.lot.step);
  return lots > 0n && lots >= rules.lot.min && multiply(lots, price) >= rules.notional.min;
}

/**
 * Folds one fill (design: strategies-exact 1.4). A fee in the base asset lowers what a buy adds; a fee in quote lowers
 * the net; so does a fee in a third asset by its value `feeQuote`, where that is known.
 */
export function foldFill(position: Position, fill: ExchangeFill, context: FoldContext): FoldResult {
  return fill.side === 'buy' ? foldBuy(position, fill, context) : foldSell(position, fill, context);
}

interface FoldContext {
  readonly rules: SymbolRules;
  readonly cooldownMs: number;
  readonly feeQuote?: Decimal | null;
}

function foldBuy(position: Position, fill: ExchangeFill, { rules, feeQuote }: FoldContext): FoldResult {
  const inBase = fill.feeAsset === rules.baseAsset;
  const inQuote = fill.feeAsset === rules.quoteAsset;
  const received = inBase ? subtract(fill.quantity, fill.feeAmount) : fill.quantity;
  const quantity = add(position.quantity, received);
  const heldCost = multiply(position.averagePrice, position.quantity);
  const cost = add(heldCost, multiply(fill.price, received));
  const fee = inQuote ? fill.feeAmount : (feeQuote ?? ZERO);
  const fresh = position.firstBuyAt === null;
  const spent = add(add(fill.quoteQuantity, fee), fresh ? heldCost : ZERO);
  return {
    position: {
      ...position,
      quantity,
      averagePrice: quantity === 0n ? ZERO : divide(cost, quantity),
      peakQuantity: maximum(position.peakQuantity, quantity),
      cycle: fresh ? position.cycle + 1 : position.cycle,
      cycleNet: subtract(fresh ? ZERO : position.cycleNet, spent),
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
  const { rules, feeQuote } = context;
  const soldBase = fill.feeAsset === rules.baseAsset ? add(fill.quantity, fill.feeAmount) : fill.quantity;
  const fee = fill.feeAsset === rules.quoteAsset ? fill.feeAmount : (feeQuote ?? ZERO);
  const proceeds = subtract(fill.quoteQuantity, fee);
  const realised = subtract(proceeds, multiply(position.averagePrice, fill.quantity));
  const quantity = maximum(subtract(position.quantity, soldBase), ZERO);
  const averagePrice = quantity === 0n ? ZERO : position.averagePrice;
  const held = { ...position, quantity, averagePrice, lastFillAt: fill.at };
  if (position.firstBuyAt === null) {
    // The tail of an exit whose earlier fill closed the cycle: the rest was valued at cost there, this is its gain.
    const net = add(position.lastCycleNet ?? ZERO, realised);
    return { position: closeCycle(held, net, context), realised, closedCycle: position.lastCycleNet !== null };
  }
  const cycleNet = add(position.cycleNet, proceeds);
  if (isSellable(quantity, fill.price, rules)) return { position: { ...held, cycleNet }, realised, closedCycle: false };
  const net = add(cycleNet, multiply(quantity, averagePrice));
  return { position: closeCycle(held, net, context), realised, closedCycle: true };
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
 * Folds an adjustment: the position holds `quantity` at `averagePrice` from now on. A held position goes on with its
 * cycle, whose net takes over the new cost; otherwise a cycle begins as if the quantity had just been bought. A position
 * that is no longer held ends its cycle without a gain or a loss, because nothing was sold.
 */
export function foldAdjustment(position: Position, { quantity, averagePrice, held, at }: Adjustment): Position {
  const set = { ...position, quantity, averagePrice, lastFillAt: at };
  if (!held) {
    return { ...set, peakQuantity: ZERO, cycleNet: ZERO, filledQuote: ZERO, firstBuyAt: null, lastCycleNet: null };
  }
  const running = position.firstBuyAt !== null;
  const gained = running ? add(position.cycleNet, multiply(position.quantity, position.averagePrice)) : ZERO;
  return {
    ...set,
    peakQuantity: running ? maximum(position.peakQuantity, quantity) : quantity,
    cycle: running ? position.cycle : position.cycle + 1,
    cycleNet: subtract(gained, multiply(quantity, averagePrice)),
    firstBuyAt: position.firstBuyAt ?? at,
    cooldownUntil: null,
  };
}
