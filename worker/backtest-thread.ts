import { parentPort, workerData } from 'node:worker_threads';
import { runPortfolioBacktest } from '#backtest/portfolio-backtest.ts';
import { examine, examineTogether } from '#backtest/examine.ts';
import { runBacktest } from '#backtest/run.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { answerAside, isBacktestStart } from './backtest-aside.ts';
import { giveWay } from './give-way.ts';
import { loadPrepared, requireStrategy } from '#worker/jobs/research-input.ts';

giveWay();
const start: unknown = workerData;
if (parentPort === null || !isBacktestStart(start)) throw new Error('a backtest thread is started by its worker');
const { inputs: prepared, result } = start;
await answerAside(parentPort, async () => {
  const [first] = prepared;
  const inputs = await Promise.all(prepared.map(loadPrepared));
  const [input] = inputs;
  if (first === undefined || input === undefined) throw new Error('a backtest needs a coin');
  const strategy = requireStrategy(first.strategyName);
  const { config } = first;
  const together = strategy.plansBaskets === true || inputs.length > 1;
  if (result !== undefined)
    return together ? examineTogether(inputs, result) : examine(input, { strategy, config, result });
  const id = newId<ProfileId>();
  return together ? runPortfolioBacktest({ profiles: [{ id, coins: inputs }] }) : runBacktest(input);
});
