import { type Decimal, divide, floorToStep, multiply, ONE, subtract } from '#core/amount/decimal.ts';
import type { OrderForm } from '#core/order/order.ts';
import { isSellable } from '#core/position/position.ts';
import { capRooms, lossFraction } from '#core/sizing/budget.ts';
import { sizeEntry } from '#core/sizing/sizing.ts';
import { refusalOf } from './checks.ts';
import { BUFFERED } from './entry.ts';
import { judgeSale, mostSellable } from './exit.ts';
import { type Judgement, refuse, type Situation } from './situation.ts';

export interface ManualSize {
  readonly by: 'quantity' | 'quote';
  readonly amount: Decimal;
}

/** A manual order; the price of a limit order is a multiple of the tick size. */
export type ManualRequest =
  | { readonly side: 'buy'; readonly limit: Decimal | null; readonly size: ManualSize }
  | { readonly side: 'sell'; readonly limit: Decimal | null; readonly size: ManualSize | 'all' };

type ManualBuy = Extract<ManualRequest, { side: 'buy' }>;
type ManualSale = Extract<ManualRequest, { side: 'sell' }>;

const formOf = ({ limit }: ManualRequest): OrderForm =>
  limit === null ? { type: 'market' } : { type: 'limit', price: limit };

/** Approves or refuses a manual order as requested: no cap and no balance makes it smaller. */
export function judgeManual(request: ManualRequest, situation: Situation): Judgement {
  const refusal = refusalOf(`manual-${request.side}`, situation);
  if (refusal !== undefined) return refusal;
  return request.side === 'buy' ? judgeBuy(request, situation) : judgeManualSale(request, situation);
}

function judgeBuy(request: ManualBuy, situation: Situation): Judgement {
  const { rules, terms, takerFee, baseFeeRate, position } = situation;
  const { limit, size } = request;
  const { stopMultiple, stopLimitOffset } = terms;
  const price = limit ?? situation.price;
  const entry = { price, rules, stopMultiple, stopLimitOffset, baseFeeRate };
  const worth = multiply(size.amount, multiply(price, limit === null ? BUFFERED : ONE));
  const budget = size.by === 'quote' ? size.amount : worth;
  const held = position.quantity;
  const used = multiply(held, position.averagePrice);
  const caps = terms.caps ?? { symbolExposure: null, positionLoss: null };
  const [tightest] = capRooms(caps, { used, loss: lossFraction(entry, takerFee), wider: situation.limits.rooms() });
  if (tightest !== undefined && tightest.room < budget) {
    const { reason, cap, room } = tightest;
    return refuse(reason, { cap, used: tightest.used, room });
  }
  const freeQuote = situation.freeQuote();
  if (freeQuote < budget) return refuse('size-no-funds', { free: freeQuote, wanted: budget });
  const exact = size.by === 'quantity' ? { quantity: size.amount } : {};
  const sizing = sizeEntry({ ...entry, ...exact, budget, held, freeQuote, waits: limit !== null });
  if (sizing.kind === 'refused') return refuse(sizing.reason, sizing.numbers);
  const order = { side: 'buy', purpose: 'manual', form: formOf(request), quantity: sizing.quantity } as const;
  return { kind: 'approved', order, facts: sizing.numbers };
}

function judgeManualSale(request: ManualSale, situation: Situation): Judgement {
  const { rules } = situation;
  const { size } = request;
  const most = mostSellable(situation);
  const price = request.limit ?? situation.price;
  const amount = size === 'all' ? most : size.amount;
  const wanted = size !== 'all' && size.by === 'quote' ? divide(amount, price) : amount;
  const quantity = floorToStep(wanted, rules.lot.step);
  if (wanted > most) return refuse('size-more-than-held', { wanted, most });
  const left = subtract(most, quantity);
  if (quantity > 0n && left > 0n && !isSellable(left, situation.price, rules)) {
    return refuse('size-leaves-dust', { left, most });
  }
  return judgeSale({ quantity, purpose: 'manual', form: formOf(request) }, situation);
}
