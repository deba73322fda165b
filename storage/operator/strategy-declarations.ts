import { createHash } from 'node:crypto';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** Settings of a version of a strategy file, as the file reads them. */
interface VersionSettings {
  readonly hash: string;
  readonly settings: Readonly<Record<string, unknown>>;
}

const settingsHash = ({ settings }: VersionSettings): string => {
  const sorted = Object.entries(settings).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
};

/** Stores the indicators that a version declares for these settings. */
export async function keepDeclared(writer: Writer, of: VersionSettings, declared: unknown): Promise<void> {
  await writer
    .insertInto('strategy_declarations')
    .values({ hash: of.hash, settings_hash: settingsHash(of), declared: jsonText(declared) })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** The indicators that a version declares for these settings; undefined while no worker has run it with them. */
export async function readDeclared(reader: Reader, of: VersionSettings): Promise<unknown> {
  const row = await reader
    .selectFrom('strategy_declarations')
    .select('declared')
    .where('hash', '=', of.hash)
    .where('settings_hash', '=', settingsHash(of))
    .executeTakeFirst();
  return row?.declared;
}
