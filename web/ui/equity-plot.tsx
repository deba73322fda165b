import type { ReactNode } from 'react';
import { useZone } from '#web/data/session.tsx';
import { areasBetween, labelPlaces, type Point, rangeOf } from './equity-shape.ts';
import { NARROW_SPACE, numberText, signedPercent } from './numbers.ts';
import { apart, roundTicks } from './scale.ts';
import { dayMark, minute } from './time.ts';

interface Line {
  /** At the `times` of the plot, else at even distances. */
  readonly values: readonly number[];
  /** `intent`: a simulated run; `fact`: measured or saved; `held`: buy and hold. */
  readonly kind: 'intent' | 'fact' | 'held';
  /** Distinguishes several lines of a kind; written at the end of the line. */
  readonly name?: string;
  /** Stroke pattern of the line. */
  readonly dash?: string;
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
  /** The value that a share is of, and that a line marks. */
  balance: number;
  fromMs: number;
  toMs: number;
  label: string;
  /** Labels in money instead of a share of the balance. */
  inMoney?: boolean;
  /** Of each value, in ms. */
  times?: readonly number[];
  /** False where the plot below shows the times of both. */
  axis?: boolean;
  /** The main plot of a page: higher on a wide screen, with more grid lines. */
  tall?: boolean;
}

/** Equity over time with grid lines at round values; the area between fact and buy and hold is tinted. */
export function EquityPlot(props: PlotProps): ReactNode {
  const { lines, balance, fromMs, toMs, label, times, inMoney = false, axis = true, tall = false } = props;
  const { low, high } = rangeOf([balance, ...lines.flatMap(({ values }) => values)].filter(Number.isFinite));
  const y = (value: number): number => 4 + (1 - (value - low) / (high - low || 1)) * 92;
  const valueOf = (tick: number): number => (inMoney ? tick : balance * (1 + tick));
  const [from, to] = inMoney ? [low, high] : [low / balance - 1, high / balance - 1];
  const ticks = roundTicks(from, to, tall ? 6 : 4);
  const lasts = lines.flatMap(({ values, kind, name }) => {
    const value = values.at(-1);
    return value === undefined ? [] : [{ kind, name, at: y(value), tick: inMoney ? value : value / balance - 1 }];
  });
  const shown = inMoney ? 1 : 100;
  const places = labelPlaces(ticks.map((tick) => tick * shown));
  const lastPlaces = Math.min(
    labelPlaces(
      lasts.map(({ tick }) => tick * shown),
      Math.max(places, inMoney ? 0 : 1),
    ),
    2,
  );
  const textOf = (tick: number, digits = places): string =>
    inMoney ? numberText(tick, digits) : signedPercent(tick, digits);
  const ends = apart(
    lasts.map(({ tick, ...end }) => ({
      ...end,
      text: `${textOf(tick, Math.max(places, lastPlaces))}${end.name === undefined ? '' : ` ${end.name}`}`,
    })),
  );
  const rules = ticks.map((tick) => {
    const at = y(valueOf(tick));
    const text = tick === 0 && !inMoney ? `0${NARROW_SPACE}%` : textOf(tick);
    return { at, text, free: ends.every((end) => Math.abs(end.at - at) >= 7) };
  });
  const drawn = lines.map(({ values, ...line }) => ({ ...line, points: pointsOf(values.map(y), times) }));
  // With several lines of a kind the area between two of them says nothing.
  const isNamed = lines.some(({ name }) => name !== undefined);
  return (
    <div className={tall ? 'plot tall' : 'plot'} role="img" aria-label={label}>
      <svg preserveAspectRatio="none" viewBox="0 0 1000 100" aria-hidden="true">
        {rules.map(({ at, text }) => (
          <path key={text} d={`M0 ${at}H1000`} stroke="var(--color-rule)" />
        ))}
        <path d={`M0 ${y(balance)}H1000`} stroke="var(--color-rule-strong)" />
        {isNamed ? null : <Between lines={drawn} />}
        {drawn.map(({ points, kind, name = kind, dash }) => (
          <path
            key={name}
            d={pathOf(points)}
            fill="none"
            {...STYLES[kind]}
            {...(dash === undefined ? {} : { strokeDasharray: dash })}
          />
        ))}
      </svg>
      {rules.map(({ at, text, free }) =>
        free ? (
          <span key={text} className="y" style={{ top: `${at}%` }}>
            {text}
          </span>
        ) : null,
      )}
      {ends.map(({ kind, name = kind, at, text }) => (
        <span key={name} className={`y ${kind}`} style={{ top: `${at}%` }}>
          {text}
        </span>
      ))}
      {axis ? <TimeAxis fromMs={fromMs} toMs={toMs} /> : null}
    </div>
  );
}

/** Five times below a plot. */
export function TimeAxis({ fromMs, toMs }: { fromMs: number; toMs: number }): ReactNode {
  const zone = useZone();
  const markOf = toMs - fromMs < SHORT_MS ? minute : dayMark;
  return MARKS.map((part) => (
    <span key={part} className="x" style={{ left: `${part * 100}%`, transform: `translateX(${part * -100}%)` }}>
      {markOf(fromMs + (toMs - fromMs) * part, zone)}
    </span>
  ));
}

/** Points from left to right, at their times where these are known. */
export function pointsOf(ys: readonly number[], times?: readonly number[]): Point[] {
  const last = Math.max(1, ys.length - 1);
  const [fromMs = 0, toMs = 1] = [times?.[0], times?.[last]];
  return ys.map((y, i) => [
    (times === undefined ? i / last : ((times[i] ?? 0) - fromMs) / (toMs - fromMs || 1)) * 1000,
    y,
  ]);
}

export const pathOf = (points: readonly Point[]): string =>
  points.map(([x, y], i) => `${i === 0 ? 'M' : 'L'}${x.toFixed(1)} ${y.toFixed(2)}`).join('');

/** The area between fact and buy and hold: gain colour where fact is above, loss colour where below. */
function Between({ lines }: { lines: readonly { kind: Line['kind']; points: readonly Point[] }[] }): ReactNode {
  const fact = lines.find(({ kind }) => kind === 'fact')?.points;
  const held = lines.find(({ kind }) => kind === 'held')?.points;
  if (fact === undefined || held === undefined) return null;
  const { above, below } = areasBetween(fact, held);
  const area = (outlines: typeof above): string => outlines.map((outline) => `${pathOf(outline)}Z`).join('');
  return (
    <>
      <path d={area(above)} fill="var(--color-gain)" opacity={0.16} />
      <path d={area(below)} fill="var(--color-loss)" opacity={0.16} />
    </>
  );
}
