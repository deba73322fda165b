import { BootRefused } from '#core/installation/boot-refused.ts';
import { EnvironmentError, parseEnvironment } from '#core/installation/env.ts';
import { scrubError } from '#core/installation/scrub.ts';
import { attachToSupervisor } from '#integrations/supervised.ts';
import { DatabaseUnreachable, MigrationError } from '#storage/postgres/migrate.ts';
import { openApi } from './boot.ts';

/** Exit code of a bad configuration: the supervisor does not restart the process. */
const BAD_CONFIGURATION = 78;

async function main(): Promise<void> {
  let stop = async (): Promise<void> => {};
  const supervisor = attachToSupervisor(() => stop());
  const api = await openApi(parseEnvironment(process.env));
  stop = async () => {
    await api[Symbol.asyncDispose]();
  };
  supervisor.ready({ port: api.port });
}

main().catch((error: unknown) => {
  const refused = [EnvironmentError, BootRefused, MigrationError].some((kind) => error instanceof kind);
  const { message, stack } = scrubError(error);
  process.stderr.write(`${refused || error instanceof DatabaseUnreachable ? message : (stack ?? message)}\n`);
  process.exit(refused ? BAD_CONFIGURATION : 1);
});
