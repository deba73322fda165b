import { parentPort, workerData } from 'node:worker_threads';
import { openDatabase } from '#storage/database.ts';
import { finishUnit } from '#storage/research.ts';
import { answerAside, isUnitStart, UNIT_DONE } from './backtest-aside.ts';
import { giveWay } from './give-way.ts';
import { tryUnit } from './jobs/sweep-unit.ts';

giveWay('unattended');
const start: unknown = workerData;
if (parentPort === null || !isUnitStart(start)) throw new Error('a sweep unit thread is started by its worker');
const { databaseUrl, unit, slot: worker } = start;
await answerAside(parentPort, async () => {
  const tried = await tryUnit(start);
  await using database = openDatabase(databaseUrl, { max: 1, applicationName: 'tradewind-sweep' });
  await finishUnit(database.kysely, unit, { evaluated: { tried }, worker });
  return UNIT_DONE;
});
