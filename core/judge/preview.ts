import { ceilToStep, formatDecimal, fromNumber, multiply } from '#core/amount/decimal.ts';
import { lossFraction } from '#core/sizing/budget.ts';
import { dearestPrice } from './entry.ts';
import type { JudgedOrder, Situation } from './situation.ts';

/**
 * The order with its estimated cost in the quote asset: `price` is the limit, or for a market buy the price with its buffer, up to the tick size.
 * `worstLoss` of a buy is its loss at the stop of the settings, both fees included; without a stop the whole cost.
 */
export function costOf(
  { side, form, quantity }: Pick<JudgedOrder, 'side' | 'form' | 'quantity'>,
  situation: Situation,
) {
  const { rules, terms, takerFee } = situation;
  const price = side === 'buy' ? dearestPrice(form, situation.price) : 'price' in form ? form.price : situation.price;
  const quote = multiply(quantity, price);
  const loss = lossFraction({ ...terms, price, rules }, takerFee);
  return {
    side,
    type: form.type,
    quantity: formatDecimal(quantity),
    price: formatDecimal(ceilToStep(price, rules.price.tick)),
    quote: formatDecimal(quote),
    quoteAsset: rules.quoteAsset,
    fee: formatDecimal(multiply(quote, fromNumber(takerFee))),
    worstLoss: side === 'buy' ? formatDecimal(multiply(quote, loss)) : null,
  };
}
