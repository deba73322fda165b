import { lowerBound } from '#core/market/candle-columns.ts';
import { add, divide, fromNumber } from '#core/amount/decimal.ts';
import { randomFrom } from '#core/research/random.ts';
import { withValue } from '#strategies/swept-settings.ts';
import { nearSettings } from '#strategies/near-settings.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import type { Series } from './columns.ts';
import type { KernelInput } from './run-state.ts';
import { evaluate } from '#backtest/sweep/row.ts';

/** One small change and the outcome of the run. */
export interface Variant {
  readonly change: string;
  readonly totalReturn: number;
  readonly drawdown: number;
}

/** A neighbouring setting that is invalid, with the reason. It is not run. */
export interface RefusedVariant {
  readonly change: string;
  readonly reason: string;
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
 * Repeats the run with small changes: each active setting 10 % lower and higher, a start one candle later, one tick more
 * slippage, and one candle in a hundred missing. A result that only one exact setting gives is luck.
 */
export function fragility(
  kernel: KernelInput,
  strategy: AnyStrategy,
  config: unknown,
): { readonly variants: readonly Variant[]; readonly refused: readonly RefusedVariant[] } {
  const run = (change: string, input: KernelInput): Variant => {
    const { totalReturn, drawdown } = evaluate(input).numbers;
    return { change, totalReturn, drawdown };
  };
  const changed: Variant[] = [];
  const refused: RefusedVariant[] = [];
  for (const { change, path, value } of nearSettings(strategy, config)) {
    const parsed = strategy.config.safeParse(withValue(config, path, value));
    if (parsed.success) changed.push(run(change, { ...kernel, bound: strategy.bind(parsed.data) }));
    else refused.push({ change, reason: reasonOf(parsed.error) });
  }
  const { terms, rules, detail, start, end } = kernel;
  const open = fromNumber(detail.columns.open[start] ?? 1);
  const worse = { ...terms, slippage: add(terms.slippage, divide(rules.price.tick, open)) };
  const fewer = thinned(detail);
  const fromMs = detail.columns.openMs[start] ?? 0;
  const endMs = detail.columns.openMs[end - 1] ?? 0;
  const window = { start: lowerBound(fewer.columns.openMs, fromMs), end: lowerBound(fewer.columns.openMs, endMs + 1) };
  const variants = [
    ...changed,
    run('started one candle later', { ...kernel, start: Math.min(start + 1, end - 1) }),
    run('one tick more slippage', { ...kernel, terms: worse }),
    run('one candle in a hundred missing', { ...kernel, detail: fewer, ...window }),
  ];
  return { variants, refused };
}

const reasonOf = ({ issues }: { readonly issues: readonly Issue[] }): string =>
  issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}
