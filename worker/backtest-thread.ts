import { parentPort, workerData } from 'node:worker_threads';
import { runBasketBacktest } from '#backtest/basket-backtest.ts';
import { examine } from '#backtest/examine.ts';
import { runBacktest } from '#backtest/run.ts';
import { answerAside, isBacktestStart } from './backtest-aside.ts';
import { giveWay } from './give-way.ts';
import { loadPrepared, requireStrategy } from './jobs/research-input.ts';

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
  if (result !== undefined) return examine(input, { strategy, config, result });
  // The coins of a basket share what the first of them is bound to.
  const { bound } = input;
  return strategy.plansBaskets === true
    ? runBasketBacktest(inputs.map((each) => ({ ...each, bound })))
    : runBacktest(input);
});
