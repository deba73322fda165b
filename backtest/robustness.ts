import type { CandleColumns } from '#core/candle.ts';
import { INTERVAL_MS } from '#core/candle.ts';
import { lowerBound, sliceColumns } from '#core/candle-columns.ts';
import { add, divide, fromNumber, formatDecimal, multiply, readDecimal, requireDecimal } from '#core/decimal.ts';
import { isObject } from '#core/merge.ts';
import { randomFrom } from '#core/random.ts';
import { withValue } from '#strategies/knobs.ts';
import type { AnyStrategy, BoundStrategy } from '#strategies/strategy.ts';
import type { Series } from './columns.ts';
import { type KernelInput, runKernel } from './kernel.ts';

import { evaluate } from './sweep/row.ts';

/** Values that a share of all outcomes lies below. */
export interface Band {
  readonly p5: number;
  readonly p50: number;
  readonly p95: number;
}

const bandOf = (values: readonly number[]): Band => {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
  return { p5: at(0.05), p50: at(0.5), p95: at(0.95) };
};

function deepestFall(steps: Iterable<number>, start: number): number {
  let [peak, deepest] = [start, 0];
  for (const equity of steps) {
    peak = Math.max(peak, equity);
    deepest = Math.max(deepest, 1 - equity / peak);
  }
  return deepest;
}

const RUNS = 1000;

/**
 * What else the same trades and days could have come to, a thousand times over: `shuffled` is the deepest fall with the
 * closed cycles in another order; `resampled` draws blocks of about sqrt(n) daily returns with replacement (circular
 * block bootstrap), which keeps what belongs together. Null with nothing to draw from. Repeatable by `seed`.
 */
export function monteCarlo(
  { balance, nets, returns }: { balance: number; nets: readonly number[]; returns: readonly number[] },
  seed = 1,
) {
  if (nets.length < 2 || returns.length < 2) return null;
  const random = randomFrom(seed);
  const shuffled = Array.from({ length: RUNS }, () => {
    const order = [...nets];
    for (let i = order.length - 1; i > 0; i--) {
      const j = Math.floor(random() * (i + 1));
      [order[i], order[j]] = [order[j] ?? 0, order[i] ?? 0];
    }
    let equity = balance;
    return deepestFall(
      order.map((net) => (equity += net)),
      balance,
    );
  });
  const block = Math.max(1, Math.round(Math.sqrt(returns.length)));
  const paths = Array.from({ length: RUNS }, () => {
    let equity = 1;
    let at = 0;
    const steps = returns.map((_value, day) => {
      if (day % block === 0) at = Math.floor(random() * returns.length);
      equity *= 1 + (returns[(at + (day % block)) % returns.length] ?? 0);
      return equity;
    });
    return { totalReturn: equity - 1, drawdown: deepestFall(steps, 1) };
  });
  const finals = paths.map(({ totalReturn }) => totalReturn);
  return {
    shuffled: { drawdown: bandOf(shuffled) },
    resampled: {
      totalReturn: bandOf(finals),
      drawdown: bandOf(paths.map(({ drawdown }) => drawdown)),
      lossShare: finals.filter((value) => value < 0).length / RUNS,
    },
  };
}

/** One small change and what became of the run. */
export interface Variant {
  readonly change: string;
  readonly totalReturn: number;
  readonly drawdown: number;
}

const FACTORS = [requireDecimal('0.9'), requireDecimal('1.1')];

/** Every number of a config with its path, ten percent down and up; whole numbers move by at least one. */
function* nearConfigs(
  config: unknown,
  path: readonly string[] = [],
): Generator<{ change: string; at: readonly string[]; value: unknown }> {
  if (Array.isArray(config) || isObject(config)) {
    for (const [key, value] of Object.entries(config)) yield* nearConfigs(value, [...path, key]);
    return;
  }
  const number =
    typeof config === 'number'
      ? readDecimal(String(config))
      : typeof config === 'string'
        ? readDecimal(config)
        : undefined;
  if (number === undefined || number <= 0n) return;
  for (const [i, factor] of FACTORS.entries()) {
    const moved = formatDecimal(multiply(number, factor));
    const whole = Number(config) + (i === 0 ? -1 : 1) * Math.max(1, Math.round(Number(config) / 10));
    const value = typeof config === 'number' ? whole : moved;
    yield { change: `${path.join('.')} ${String(config)} to ${value}`, at: path, value };
  }
}

