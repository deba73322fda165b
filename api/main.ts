import { parseEnvironment } from '#core/installation/env.ts';
import { attachToSupervisor } from '#integrations/supervised.ts';
import { supervisedPaper } from '#api/frame/paper.ts';
import { endBoot } from '#storage/boot-failure.ts';
import { openApi } from './boot.ts';

async function main(): Promise<void> {
  let stop = async (): Promise<void> => {};
  const paper = supervisedPaper((message) => supervisor.send(message));
  const supervisor = attachToSupervisor(
    () => stop(),
    (message) => paper.receive(message),
  );
  const api = await openApi(parseEnvironment(process.env), paper);
  stop = async () => {
    await api[Symbol.asyncDispose]();
  };
  supervisor.ready({ port: api.port });
}

main().catch(endBoot);
