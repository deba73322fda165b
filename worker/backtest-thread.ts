import { parentPort, workerData } from 'node:worker_threads';
import { runBasketBacktest } from '#backtest/basket-backtest.ts';
import { examine } from '#backtest/examine.ts';
import { runBacktest } from '#backtest/run.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { giveWay } from './give-way.ts';
import { isBacktestStart } from './backtest-aside.ts';

giveWay();
const start: unknown = workerData;
const strategy = isBacktestStart(start) ? STRATEGIES.get(start.strategyName) : undefined;
if (parentPort === null || !isBacktestStart(start) || strategy === undefined) {
  throw new Error('a backtest thread is started by its worker');
}
const { config, result } = start;
const bound = strategy.bind(config);
const inputs = start.inputs.map((input) => ({ ...input, bound }));
const [input] = inputs;
if (input === undefined) throw new Error('a backtest needs a coin');
if (result !== undefined) parentPort.postMessage(examine(input, { strategy, config, result }));
else parentPort.postMessage(strategy.plansBaskets === true ? runBasketBacktest(inputs) : runBacktest(input));
