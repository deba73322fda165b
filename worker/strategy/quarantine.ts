import { referenceOf } from '#authoring/own-strategy.ts';
import type { Database } from '#storage/postgres/database.ts';
import type { StoredVersion } from '#storage/operator/strategy-versions.ts';
import { type NotifyDeps, notifyEvent } from '#worker/notify.ts';

/** Notifies every profile that runs a version which went into quarantine: what happened, and what still guards it. */
export const reportQuarantine =
  (database: Database, deps: NotifyDeps) =>
  ({ name, hash, file }: StoredVersion, sentence: string): void => {
    deps.log.error({ event: 'strategy_quarantined', hash, file }, `${file} is in quarantine: ${sentence}`);
    notifyProfiles(database, deps, { reference: referenceOf(name, hash), file, sentence }).catch((err: unknown) =>
      deps.log.warn({ event: 'notice_lost', err }, 'The operator could not be notified of a quarantine'),
    );
  };

async function notifyProfiles(
  { kysely }: Database,
  deps: NotifyDeps,
  { reference, file, sentence }: { readonly reference: string; readonly file: string; readonly sentence: string },
): Promise<void> {
  const query = kysely.selectFrom('profiles').select('id').where('strategy_name', '=', reference);
  for (const { id } of await query.execute())
    await notifyEvent(deps, id, {
      event: 'coin-stopped',
      title: `The strategy ${file} is in quarantine: it buys nothing.`,
      text: `${sentence} Stop and target of open positions stay in force; its rules cannot sell. Enable another version, or sell by hand.`,
    });
}
