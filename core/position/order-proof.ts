import { add, type Decimal, formatDecimal, negate, subtract, ZERO } from '#core/amount/decimal.ts';
import type { LedgerRow } from './ledger.ts';
import { isLiveOrder, type OrderState, type Side } from '#core/order/order.ts';

export interface ProofFacts {
  readonly side: Side;
  readonly state: OrderState;
  readonly quantity: Decimal;
  readonly filledQuantity: Decimal;
  readonly filledQuote: Decimal;
  readonly exchangeOrderId: string | null;
  readonly fills: readonly {
    readonly tradeId: string;
    readonly exchangeOrderId: string;
    readonly quantity: Decimal;
    readonly quoteQuantity: Decimal;
    readonly feeAmount: Decimal;
  }[];
  readonly ledger: readonly (LedgerRow & { readonly tradeId: string })[];
}

export const VERDICTS = ['proved', 'open', 'unknown', 'refused', 'never-arrived', 'not-sent', 'contradicted'] as const;
interface Verdict {
  readonly state: (typeof VERDICTS)[number];
  readonly sentence: string;
  /** Sums of the fills, and of their ledger rows. */
  readonly filled: Decimal;
  readonly booked: Decimal;
  /** Contradictions, one sentence each. */
  readonly problems: readonly string[];
}

const sum = (amounts: readonly Decimal[]): Decimal => amounts.reduce((total, amount) => add(total, amount), ZERO);

/** Compares an order, its fills and their ledger rows: every link from the decision to the ledger. */
export function verdictOf(facts: ProofFacts): Verdict {
  const filled = sum(facts.fills.map(({ quantity }) => quantity));
  const entries = facts.ledger.filter(({ book, reason }) => book === 'wallet' && reason === 'fill');
  const signed = entries.map(({ amount }) => (facts.side === 'buy' ? amount : negate(amount)));
  const booked = sum(signed.filter((amount) => amount > 0n));
  const problems = [...wholeProblems(facts, filled), ...facts.fills.flatMap((fill) => tradeProblems(facts, fill))];
  const state = problems.length > 0 ? 'contradicted' : stateOf(facts);
  const amounts = `Ordered ${formatDecimal(facts.quantity)}, filled ${formatDecimal(filled)}, recorded ${formatDecimal(booked)}.`;
  return { state, sentence: `${WORDS[state]} ${amounts}`, filled, booked, problems };
}

const WORDS: Readonly<Record<Verdict['state'], string>> = {
  proved: 'Proved.',
  open: 'Still open. So far everything matches.',
  unknown: 'No answer yet. It is not sent again before its outcome is certain.',
  refused: 'The exchange refused it.',
  'never-arrived': 'It never reached the exchange.',
  'not-sent': 'It was not sent.',
  contradicted: 'The records contradict each other.',
};

function stateOf({ state, exchangeOrderId }: ProofFacts): Verdict['state'] {
  if (state === 'intent' || state === 'unknown') return 'unknown';
  if (state === 'rejected') return 'refused';
  if (state === 'never-arrived') return 'never-arrived';
  if (isLiveOrder(state)) return 'open';
  return exchangeOrderId === null ? 'not-sent' : 'proved';
}

function wholeProblems({ quantity, filledQuantity, filledQuote, fills }: ProofFacts, filled: Decimal): string[] {
  const quote = sum(fills.map(({ quoteQuantity }) => quoteQuantity));
  const differ = (what: string, reported: Decimal, found: Decimal): string[] =>
    reported === found
      ? []
      : [`The exchange reported ${what} ${formatDecimal(reported)}, but the fills add up to ${formatDecimal(found)}.`];
  const more =
    filled > quantity ? [`The fills exceed the ordered quantity by ${formatDecimal(subtract(filled, quantity))}.`] : [];
  return [...differ('a quantity of', filledQuantity, filled), ...differ('a value of', filledQuote, quote), ...more];
}

function tradeProblems(facts: ProofFacts, fill: ProofFacts['fills'][number]): string[] {
  const { tradeId, quantity, quoteQuantity, feeAmount } = fill;
  const rows = facts.ledger.filter((row) => row.tradeId === tradeId);
  const problems: string[] = [];
  if (fill.exchangeOrderId !== facts.exchangeOrderId)
    problems.push(`Trade ${tradeId} belongs to order ${fill.exchangeOrderId}.`);
  for (const [asset, of] of Map.groupBy(rows, (row) => row.asset)) {
    if (sum(of.map(({ amount }) => amount)) !== ZERO)
      problems.push(`The ledger rows of trade ${tradeId} do not balance in ${asset}.`);
  }
  const inWallet = (reason: string, amount: Decimal): boolean =>
    rows.some((row) => row.book === 'wallet' && row.reason === reason && row.amount === amount);
  const [base, quote] = facts.side === 'buy' ? [quantity, negate(quoteQuantity)] : [negate(quantity), quoteQuantity];
  const whole =
    inWallet('fill', base) && inWallet('fill', quote) && (feeAmount === ZERO || inWallet('fee', negate(feeAmount)));
  return whole ? problems : [...problems, `The ledger rows of trade ${tradeId} differ from its fill.`];
}
