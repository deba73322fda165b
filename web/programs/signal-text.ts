import type { listInlets } from '#api/contract/signals.ts';
import type { Answer } from '#api/contract/operation.ts';
import { whole } from '#web/ui/numbers.ts';

export type Inlet = Answer<typeof listInlets>['inlets'][number];
type Outcome = Inlet['outcomes'][number];

/** A new or replaced secret of an inlet, with the path of its address; never shown again. */
export interface InletSecret {
  readonly id: string;
  readonly name: string;
  readonly path: string;
  readonly secret: string;
}

const REFUSALS: Readonly<Record<string, string>> = {
  'signal-late': 'too old',
  'signal-ahead': 'from the future',
  'signal-unknown-coin': 'of a coin that is not bound',
  'signal-overtaken': 'older than another signal',
};

const isState =
  (...states: readonly Outcome['state'][]) =>
  ({ state }: Outcome): boolean =>
    states.includes(state);
const sumOf = (outcomes: readonly Outcome[]): number => outcomes.reduce((sum, { count }) => sum + count, 0);

/** The accepted signals: `12: 9 with an order, 2 without one, 1 waits`. */
export function acceptedText(outcomes: readonly Outcome[]): string {
  const accepted = outcomes.filter(isState('used', 'ended', 'pending'));
  const parts = [
    [sumOf(accepted.filter(isState('used'))), 'with an order'],
    [sumOf(accepted.filter(isState('ended'))), 'without one'],
    [sumOf(accepted.filter(isState('pending'))), 'waiting'],
  ] as const;
  return withParts(
    sumOf(accepted),
    parts.map(([count, words]) => ({ count, words })),
  );
}

/** The refused signals with their reasons: `3: 2 too old, 1 from the future`. */
export function refusedText(outcomes: readonly Outcome[]): string {
  const refused = outcomes.filter(isState('refused'));
  return withParts(
    sumOf(refused),
    refused.map(({ count, reason }) => ({ count, words: REFUSALS[reason ?? ''] ?? reason ?? 'for another reason' })),
  );
}

function withParts(total: number, parts: readonly { count: number; words: string }[]): string {
  const named = parts.filter(({ count }) => count > 0).map(({ count, words }) => `${whole(count)} ${words}`);
  if (named.length > 1) return `${whole(total)}: ${named.join(', ')}`;
  return named[0] ?? 'none';
}

/** A body for an alert of TradingView, which fills in the placeholders. */
export const alertBody = (secret: string): string =>
  JSON.stringify({ secret, action: 'buy', symbol: '{{exchange}}:{{ticker}}', time: '{{timenow}}' }, null, 1);
