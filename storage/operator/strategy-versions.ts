import type { Selectable } from 'kysely';
import { isObject } from '#core/merge.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';
import type { Tables } from '#storage/postgres/tables.ts';

/** A stored version of a strategy file. */
export interface StoredVersion {
  readonly hash: string;
  readonly name: string;
  readonly file: string;
  readonly source: string;
  readonly description: unknown;
  readonly declared: unknown;
  /** The file of the data folder has this content now. */
  readonly present: boolean;
  readonly certificate: unknown;
  /** Result of the last check. */
  readonly checked: unknown;
  readonly checkRequestedAt: Date | null;
  /** The sentence of its quarantine; null when it may buy. */
  readonly quarantine: string | null;
  readonly seenAt: Date;
}

type NewVersion = Pick<StoredVersion, 'hash' | 'name' | 'file' | 'source' | 'description' | 'declared'>;

/** Stores a version; a known one keeps its certificate and its quarantine. */
export async function keepVersion(writer: Writer, version: NewVersion): Promise<void> {
  const { hash, name, file, source, description, declared } = version;
  const described = { description: jsonText(description), declared: jsonText(declared) };
  await writer
    .insertInto('strategy_versions')
    .values({ hash, name, file, source, ...described })
    .onConflict((conflict) => conflict.column('hash').doUpdateSet({ present: true, file, ...described }))
    .execute();
}

/** Marks the versions that a file of the data folder has now; all others are versions of the past. */
export async function markPresent(writer: Writer, hashes: readonly string[]): Promise<void> {
  await writer
    .updateTable('strategy_versions')
    .set({ present: false })
    .where('present', '=', true)
    .$if(hashes.length > 0, (query) => query.where('hash', 'not in', hashes))
    .execute();
}

/** Every version without its source, the oldest first. */
export const listVersionStates = (reader: Reader): Promise<Pick<StoredVersion, 'hash' | 'name' | 'present'>[]> =>
  reader
    .selectFrom('strategy_versions')
    .select(['hash', 'name', 'present'])
    .orderBy('seen_at')
    .orderBy('hash')
    .execute();

/** Every version, the oldest first. */
export async function listVersions(reader: Reader): Promise<StoredVersion[]> {
  const rows = await reader.selectFrom('strategy_versions').selectAll().orderBy('seen_at').orderBy('hash').execute();
  return rows.map(storedVersion);
}

const storedVersion = ({
  seen_at: seenAt,
  check_requested_at: checkRequestedAt,
  quarantine,
  ...row
}: Selectable<Tables['strategy_versions']>): StoredVersion => ({
  ...row,
  quarantine: isObject(quarantine) && typeof quarantine['sentence'] === 'string' ? quarantine['sentence'] : null,
  ...{ seenAt, checkRequestedAt },
});

export async function keepQuarantine(writer: Writer, hash: string, sentence: string | null): Promise<void> {
  const quarantine = sentence === null ? null : jsonText({ sentence, at: new Date().toISOString() });
  await writer.updateTable('strategy_versions').set({ quarantine }).where('hash', '=', hash).execute();
}

export async function keepCertificate(writer: Writer, hash: string, certificate: unknown): Promise<void> {
  await writer
    .updateTable('strategy_versions')
    .set({ certificate: jsonText(certificate) })
    .where('hash', '=', hash)
    .execute();
}

/** One version. */
export async function readVersion(reader: Reader, hash: string): Promise<StoredVersion | undefined> {
  const row = await reader.selectFrom('strategy_versions').selectAll().where('hash', '=', hash).executeTakeFirst();
  return row === undefined ? undefined : storedVersion(row);
}
