import { BootRefused } from '#core/installation/boot-refused.ts';
import { EnvironmentError } from '#core/installation/env.ts';
import { scrubError } from '#core/installation/scrub.ts';
import { CacheError } from '#storage/cache/cache-limits.ts';
import { DatabaseBehind, DatabaseUnreachable, MigrationError } from '#storage/postgres/migrate.ts';

/** A restart without a change of the configuration or the code would fail again: the supervisor does not restart. */
const BAD_CONFIGURATION = 78;
const REFUSED = [EnvironmentError, BootRefused, MigrationError];
/** Their messages say what to do. The stack would not help the operator. */
const EXPLAINED = [...REFUSED, DatabaseBehind, DatabaseUnreachable, CacheError];

/** Ends the process with the reason on stderr. Exit code 78 for a bad configuration, 1 when a restart may help. */
export function endBoot(error: unknown): never {
  const { message, stack } = scrubError(error);
  process.stderr.write(`${EXPLAINED.some((kind) => error instanceof kind) ? message : (stack ?? message)}\n`);
  process.exit(REFUSED.some((kind) => error instanceof kind) ? BAD_CONFIGURATION : 1);
}
