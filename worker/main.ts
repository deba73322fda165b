import { EnvironmentError, parseEnvironment } from '#core/installation/env.ts';
import { attachToSupervisor } from '#integrations/supervised.ts';
import { endBoot } from '#storage/boot-failure.ts';
import { openWorker, WORKER_PARTS } from './worker.ts';

async function main(): Promise<void> {
  let stop = async (): Promise<void> => {};
  const supervisor = attachToSupervisor(() => stop());
  const worker = await openWorker(parseEnvironment(process.env), onlyOf(process.argv.slice(2)));
  stop = async () => {
    await worker[Symbol.asyncDispose]();
  };
  supervisor.ready();
}

/** `--only research` or `--only trading`, after the name of the command if there is one. */
function onlyOf(argv: readonly string[]): { readonly only?: (typeof WORKER_PARTS)[number] } {
  const [flag, value, ...rest] = argv[0] === 'worker' ? argv.slice(1) : argv;
  if (flag === undefined) return {};
  const only = WORKER_PARTS.find((part) => part === value);
  if (flag !== '--only' || only === undefined || rest.length > 0)
    throw new EnvironmentError([`tradewind worker takes "--only ${WORKER_PARTS.join('" or "--only ')}", or nothing.`]);
  return { only };
}

main().catch(endBoot);
