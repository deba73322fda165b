import { add, type Decimal, divide, floorToStep, maximum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import { type ExchangeFill, feeValueOf } from '#core/order/fill.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/**
 * The position of (profile, symbol): the fold of its fills and recorded adjustments, in base units and quote prices.
 * A cycle runs from flat to flat. A rest below the sellable minimum carries over at its average price.
 */
export interface Position {
  readonly quantity: Decimal;
  /** Average entry price, without fees. */
  readonly averagePrice: Decimal;
  /** Cost of the current quantity, including the fees of its buys (quote). */
  readonly cost: Decimal;
  readonly peakQuantity: Decimal;
  readonly cycle: number;
  /** Realised P&L of the current cycle so far, net of all fees. */
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
  /** Realised P&L of a sell: proceeds less its fee and less the cost of the sold quantity; zero for a buy. */
  readonly realised: Decimal;
  /** True when this fill closed the cycle because the rest cannot be sold, or changed the net of the closed cycle. */
  readonly closedCycle: boolean;
}

/** A quantity can be sold at `price` when it holds one minimum lot worth the minimum order value. */
export function isSellable(quantity: Decimal, price: Decimal, rules: Pick<SymbolRules, 'lot' | 'notional'>): boolean {
  const lots = floorToStep(quantity, rules.lot.step);
  return lots > 0n && lots >= rules.lot.min && multiply(lots, price) >= rules.notional.min;
}

/** Unrealised P&L before the fee of a sale: quantity * price less its cost with all fees. */
export const unrealisedOf = ({ quantity, cost }: Pick<Position, 'quantity' | 'cost'>, price: Decimal): Decimal =>
  subtract(multiply(quantity, price), cost);

/**
 * Folds one fill. This is the only definition of cost and P&L, live and in a backtest. The cost of a buy includes its fee,
 * in any asset. A fee in base reduces the bought quantity. A fee in a third asset counts with its value `feeQuote`, when
 * known. A sale takes its share of the cost. The sale that closes the cycle takes the whole cost except the plain price of
 * the rest. All realised and unrealised P&L therefore sum to the money received less the money paid, to the last digit.
 */
export function foldFill(position: Position, fill: ExchangeFill, context: FoldContext): FoldResult {
  return fill.side === 'buy' ? foldBuy(position, fill, context) : foldSell(position, fill, context);
}

interface FoldContext {
  readonly rules: SymbolRules;
  readonly cooldownMs: number;
  /** Value in quote of a fee in a third asset. */
  readonly feeQuote?: Decimal | null;
}

/** The fee in quote that is paid in addition to the price. A fee in base reduces the quantity instead. */
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
  // An earlier fill of the exit may have closed the cycle. The rest of the exit adds to the P&L of that cycle.
  const tail = position.firstBuyAt === null;
  const net = add(tail ? (position.lastCycleNet ?? ZERO) : position.cycleNet, realised);
  const closedCycle = !tail || position.lastCycleNet !== null;
  return { position: closeCycle(held, net, context), realised, closedCycle };
}

/** The part that carries over to the next cycle. Only a net loss starts a cool-down. */
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

/** A change of a position that is not a fill. */
export interface Adjustment {
  readonly quantity: Decimal;
  readonly averagePrice: Decimal;
  /** False: price and quantity stay on record without a position. */
  readonly held: boolean;
  readonly at: Date;
}

/**
 * Folds an adjustment: the position now holds `quantity` at `averagePrice`, which is its whole cost. An open position
 * continues its cycle. Otherwise a cycle starts as if the quantity had just been bought. No P&L is realised, because
 * nothing was sold. A position that is no longer held ends its cycle without P&L.
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
