import { EnvironmentError, parseEnvironment } from '#core/installation/env.ts';
import { backupName } from '#storage/backup/folder.ts';
import { restoreBackup } from '#storage/backup/restore.ts';
import { takeBackup } from '#storage/backup/take.ts';
import { openDatabase } from '#storage/postgres/database.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import type { CommandContext } from './command.ts';
import { parseFlags } from './flags.ts';

/** `tradewind backup [--to FILE]` and `tradewind restore --from FILE`, over the database of DATABASE_URL. */
export async function runBackup(
  name: 'backup' | 'restore',
  argv: readonly string[],
  { environment }: CommandContext,
): Promise<number> {
  const flags = parseFlags(name, argv, name === 'backup' ? { to: 'text' } : { from: 'text' });
  const from = flags.kind === 'flags' ? flags.values.get('from') : undefined;
  if (flags.kind === 'problem' || (name === 'restore' && from === undefined)) {
    console.error(flags.kind === 'problem' ? flags.sentence : 'Which backup? Give --from FILE; see "tradewind help".');
    return 2;
  }
  try {
    const { DATABASE_URL } = parseEnvironment(environment);
    // An empty database can be restored into; a backup needs the tables of this version.
    await migrateDatabase(DATABASE_URL);
    await using database = openDatabase(DATABASE_URL, { max: 3, applicationName: 'tradewind-backup' });
    if (from !== undefined) {
      const { at } = await restoreBackup(database, from);
      console.log(`Restored the backup of ${at}. The kill switch is on: check positions and orders, then release it.`);
      return 0;
    }
    const to = flags.values.get('to') ?? backupName(new Date());
    const { rows } = await takeBackup(database, to);
    const count = Object.values(rows).reduce((sum, one) => sum + one, 0);
    console.log(
      `Wrote ${count} rows to ${to}. The file contains API keys in plaintext: store it where only you can read it.`,
    );
    return 0;
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    console.error(error instanceof EnvironmentError ? error.problems.join('\n') : error.message);
    return 1;
  }
}
