import { isObject } from '#core/merge.ts';
import type { Proposal } from '#web/data/proposals.ts';
import { money, quantity } from '#web/ui/numbers.ts';

/** The order of a proposal: as the preview of the worker calculates it, else as the program wants it. Amounts are texts. */
export interface OrderTerms {
  readonly side: 'buy' | 'sell';
  readonly isLimit: boolean;
  /** The pair's asset that is bought or sold. */
  readonly base: string;
  readonly quoteAsset: string;
  readonly quantity: string | null;
  /** The limit, or the market price with the buffer of a buy. */
  readonly price: string | null;
  readonly quote: string | null;
  readonly fee: string | null;
  /** Of a buy, at its stop. */
  readonly worstLoss: string | null;
}

type Described = Pick<Proposal, 'order' | 'preview' | 'symbol' | 'quoteAsset'>;

const textIn = (values: unknown, name: string): string | null => {
  const value = isObject(values) ? values[name] : undefined;
  return typeof value === 'string' ? value : null;
};

export function termsOf({ order, preview, symbol, quoteAsset }: Described): OrderTerms {
  const judged = preview?.state === 'done' ? preview.detail : undefined;
  return {
    side: textIn(order, 'side') === 'sell' ? 'sell' : 'buy',
    isLimit: textIn(order, 'type') === 'limit',
    base: symbol.endsWith(quoteAsset) ? symbol.slice(0, -quoteAsset.length) : symbol,
    quoteAsset,
    quantity: textIn(judged, 'quantity') ?? textIn(order, 'quantity'),
    price: textIn(judged, 'price') ?? textIn(order, 'price'),
    quote: textIn(judged, 'quote') ?? textIn(order, 'quoteAmount'),
    fee: textIn(judged, 'fee'),
    worstLoss: textIn(judged, 'worstLoss'),
  };
}

/** All places of a quantity: the worker has it on the lot size already. */
const exact = (value: string): string => quantity(value, value);

/** `Buy 0.00486 BTC for 300.03 USDT`, which also names what a confirmation does. */
export function orderText(terms: OrderTerms): string {
  const { side, base, quoteAsset, quote } = terms;
  const what = terms.quantity === null ? base : `${exact(terms.quantity)} ${base}`;
  const worth =
    quote === null ? '' : ` for ${side === 'sell' ? 'about ' : ''}${money(quote, quoteAsset)} ${quoteAsset}`;
  return `${side === 'buy' ? 'Buy' : 'Sell'} ${what}${worth}`;
}

/** `1:24` until `expiresAt`; `0:00` after it. */
export function timeLeft(expiresAt: string, nowMs: number): string {
  const seconds = Math.max(0, Math.ceil((Date.parse(expiresAt) - nowMs) / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** The outcome of a proposal in words; `reason` is a sentence of the worker. */
export function outcomeText({ state, preview, action }: Pick<Proposal, 'state' | 'preview' | 'action'>): {
  readonly words: string;
  readonly reason: string | null;
  readonly isRefused: boolean;
} {
  const plain = (words: string) => ({ words, reason: null, isRefused: false });
  const refused = (words: string, reason: string | null) => ({ words, reason, isRefused: true });
  if (state === 'denied') return plain('Denied by you');
  if (state === 'cancelled') return plain('Withdrawn by the program');
  if (state !== 'approved') {
    if (preview?.state === 'refused') return refused('Rejected by the worker', preview.reason);
    return state === 'expired' ? plain('Expired') : refused('Not judged by the worker in time', null);
  }
  if (action?.state === 'refused') return refused('Approved, rejected', action.reason);
  if (action?.state === 'expired') return refused('Approved, not carried out in time', null);
  if (action?.state !== 'done') return plain('Approved, sent to the worker…');
  const order = textIn(action.detail, 'state');
  return plain(order === null ? 'Approved' : `Approved, ${order.replaceAll('-', ' ')}`);
}

/** The order of a proposal that was carried out. */
export const orderIdOf = ({ action }: Pick<Proposal, 'action'>): string | null => textIn(action?.detail, 'orderId');
