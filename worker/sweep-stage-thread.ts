import { parentPort, workerData } from 'node:worker_threads';
import { createLog } from '#integrations/log.ts';
import { openDatabase } from '#storage/database.ts';
import { openQueue } from '#storage/queue.ts';
import { isStageStart, STAGE_ENDED } from './backtest-aside.ts';
import { giveWay } from './give-way.ts';
import { endStage } from './jobs/sweep-stage.ts';

giveWay('unattended');
const start: unknown = workerData;
if (parentPort === null || !isStageStart(start)) throw new Error('a sweep stage thread is started by its worker');
const { databaseUrl, sweepId } = start;
await using database = openDatabase(databaseUrl, { max: 1, applicationName: 'tradewind-sweep' });
await using queue = await openQueue(databaseUrl, { log: createLog({ name: 'worker', level: 'warn' }), works: false });
await endStage({ database, queue }, sweepId);
parentPort.postMessage(STAGE_ENDED);
