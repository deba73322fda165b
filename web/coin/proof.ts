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
  /** Wall time; null where only the sequence is known. */
  readonly at: string | null;
  readonly state: 'proved' | 'open' | 'failed';
  readonly numbers: readonly (readonly [string, string])[];
  /** The complete record. */
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
  decision: { title: 'Decided', sentence: 'The tick of this decision.' },
  request: { title: 'Signed and sent', sentence: 'The signature and the key are never stored.' },
  answer: { title: 'Acknowledged by the exchange', sentence: 'The exchange accepted the request.' },
  event: { title: 'Exchange update', sentence: 'The exchange reported the order on the account stream.' },
  lookup: { title: 'Order lookup', sentence: 'The outcome was unknown, so the service queried the exchange.' },
  cancel: { title: 'Cancel decided', sentence: 'The tick that cancelled the order.' },
};

/** An update from the exchange: `The exchange reported the order partially filled, 0.5 filled.` */
function reportedIn(detail: unknown): string | undefined {
  const [state, filled] = [textOf(detail, 'state'), textOf(detail, 'filledQuantity')];
  if (state === undefined || filled === undefined) return undefined;
  const quantity = Number(filled) > 0 ? `${filled} filled` : 'not filled';
  return `The exchange reported the order ${state.replaceAll('-', ' ')}, ${quantity}.`;
}

function evidenceLink({ kind, at, detail }: Evidence): Link {
  const { title, sentence } = EVIDENCE[kind];
  const source = isObject(detail) && isObject(detail['decision']) ? detail['decision'] : detail;
  const failed = kind === 'answer' && isObject(detail) && detail['error'] !== undefined;
  const reported = kind === 'event' ? reportedIn(detail) : undefined;
  return {
    title: failed ? 'Error from the exchange' : title,
    sentence:
      textOf(source, 'sentence') ?? reported ?? (failed ? 'The exchange did not accept the request.' : sentence),
    at,
    state: failed ? 'failed' : 'proved',
    numbers: numbersIn(source),
    detail,
  };
}

/** An order from the tick of its decision to its ledger rows, oldest first. */
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
      title: 'Approved and recorded',
      sentence: 'One transaction committed the order, the new strategy state and the kill switch check.',
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
      'The service looks the order up once the request can no longer be in flight. If the exchange does not know the order, it was not received; otherwise the service adopts it with its fills.';
    return [{ title: 'Confirmation due', sentence, at: verdict.certainAt, state: 'open', numbers: [] }];
  }
  if (fills.length === 0) {
    if (verdict.state !== 'open') return [];
    const sentence = 'The order is open on the exchange, nothing is filled yet.';
    return [{ title: 'Open, waiting for its price', sentence, at: null, state: 'open', numbers: [] }];
  }
  const parts = fills.length === 1 ? '' : ` in ${fills.length} parts`;
  const rows = ledger.length === 1 ? 'One ledger row' : `${ledger.length} ledger rows`;
  return [
    {
      title: `Filled${parts}`,
      sentence: 'Duplicate reports are ignored.',
      at: null,
      state: 'proved',
      numbers: order.exchangeOrderId === null ? [] : [['exchange id', order.exchangeOrderId]],
      table: 'fills',
    },
    {
      title: 'Recorded in the ledger',
      sentence: `${rows}, double entry: each asset balances to zero.`,
      at: null,
      state: verdict.problems.length === 0 ? 'proved' : 'failed',
      numbers: [],
      table: 'ledger',
    },
  ];
}

/** Execution cost: prices in the quote asset, slippage in percent of the decision price, fees per asset, latency in ms. */
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
  if (decided > 0) rows.push({ words: 'Decision price', value: priceText(decided) });
  if (paid > 0) rows.push({ words: 'Average price', value: priceText(paid) });
  if (decided > 0 && paid > 0 && order.stopPrice === null) {
    const against = (paid / decided - 1) * (order.side === 'buy' ? 100 : -100);
    rows.push({ words: 'Slippage', value: `${against.toFixed(3)} %` });
  }
  const fees = Map.groupBy(fills, ({ feeAsset }) => feeAsset ?? '');
  for (const [asset, group] of fees) {
    const total = group.reduce((sum, { feeAmount }) => sum + Number(feeAmount), 0);
    rows.push({ words: 'Fee', value: `${Number(total.toPrecision(8))} ${asset}` });
  }
  if (request !== undefined && answer !== undefined) {
    rows.push({ words: 'Latency', value: `${Date.parse(answer.at) - Date.parse(request.at)} ms` });
  }
  return rows;
}
