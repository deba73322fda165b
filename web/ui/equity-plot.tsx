import { type ReactNode, useId } from 'react';
import { useZone } from '#web/data/session.tsx';
import { NARROW_SPACE, numberText, signedPercent } from './numbers.ts';
import { apart, roundTicks } from './scale.ts';
import { dayMark, minute } from './time.ts';

interface Line {
  readonly values: readonly number[];
  /** `intent`: a simulated run; `fact`: measured or saved; `held`: buy and hold. */
  readonly kind: 'intent' | 'fact' | 'held';
}

const STYLES = {
  intent: { stroke: 'var(--color-intent)', strokeWidth: 1.5 },
  fact: { stroke: 'var(--color-ink)', strokeWidth: 1.5 },
  held: { stroke: 'var(--color-ink-3)', strokeWidth: 1, strokeDasharray: '4 3' },
} as const;
/** A shorter range labels its axis with minutes instead of days. */
const SHORT_MS = 4 * 86_400_000;
const MARKS = [0, 0.25, 0.5, 0.75, 1] as const;

interface PlotProps {
  lines: readonly Line[];
  /** Start value of the lines. */
  balance: number;
  fromMs: number;
  toMs: number;
  label: string;
  /** Labels in money instead of a share of the balance. */
  inMoney?: boolean;
}

/** Equity over time with grid lines at round values; the area between fact and buy and hold is tinted. */
export function EquityPlot({ lines, balance, fromMs, toMs, label, inMoney = false }: PlotProps): ReactNode {
  const zone = useZone();
  const markOf = toMs - fromMs < SHORT_MS ? minute : dayMark;
  const all = [balance, ...lines.flatMap(({ values }) => values)].filter(Number.isFinite);
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const span = Math.max(high - low, balance * 0.001);
  const y = (value: number): number => 4 + (1 - (value - low) / span) * 92;
  const places = span < 5 ? 2 : 0;
  const small = Math.abs(span / balance) < 0.04 ? 1 : 0;
  const textOf = (value: number): string =>
    inMoney ? numberText(value, places) : signedPercent(value / balance - 1, small);
  const ends = apart(
    lines.flatMap(({ values, kind }) => {
      const last = values.at(-1);
      if (last === undefined) return [];
      return [{ kind, at: y(last), text: inMoney ? textOf(last) : signedPercent(last / balance - 1, 1) }];
    }),
  );
  const rules = (inMoney ? roundTicks(low, high) : roundTicks(low / balance - 1, high / balance - 1)).map((tick) => {
    const value = inMoney ? tick : balance * (1 + tick);
    const text = tick === 0 && !inMoney ? `0${NARROW_SPACE}%` : textOf(value);
    return { at: y(value), text, free: ends.every(({ at }) => Math.abs(at - y(value)) >= 7) };
  });
  return (
    <div className="plot" role="img" aria-label={label}>
      <svg preserveAspectRatio="none" viewBox="0 0 1000 100" aria-hidden="true">
        {rules.map(({ at, text }) => (
          <path key={text} d={`M0 ${at}H1000`} stroke="var(--color-rule)" />
        ))}
        <path d={`M0 ${y(balance)}H1000`} stroke="var(--color-rule-strong)" />
        <Between lines={lines} y={y} />
        {lines.map(({ values, kind }) => (
          <path key={kind} d={pathOf([balance, ...values], y)} fill="none" {...STYLES[kind]} />
        ))}
      </svg>
      {rules.map(({ at, text, free }) =>
        free ? (
          <span key={text} className="y" style={{ top: `${at}%` }}>
            {text}
          </span>
        ) : null,
      )}
      {ends.map(({ kind, at, text }) => (
        <span key={kind} className={`y ${kind}`} style={{ top: `${at}%` }}>
          {text}
        </span>
      ))}
      {MARKS.map((part) => (
        <span key={part} className="x" style={{ left: `${part * 100}%`, transform: `translateX(${part * -100}%)` }}>
          {markOf(fromMs + (toMs - fromMs) * part, zone)}
        </span>
      ))}
    </div>
  );
}

const pathOf = (values: readonly number[], y: (value: number) => number): string =>
  values
    .map(
      (value, i) =>
        `${i === 0 ? 'M' : 'L'}${((i / Math.max(1, values.length - 1)) * 1000).toFixed(1)} ${y(value).toFixed(2)}`,
    )
    .join('');

/** The area between fact and buy and hold: gain colour where fact is above, loss colour where below. */
function Between({ lines, y }: { lines: readonly Line[]; y: (value: number) => number }): ReactNode {
  const id = useId();
  const fact = lines.find(({ kind }) => kind === 'fact')?.values;
  const held = lines.find(({ kind }) => kind === 'held')?.values;
  if (fact === undefined || held === undefined || fact.length < 2 || held.length !== fact.length) return null;
  const edge = pathOf(held, y);
  const area = `${pathOf(fact, y)}V200H0Z`;
  return (
    <>
      <clipPath id={`${id}a`}>
        <path d={`${edge}V-100H0Z`} />
      </clipPath>
      <clipPath id={`${id}b`}>
        <path d={`${pathOf(fact, y)}V-100H0Z`} />
      </clipPath>
      <path d={area} clipPath={`url(#${id}a)`} fill="var(--color-gain)" opacity={0.16} />
      <path d={`${edge}V200H0Z`} clipPath={`url(#${id}b)`} fill="var(--color-loss)" opacity={0.16} />
    </>
  );
}
