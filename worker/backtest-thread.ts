import { parentPort, workerData } from 'node:worker_threads';
import { runBacktest } from '#backtest/run.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { isBacktestStart } from './backtest-aside.ts';

const start: unknown = workerData;
const strategy = isBacktestStart(start) ? STRATEGIES.get(start.strategyName) : undefined;
if (parentPort === null || !isBacktestStart(start) || strategy === undefined) {
  throw new Error('a backtest thread is started by its worker');
}
parentPort.postMessage(runBacktest({ ...start.input, bound: strategy.bind(start.config) }));
