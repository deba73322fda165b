import type { ReactNode } from 'react';
import { useZone } from '#web/data/session.tsx';
import { signedPercent } from '#web/words/numbers.ts';
import { dayMark, minute } from '#web/words/time.ts';

export interface Line {
  readonly values: readonly number[];
  /** Intent is what could be; fact is what is; held is the coin itself. */
  readonly kind: 'intent' | 'fact' | 'held';
}

const STYLES = {
  intent: { stroke: 'var(--color-intent)', strokeWidth: 1.5 },
  fact: { stroke: 'var(--color-ink)', strokeWidth: 1.5 },
  held: { stroke: 'var(--color-ink-3)', strokeWidth: 1, strokeDasharray: '4 3' },
} as const;
const MARKS = 5;
/** Below this a day would stand on the axis more than once. */
const SHORT_MS = 4 * 86_400_000;

interface PlotProps {
  lines: readonly Line[];
  /** What the lines begin from. */
  balance: number;
  fromMs: number;
  toMs: number;
  label: string;
}

/** Equity over time; the labels at the right say what became of the balance. */
export function EquityPlot({ lines, balance, fromMs, toMs, label }: PlotProps): ReactNode {
  const zone = useZone();
  const markOf = toMs - fromMs < SHORT_MS ? minute : dayMark;
  const all = [balance, ...lines.flatMap(({ values }) => values)].filter(Number.isFinite);
  const low = Math.min(...all);
  const high = Math.max(...all);
  const span = Math.max(high - low, balance * 0.001);
  const y = (value: number): number => 4 + (1 - (value - low) / span) * 92;
  const pathOf = (values: readonly number[]): string =>
    [balance, ...values]
      .map(
        (value, i) =>
          `${i === 0 ? 'M' : 'L'}${((i / Math.max(1, values.length)) * 1000).toFixed(1)} ${y(value).toFixed(2)}`,
      )
      .join('');
  const ends = apart(
    lines.flatMap(({ values, kind }) => {
      const last = values.at(-1);
      return last === undefined ? [] : [{ kind, at: y(last), text: signedPercent(last / balance - 1, 1) }];
    }),
  );
  return (
    <div className="plot" role="img" aria-label={label}>
      <svg preserveAspectRatio="none" viewBox="0 0 1000 100" aria-hidden="true">
        <path d={`M0 ${y(balance)}H1000`} stroke="var(--color-rule-strong)" />
        {lines.map(({ values, kind }) => (
          <path key={kind} d={pathOf(values)} fill="none" {...STYLES[kind]} />
        ))}
      </svg>
      {ends.map(({ kind, at, text }) => (
        <span key={kind} className={`y ${kind}`} style={{ top: `${at}%` }}>
          {text}
        </span>
      ))}
      {Array.from({ length: MARKS }, (_, i) => (
        <span key={i} className="x" style={{ left: `${(i / (MARKS - 1)) * 100}%` }}>
          {markOf(fromMs + ((toMs - fromMs) * i) / (MARKS - 1), zone)}
        </span>
      ))}
    </div>
  );
}

const LEAST_GAP = 7;

/** Labels moved so far from each other that each can be read. */
function apart<Label extends { readonly at: number }>(labels: readonly Label[]): Label[] {
  let below = Number.NEGATIVE_INFINITY;
  return labels
    .toSorted((a, b) => a.at - b.at)
    .map((label) => {
      below = Math.max(label.at, below + LEAST_GAP);
      return { ...label, at: below };
    });
}
