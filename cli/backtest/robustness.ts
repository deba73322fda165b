import { dailyReturns } from '#backtest/metrics.ts';
import type { BacktestResult } from '#backtest/result.ts';
import { type Band, findForesight, fragility, monteCarlo } from '#backtest/robustness.ts';
import { type BacktestInput, openKernel } from '#backtest/run.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { columns } from './table.ts';

/** Everything that tells how much of a result is luck. */
export function testRobustness(
  input: BacktestInput & { readonly config: unknown },
  strategy: AnyStrategy,
  result: BacktestResult,
) {
  const opened = openKernel(input);
  if (opened.kind === 'refused') throw new Error(opened.sentence);
  const balance = Number(result.balance);
  return {
    monteCarlo: monteCarlo({
      balance,
      nets: result.cycles.map(({ net }) => Number(net)),
      returns: dailyReturns({ days: result.dailyEquity, balance }),
    }),
    variants: fragility(opened.kernel, strategy, input.config),
    foresight: findForesight(opened.kernel),
  };
}

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const bandRow = (name: string, { p5, p50, p95 }: Band): string[] => [name, ...[p5, p50, p95].map(percent)];

export function robustnessTable({ monteCarlo: drawn, variants, foresight }: ReturnType<typeof testRobustness>): string {
  const bands =
    drawn === null
      ? []
      : columns(
          [
            ['of a thousand', '5 %', 'half', '95 %'],
            bandRow('drawdown, trades shuffled', drawn.shuffled.drawdown),
            bandRow('return, days drawn again', drawn.resampled.totalReturn),
            bandRow('drawdown, days drawn again', drawn.resampled.drawdown),
          ],
          1,
        );
  const changes = variants.map(({ change, totalReturn, drawdown }) => [
    change,
    percent(totalReturn),
    percent(drawdown),
  ]);
  const seen =
    foresight === null
      ? 'No decision hangs on the future.'
      : `At ${foresight.at} it decided "${foresight.decided}" because of what came later; without it: "${foresight.withoutFuture}".`;
  return ['Robustness', ...bands, '', ...columns([['changed', 'return', 'drawdown'], ...changes], 1), '', seen].join(
    '\n',
  );
}
