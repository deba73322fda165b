import { parentPort, workerData } from 'node:worker_threads';
import { evaluateSets } from '#backtest/sweep/search.ts';
import { findStrategy } from '#worker/strategy/find.ts';
import { lowerPriority } from './lower-priority.ts';
import { isThreadOrder, isThreadStart, packed } from './sweep-threads.ts';

lowerPriority();
const start: unknown = workerData;
const strategy = isThreadStart(start) ? findStrategy(start.strategyName, start.file) : undefined;
if (parentPort === null || !isThreadStart(start) || strategy === undefined) {
  throw new Error('a sweep thread is started by its pool');
}
const { base } = start;
const port = parentPort;
port.on('message', (order: unknown) => {
  if (!isThreadOrder(order)) return;
  const { number, configs, window } = order;
  const evaluated = evaluateSets({ ...base, ...window }, strategy, configs);
  const answer = packed(number, evaluated);
  port.postMessage(answer, [answer.returns.buffer]);
});
