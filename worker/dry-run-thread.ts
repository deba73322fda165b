import { parentPort, workerData } from 'node:worker_threads';
import { compareDryRun, type DryRunCoinInput } from '#backtest/dry-run.ts';
import type { DryRunStart } from '#worker/jobs/prepared.ts';
import { loadPrepared } from '#worker/jobs/research-input.ts';
import { answerInThread, isDryRunStart } from './backtest-in-thread.ts';
import { lowerPriority } from './lower-priority.ts';

lowerPriority();
const start: unknown = workerData;
if (parentPort === null || !isDryRunStart(start)) throw new Error('a thread of a dry run is started by its worker');
const { coins: prepared, ...shared } = start;
await answerInThread(parentPort, async () => {
  const coins: DryRunCoinInput[] = [];
  for (const coin of prepared) coins.push(await load(coin));
  return compareDryRun({ ...shared, coins });
});

/** Both sides see the very same candles. A coin that cannot be loaded is named with the reason. */
async function load({ input, ...coin }: DryRunStart['coins'][number]): Promise<DryRunCoinInput> {
  if ('refused' in input) return { ...coin, input };
  try {
    const present = await loadPrepared(input.present);
    const changed = await loadPrepared(input.changed);
    return { ...coin, input: { present, changed: { ...changed, candles: present.candles } } };
  } catch (error) {
    return { ...coin, input: { refused: error instanceof Error ? error.message : String(error) } };
  }
}
