import { sql } from 'kysely';
import type { ProfileId, UserId } from '#core/ids.ts';
import type { Reader, Transaction, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** A file of the strategies folder; `problem` says why it cannot be used. */
export interface SeenFile {
  readonly file: string;
  readonly hash: string;
  readonly problem: string | null;
}

/** Stores the files of the folder as they are now, and when each of them changed. */
export async function keepFiles(writer: Writer, files: readonly SeenFile[]): Promise<void> {
  const names = files.map(({ file }) => file);
  await writer
    .deleteFrom('strategy_files')
    .$if(names.length > 0, (query) => query.where('file', 'not in', names))
    .execute();
  for (const { file, hash, problem } of files)
    await writer
      .insertInto('strategy_files')
      .values({ file, hash, problem })
      .onConflict((conflict) =>
        conflict
          .column('file')
          .doUpdateSet({ hash, problem, changed_at: sql`now()` })
          .where(
            sql<boolean>`(strategy_files.hash, strategy_files.problem) is distinct from (${hash}, ${problem}::text)`,
          ),
      )
      .execute();
}

export async function listFiles(reader: Reader): Promise<(SeenFile & { readonly changedAt: Date })[]> {
  const rows = await reader.selectFrom('strategy_files').selectAll().orderBy('file').execute();
  return rows.map(({ changed_at: changedAt, ...row }) => ({ ...row, changedAt }));
}

/** A profile whose strategy is a version of a file. */
export interface FileUser {
  readonly id: ProfileId;
  readonly name: string;
  readonly enabled: boolean;
  readonly strategyName: string;
}

/** The profiles of an operator that use a version of a file. */
export async function listFileUsers(reader: Reader, userId: UserId): Promise<FileUser[]> {
  return reader
    .selectFrom('profiles')
    .innerJoin('accounts', 'accounts.id', 'profiles.account_id')
    .where('accounts.user_id', '=', userId)
    .where('profiles.strategy_name', 'like', '%@%')
    .select(['profiles.id', 'profiles.name', 'profiles.enabled', 'profiles.strategy_name as strategyName'])
    .orderBy('profiles.name')
    .execute();
}

/** Requests a check; false for a version that does not exist. */
export async function requestCheck(transaction: Transaction, hash: string): Promise<boolean> {
  const { numUpdatedRows } = await transaction
    .updateTable('strategy_versions')
    .set({ check_requested_at: sql`now()` })
    .where('hash', '=', hash)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Stores the result of a check, and its certificate when it passed. */
export async function keepCheck(
  writer: Writer,
  hash: string,
  { checked, certificate }: { readonly checked: unknown; readonly certificate: unknown },
): Promise<void> {
  await writer
    .updateTable('strategy_versions')
    .set({
      ...{ checked: jsonText(checked), check_requested_at: null },
      ...(certificate === undefined ? {} : { certificate: jsonText(certificate) }),
    })
    .where('hash', '=', hash)
    .execute();
}
