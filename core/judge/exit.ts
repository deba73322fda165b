import { type Decimal, fromSteps, maximum, minimum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import type { Decision } from '#core/decision/decision.ts';
import { isSellable } from '#core/position/position.ts';
import { sellableQuantity } from '#core/sizing/sizing.ts';
import { refusalOf } from './checks.ts';
import { type Judgement, type JudgedOrder, refuse, type Situation } from './situation.ts';

/** Approves or refuses a sale of the strategy, and sizes it. */
export function judgeExit({ lots }: Extract<Decision, { kind: 'sell' }>, situation: Situation): Judgement {
  const refusal = refusalOf('exit', situation);
  if (refusal !== undefined) return refusal;
  const most = mostSellable(situation);
  const wanted = lots === 'all' ? most : minimum(most, fromSteps(lots, situation.rules.lot.step));
  return judgeSale({ quantity: wanted, purpose: 'exit', form: { type: 'market' } }, situation);
}

/** The largest sale: the position less open sales, at most what the wallet has free or locked in the own stop. */
export const mostSellable = ({ rules, position, freeBase, stop, quantityInOpenSells }: Situation): Decimal =>
  sellableQuantity({
    position: maximum(subtract(position.quantity, quantityInOpenSells), ZERO),
    walletFree: freeBase,
    ownLocked: stop?.left ?? ZERO,
    rules,
  });

/** Approves a sale of this quantity, unless nothing is free or the exchange would refuse its value. */
export function judgeSale(
  { quantity, purpose, form }: Pick<JudgedOrder, 'quantity' | 'purpose' | 'form'>,
  situation: Situation,
): Judgement {
  const { rules, freeBase } = situation;
  if (quantity <= 0n) return nothingFree(situation);
  const unitPrice = form.type === 'limit' ? form.price : situation.price;
  if (!isSellable(quantity, unitPrice, rules)) {
    const value = multiply(quantity, unitPrice);
    return refuse('exit-unsellable', { lots: quantity, value, minNotional: rules.notional.min });
  }
  const order: JudgedOrder = { side: 'sell', purpose, form, quantity };
  return { kind: 'approved', order, facts: { quantity, free: freeBase } };
}

function nothingFree({ freeBase, position, live }: Situation): Judgement {
  const free = { free: freeBase, position: position.quantity };
  const [order, locked] = [live?.orphans.lockedBy.join(', ') ?? '', live?.orphans.locked ?? ZERO];
  if (order === '') return refuse('exit-nothing-free', free);
  return refuse('exit-locked-by-orphan', { ...free, order, locked });
}
