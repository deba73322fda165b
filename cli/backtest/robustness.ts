import type { examine } from '#backtest/examine.ts';
import type { Band } from '#backtest/robustness.ts';
import { columns } from './table.ts';

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const bandRow = (name: string, { p5, p50, p95 }: Band): string[] => [name, ...[p5, p50, p95].map(percent)];

export function robustnessTable({ monteCarlo: drawn, variants, foresight }: ReturnType<typeof examine>): string {
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
