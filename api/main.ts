import { parseEnvironment } from '#core/installation/env.ts';
import { attachToSupervisor } from '#integrations/supervised.ts';
import { endBoot } from '#storage/boot-failure.ts';
import { openApi } from './boot.ts';

async function main(): Promise<void> {
  let stop = async (): Promise<void> => {};
  const supervisor = attachToSupervisor(() => stop());
  const api = await openApi(parseEnvironment(process.env));
  stop = async () => {
    await api[Symbol.asyncDispose]();
  };
  supervisor.ready({ port: api.port });
}

main().catch(endBoot);
