import { parentPort, workerData } from 'node:worker_threads';
import { runPortfolioBacktest } from '#backtest/portfolio-backtest.ts';
import { reportRobustness, reportSharedRobustness } from '#backtest/robustness.ts';
import { type BacktestInput, runBacktest } from '#backtest/run.ts';
import type { ProfileId } from '#core/ids.ts';
import { answerInThread, isBacktestStart } from './backtest-in-thread.ts';
import { lowerPriority } from './lower-priority.ts';
import type { BacktestStart } from '#worker/jobs/prepared.ts';
import { loadPrepared, requireStrategy } from '#worker/jobs/research-input.ts';

lowerPriority();
const start: unknown = workerData;
if (parentPort === null || !isBacktestStart(start)) throw new Error('a backtest thread is started by its worker');
const { inputs: prepared, limits, result } = start;
await answerInThread(parentPort, async () => {
  const [first] = prepared;
  const inputs = await Promise.all(prepared.map(loadPrepared));
  const [input] = inputs;
  if (first === undefined || input === undefined) throw new Error('a backtest needs a coin');
  const strategy = requireStrategy(first.strategyName, first.file);
  const { config } = first;
  const together = strategy.plansBaskets === true || inputs.length > 1 || limits !== undefined;
  if (result !== undefined)
    return together ? reportSharedRobustness(inputs, result) : reportRobustness(input, { strategy, config, result });
  if (!together) return runBacktest(input);
  return runPortfolioBacktest({ profiles: byProfile(prepared, inputs), ...(limits === undefined ? {} : { limits }) });
});

/** The coins of each profile, in the order of the request. */
function byProfile(prepared: BacktestStart['inputs'], inputs: readonly BacktestInput[]) {
  const profiles = new Map<ProfileId, BacktestInput[]>();
  for (const [i, input] of inputs.entries()) {
    const id = prepared[i]?.profileId;
    if (id !== undefined) profiles.set(id, [...(profiles.get(id) ?? []), input]);
  }
  return [...profiles].map(([id, coins]) => ({ id, coins }));
}
