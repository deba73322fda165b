import { parseEnvironment } from '#core/installation/env.ts';
import { attachToSupervisor } from '#integrations/supervised.ts';
import { endBoot } from '#storage/boot-failure.ts';
import { openWorker } from './worker.ts';

async function main(): Promise<void> {
  let stop = async (): Promise<void> => {};
  const supervisor = attachToSupervisor(() => stop());
  const worker = await openWorker(parseEnvironment(process.env));
  stop = async () => {
    await worker[Symbol.asyncDispose]();
  };
  supervisor.ready();
}

main().catch(endBoot);
