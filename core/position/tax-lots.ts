import { add, type Decimal, divide, multiply, subtract, ZERO } from '#core/amount/decimal.ts';

export const LOT_METHODS = ['fifo', 'average'] as const;
export type LotMethod = (typeof LOT_METHODS)[number];

/** A change of a holding, oldest first: a fill, or an adjustment by the operator that replaces the holding. */
export type LotEvent =
  | {
      readonly kind: 'bought';
      readonly at: Date;
      /** Base units received, less a fee in the base asset. */
      readonly quantity: Decimal;
      /** Cost in quote, fees included. */
      readonly cost: Decimal;
      /** A fee in a third asset has no known value and is left out. */
      readonly unvalued?: boolean;
    }
  | {
      readonly kind: 'sold';
      readonly at: Date;
      readonly tradeId: string;
      readonly quantity: Decimal;
      /** Proceeds in quote, less fees. */
      readonly proceeds: Decimal;
      readonly unvalued?: boolean;
    }
  | { readonly kind: 'restated'; readonly at: Date; readonly quantity: Decimal; readonly cost: Decimal };

interface Lot {
  readonly at: Date;
  readonly quantity: Decimal;
  readonly cost: Decimal;
  readonly unvalued: boolean;
}

/** A sold lot, or a part of one. */
interface Disposal {
  readonly tradeId: string;
  /** Null with the average method: the sold quantity has no single purchase date. */
  readonly acquiredAt: Date | null;
  readonly disposedAt: Date;
  readonly quantity: Decimal;
  readonly cost: Decimal;
  readonly proceeds: Decimal;
  readonly gain: Decimal;
  /** A fee of its purchase or sale has no known value: the gain is too high by that fee. */
  readonly unvaluedFee: boolean;
}

/** Share `part` of `whole` of an amount. Consecutive parts add up to the whole amount. */
const shareOf = (amount: Decimal, part: Decimal, whole: Decimal): Decimal =>
  part >= whole ? amount : divide(multiply(amount, part), whole);

function average(lots: readonly Lot[]): Lot[] {
  const [first] = lots;
  if (first === undefined) return [];
  const sum = (pick: (lot: Lot) => Decimal): Decimal => lots.reduce((total, lot) => add(total, pick(lot)), ZERO);
  const unvalued = lots.some((lot) => lot.unvalued);
  return [{ at: first.at, quantity: sum(({ quantity }) => quantity), cost: sum(({ cost }) => cost), unvalued }];
}

/**
 * Folds the events of one coin into disposals (quote units). `fifo` sells the oldest lot first, `average` sells from one
 * pool. A quantity sold beyond all lots has a cost of zero. Gains and remaining lots add up exactly to all movements.
 */
export function foldLots(
  events: Iterable<LotEvent>,
  method: LotMethod,
): { readonly disposals: Disposal[]; readonly left: { readonly quantity: Decimal; readonly cost: Decimal } } {
  const disposals: Disposal[] = [];
  let lots: Lot[] = [];
  for (const event of events) {
    if (event.kind === 'sold') lots = sell(lots, event, disposals);
    else {
      const { at, quantity, cost } = event;
      const unvalued = event.kind === 'bought' && event.unvalued === true;
      const next = [...(event.kind === 'restated' ? [] : lots), { at, quantity, cost, unvalued }];
      lots = method === 'average' ? average(next) : next;
    }
  }
  const pooled = average(lots)[0];
  const anonymous = method === 'average' ? disposals.map((one) => ({ ...one, acquiredAt: null })) : disposals;
  return { disposals: anonymous, left: { quantity: pooled?.quantity ?? ZERO, cost: pooled?.cost ?? ZERO } };
}

/** Removes a sale from the lots, oldest first; returns the remaining lots. */
function sell(lots: readonly Lot[], sale: Extract<LotEvent, { kind: 'sold' }>, disposals: Disposal[]): Lot[] {
  const { tradeId, at: disposedAt } = sale;
  let { quantity, proceeds } = sale;
  const left = [...lots];
  while (quantity > 0n) {
    const lot = left[0];
    const part = lot === undefined || lot.quantity > quantity ? quantity : lot.quantity;
    const cost = lot === undefined ? ZERO : shareOf(lot.cost, part, lot.quantity);
    const income = shareOf(proceeds, part, quantity);
    if (part > 0n) {
      const gain = subtract(income, cost);
      disposals.push({
        tradeId,
        acquiredAt: lot?.at ?? null,
        disposedAt,
        quantity: part,
        cost,
        proceeds: income,
        gain,
        unvaluedFee: sale.unvalued === true || lot?.unvalued === true,
      });
    }
    left.shift();
    if (lot !== undefined && lot.quantity > part)
      left.unshift({ ...lot, quantity: subtract(lot.quantity, part), cost: subtract(lot.cost, cost) });
    quantity = subtract(quantity, part);
    proceeds = subtract(proceeds, income);
  }
  return left;
}
