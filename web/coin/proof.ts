import { isObject } from '#core/merge.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { readOrderProof } from '#api/contract/proof.ts';
import { atLeastCents } from '#web/ui/numbers.ts';

export type Proof = Answer<typeof readOrderProof>;
type Evidence = Proof['evidence'][number];

/** `0:11` until zero. */
export function countdown(ms: number): string {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** A link of the chain from the decision to the ledger. */
export interface Link {
  readonly title: string;
  readonly sentence: string;
  /** Wall time; null where only the order of things is known. */
  readonly at: string | null;
  readonly state: 'proved' | 'open' | 'failed';
  readonly numbers: readonly (readonly [string, string])[];
  /** What was recorded, whole. */
  readonly detail?: unknown;
  readonly table?: 'fills' | 'ledger';
}

const textOf = (value: unknown, name: string): string | undefined => {
  const found = isObject(value) ? value[name] : undefined;
  return typeof found === 'string' || typeof found === 'number' ? String(found) : undefined;
};

function numbersIn(detail: unknown): Link['numbers'] {
  const numbers = isObject(detail) && isObject(detail['numbers']) ? detail['numbers'] : {};
  return Object.entries(numbers).flatMap(([name, value]) =>
    typeof value === 'string' || typeof value === 'number' ? [[name, String(value)] as const] : [],
  );
}

const EVIDENCE: Readonly<Record<Evidence['kind'], { readonly title: string; readonly sentence: string }>> = {
  decision: { title: 'Decided', sentence: 'The tick that decided it.' },
  request: { title: 'Signed and sent', sentence: 'The signature and the key are never stored.' },
  answer: { title: 'Answered', sentence: 'What the exchange replied.' },
  event: { title: 'Told on the account’s stream', sentence: 'What the exchange reported by itself.' },
  lookup: { title: 'Asked: does it exist?', sentence: 'The outcome was unknown, so the exchange was asked.' },
  cancel: { title: 'Decided to cancel', sentence: 'The tick that cancelled it.' },
};

/** What the exchange said of the order by itself: `The exchange reported it filled, 0.5 executed so far.` */
function reportedIn(detail: unknown): string | undefined {
  const [state, filled] = [textOf(detail, 'state'), textOf(detail, 'filledQuantity')];
  if (state === undefined || filled === undefined) return undefined;
  const executed = Number(filled) > 0 ? `${filled} executed so far` : 'nothing executed yet';
  return `The exchange reported it ${state.replaceAll('-', ' ')}, ${executed}.`;
}

function evidenceLink({ kind, at, detail }: Evidence): Link {
  const { title, sentence } = EVIDENCE[kind];
  const told = isObject(detail) && isObject(detail['decision']) ? detail['decision'] : detail;
  const failed = kind === 'answer' && isObject(detail) && detail['error'] !== undefined;
  const reported = kind === 'event' ? reportedIn(detail) : undefined;
  return {
    title,
    sentence: textOf(told, 'sentence') ?? reported ?? sentence,
    at,
    state: failed ? 'failed' : 'proved',
    numbers: numbersIn(told),
    detail,
  };
}

/** The way of an order, from the tick that decided it to its rows in the ledger, in the order of time. */
export function chainOf({ order, evidence, fills, ledger, verdict }: Proof): Link[] {
  const decided = evidence.filter(({ kind }) => kind === 'decision');
  const later = evidence.filter(({ kind }) => kind !== 'decision');
  const first: Link[] =
    decided.length > 0
      ? decided.map(evidenceLink)
      : [
          {
            ...EVIDENCE.decision,
            sentence: textOf(order.decision, 'sentence') ?? `Reason: ${order.reason}.`,
            at: null,
            state: 'proved',
            numbers: numbersIn(order.decision),
            detail: order.decision,
          },
        ];
  return [
    ...first,
    {
      title: 'Approved and written down',
      sentence: 'The order, the new state of the strategy and the check of the kill switch were committed together.',
      at: order.recordedAt,
      state: 'proved',
      numbers: [
        ['quantity', order.quantity],
        ['lease', order.fencing],
        ['client id', order.clientOrderId],
      ],
    },
    ...later.map(evidenceLink),
    ...endOf({ order, fills, ledger, verdict }),
  ];
}

function endOf({ order, fills, ledger, verdict }: Pick<Proof, 'order' | 'fills' | 'ledger' | 'verdict'>): Link[] {
  if (verdict.state === 'unknown') {
    const sentence =
      'Once the request can no longer be under way, an exchange that does not know the order proves that it never arrived; anything else is adopted with its executions.';
    return [{ title: 'Then it will be certain', sentence, at: verdict.certainAt, state: 'open', numbers: [] }];
  }
  if (fills.length === 0) {
    if (verdict.state !== 'open') return [];
    const sentence = 'It rests on the exchange and has executed nothing yet.';
    return [{ title: 'Waits for its price', sentence, at: null, state: 'open', numbers: [] }];
  }
  const times = fills.length === 1 ? 'once' : `in ${fills.length} parts`;
  const booked = ledger.length === 1 ? 'One ledger row' : `${ledger.length} ledger rows`;
  return [
    {
      title: `Executed ${times}`,
      sentence: 'Each execution counts once, however often the exchange tells of it.',
      at: null,
      state: 'proved',
      numbers: order.exchangeOrderId === null ? [] : [['exchange id', order.exchangeOrderId]],
      table: 'fills',
    },
    {
      title: 'Booked',
      sentence: `${booked}; what goes out of one book comes into another, so that each asset adds up to zero.`,
      at: null,
      state: verdict.problems.length === 0 ? 'proved' : 'failed',
      numbers: [],
      table: 'ledger',
    },
  ];
}

/** What the execution cost against the price of the decision, in hundredths of a percent. */
export function costOf({ order, evidence, fills }: Proof, quote: string): { words: string; value: string }[] {
  const priceText = (value: number): string => `${atLeastCents(String(value))} ${quote}`.trim();
  const decision = evidence.find(({ kind }) => kind === 'decision')?.detail ?? order.decision;
  const input = isObject(decision) && isObject(decision['input']) ? decision['input'] : {};
  const numbers = new Map(
    numbersIn(isObject(decision) && isObject(decision['decision']) ? decision['decision'] : decision),
  );
  const decided = Number(textOf(input, 'price') ?? numbers.get('price'));
  const paid = Number(order.averageFillPrice);
  const request = evidence.find(({ kind }) => kind === 'request');
  const answer = evidence.find(({ kind }) => kind === 'answer');
  const rows: { words: string; value: string }[] = [];
  if (decided > 0) rows.push({ words: 'Price when decided', value: priceText(decided) });
  if (paid > 0) rows.push({ words: order.side === 'buy' ? 'Average paid' : 'Average got', value: priceText(paid) });
  if (decided > 0 && paid > 0 && order.stopPrice === null) {
    const against = (paid / decided - 1) * (order.side === 'buy' ? 100 : -100);
    rows.push({ words: 'Lost to the market’s movement', value: `${against.toFixed(3)} %` });
  }
  const fees = Map.groupBy(fills, ({ feeAsset }) => feeAsset ?? '');
  for (const [asset, group] of fees) {
    const total = group.reduce((sum, { feeAmount }) => sum + Number(feeAmount), 0);
    rows.push({ words: 'Fee', value: `${Number(total.toPrecision(8))} ${asset}` });
  }
  if (request !== undefined && answer !== undefined) {
    rows.push({ words: 'Round trip', value: `${Date.parse(answer.at) - Date.parse(request.at)} ms` });
  }
  return rows;
}
