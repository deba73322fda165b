import { parentPort, workerData } from 'node:worker_threads';
import { evaluateUnit } from '#worker/jobs/sweep-unit.ts';
import { answerInThread } from './backtest-in-thread.ts';
import { isUnitStart } from './sweep-unit-in-thread.ts';

const start: unknown = workerData;
if (parentPort === null || !isUnitStart(start)) throw new Error('a sweep unit is started by the process of sweeps');
await answerInThread(parentPort, () => evaluateUnit(start));