/** The series without one candle in a hundred. */
function thinned({ interval, columns }: Series): Series {
  const random = randomFrom(1);
  const rows = Array.from(columns.openMs.keys()).filter(() => random() >= 0.01);
  const pick = (column: Float64Array): Float64Array => Float64Array.from(rows, (row) => column[row] ?? 0);
  const { openMs, open, high, low, close, volume } = columns;
  const kept = {
    openMs: pick(openMs),
    open: pick(open),
    high: pick(high),
    low: pick(low),
    close: pick(close),
    volume: pick(volume),
  };
  return { interval, columns: kept };
}

/**
 * The run again with each knob 10 % lower and higher, begun one candle later, with a tick of slippage more, and without
 * one candle in a hundred. A result that only one exact setting gives is luck.
 */
export function fragility(kernel: KernelInput, strategy: AnyStrategy, config: unknown): Variant[] {
  const run = (change: string, input: KernelInput): Variant => {
    const { totalReturn, drawdown } = evaluate(input).numbers;
    return { change, totalReturn, drawdown };
  };
  const knobs = [...nearConfigs(config)].flatMap(({ change, at, value }) => {
    const parsed = strategy.config.safeParse(withValue(config, at, value));
    const bound = parsed.success ? strategy.bind(parsed.data) : undefined;
    const same = bound?.needs.interval === kernel.bound.needs.interval;
    return bound !== undefined && same ? [run(change, { ...kernel, bound })] : [];
  });
  const { terms, rules, detail, start, end } = kernel;
  const open = fromNumber(detail.columns.open[start] ?? 1);
  const worse = { ...terms, slippage: add(terms.slippage, divide(rules.price.tick, open)) };
  const fewer = thinned(detail);
  const fromMs = detail.columns.openMs[start] ?? 0;
  const endMs = detail.columns.openMs[end - 1] ?? 0;
  const window = { start: lowerBound(fewer.columns.openMs, fromMs), end: lowerBound(fewer.columns.openMs, endMs + 1) };
  return [
    ...knobs,
    run('begun one candle later', { ...kernel, start: Math.min(start + 1, end - 1) }),
    run('a tick of slippage more', { ...kernel, terms: worse }),
    run('one candle in a hundred missing', { ...kernel, detail: fewer, ...window }),
  ];
}

/** Where a run decided otherwise once it could not know what came later. */
export interface Foresight {
  readonly at: string;
  readonly decided: string;
  readonly withoutFuture: string;
}

/** A look one candle ahead shows only where it meets a cut. */
const CUTS = 24;

/** Copies, so that nothing of what lies behind can be reached. */
function copyOf(columns: CandleColumns, end: number): CandleColumns {
  const { openMs, open, high, low, close, volume } = sliceColumns(columns, 0, end);
  return {
    openMs: openMs.slice(),
    open: open.slice(),
    high: high.slice(),
    low: low.slice(),
    close: close.slice(),
    volume: volume.slice(),
  };
}

/** The candles that are known when row `end` opens. */
function hideFuture(kernel: KernelInput, end: number): KernelInput {
  const { detail, signal, gateSeries } = kernel;
  const nowMs = (detail.columns.openMs[end - 1] ?? 0) + INTERVAL_MS[detail.interval];
  const closed = ({ interval, columns }: Series): Series => {
    const rows = lowerBound(columns.openMs, nowMs - INTERVAL_MS[interval] + 1);
    return { interval, columns: copyOf(columns, rows) };
  };
  return {
    ...kernel,
    end,
    detail: closed(detail),
    signal: closed(signal),
    ...(gateSeries === undefined ? {} : { gateSeries: gateSeries.map(closed) }),
  };
}

/**
 * Runs again with the future cut off at several moments; every decision before the cut must be the same. Returns the
 * first that is not, or null. `bindTo` makes the strategy for the candles that it may see.
 */
export function findForesight(
  kernel: KernelInput,
  bindTo: (known: Pick<KernelInput, 'detail' | 'signal'>) => BoundStrategy = () => kernel.bound,
): Foresight | null {
  const decide = (input: KernelInput): string[] => {
    const { decisions, reasons } = runKernel({ ...input, bound: bindTo(input), recordDecisions: true });
    return Array.from(decisions ?? [], (code) => reasons[code] ?? '');
  };
  const decided = decide(kernel);
  const random = randomFrom(1);
  for (let cut = 0; cut < CUTS; cut++) {
    const end = kernel.start + 1 + Math.floor(random() * (kernel.end - kernel.start - 1));
    for (const [row, withoutFuture] of decide(hideFuture(kernel, end)).entries()) {
      const openMs = kernel.detail.columns.openMs[kernel.start + row] ?? 0;
      if (decided[row] !== withoutFuture) {
        const at = new Date(openMs + INTERVAL_MS[kernel.detail.interval]).toISOString();
        return { at, decided: decided[row] ?? '', withoutFuture };
      }
    }
  }
  return null;
}
