import type { RobustnessReport } from '#backtest/robustness.ts';
import type { Band } from '#backtest/monte-carlo.ts';
import { columns } from './table.ts';

const percent = (share: number): string => `${(share * 100).toFixed(2)} %`;
const bandRow = (name: string, { p5, p50, p95 }: Band): string[] => [name, ...[p5, p50, p95].map(percent)];

export function robustnessTable(robustness: RobustnessReport): string {
  const { monteCarlo: drawn, variants, refused } = robustness;
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
  const illegal = refused.map(({ change, reason }) => `  ${change} is invalid: ${reason}`);
  const changed = columns([['changed', 'return', 'drawdown'], ...changes], 1);
  return ['Robustness', ...bands, '', ...changed, ...illegal, '', lookAheadText(robustness)].join('\n');
}

function lookAheadText({ foresight, comparedDecisions: compared }: RobustnessReport): string {
  if (foresight !== null)
    return `At ${foresight.at} it decided "${foresight.decided}" because of what came later; without it: "${foresight.withoutFuture}".`;
  if (compared === null) return 'Decisions over several coins are not compared with the future hidden.';
  return `Look-ahead: ${compared.toLocaleString('en-US')} decisions were compared with the future hidden, and none changed.`;
}
