import { EnvironmentError, parseEnvironment } from '#core/installation/env.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import type { CommandContext } from './command.ts';
import { parseFlags } from './flags.ts';

export async function runMigrate(argv: readonly string[], { environment }: CommandContext): Promise<number> {
  const flags = parseFlags('migrate', argv, {});
  if (flags.kind === 'problem') {
    console.error(flags.sentence);
    return 2;
  }
  try {
    const { DATABASE_URL } = parseEnvironment(environment);
    const { applied } = await migrateDatabase(DATABASE_URL);
    console.log(applied.length === 0 ? 'The database is up to date.' : `Applied ${applied.join(', ')}.`);
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(error instanceof EnvironmentError ? error.problems.join('\n') : error.message);
    return 1;
  }
}
