import type { ProfileId } from '#core/ids.ts';
import type { Reader, Writer } from '#storage/postgres/database.ts';
import { jsonText } from '#storage/postgres/json.ts';

/** An earlier config of a profile; a trigger of the table writes it. */
interface ConfigVersion {
  readonly version: number;
  readonly strategyName: string;
  readonly config: unknown;
  readonly at: Date;
}

/** Newest first, before version `before`. */
export function listConfigVersions(
  database: Reader,
  profileId: ProfileId,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<ConfigVersion[]> {
  const query = database
    .selectFrom('profile_configs')
    .select(['version', 'strategy_name as strategyName', 'config', 'at'])
    .where('profile_id', '=', profileId)
    .orderBy('version', 'desc')
    .limit(page.limit);
  return (page.before === undefined ? query : query.where('version', '<', page.before)).execute();
}

export const readConfigVersion = async (
  database: Reader,
  profileId: ProfileId,
  version: number,
): Promise<ConfigVersion | undefined> =>
  (await listConfigVersions(database, profileId, { limit: 1, before: version + 1 })).find(
    (found) => found.version === version,
  );

/**
 * Switches to another strategy and config. Overrides and strategy state are cleared; positions stay. Another version of
 * the same file keeps both: a stop never falls by an update.
 */
export async function switchStrategy(
  database: Writer,
  profileId: ProfileId,
  to: { readonly strategyName: string; readonly config: unknown; readonly keepsState?: boolean },
): Promise<void> {
  await database
    .updateTable('profiles')
    .set({ strategy_name: to.strategyName, config: jsonText(to.config), updated_at: new Date() })
    .where('id', '=', profileId)
    .execute();
  if (to.keepsState === true) return;
  await database
    .updateTable('profile_symbols')
    .set({ override_config: '{}' })
    .where('profile_id', '=', profileId)
    .execute();
  await database
    .updateTable('runner_states')
    .set({ strategy_state: null })
    .where('profile_id', '=', profileId)
    .execute();
}
