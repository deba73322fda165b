import { isObject } from '#core/merge.ts';
import type { ServiceSetting } from '#core/installation/settings.ts';
import type { Reader, Writer } from './database.ts';
import { jsonText } from './json.ts';

/** A setting: stored values over defaults. A stored value that is no longer valid is ignored. */
export async function readSetting<Value>(database: Reader, setting: ServiceSetting<Value>): Promise<Value> {
  const { name, schema, defaults } = setting;
  const row = await database.selectFrom('service_settings').select('value').where('name', '=', name).executeTakeFirst();
  const parsed = schema.safeParse({ ...defaults, ...(isObject(row?.value) ? row.value : {}) });
  return parsed.success ? parsed.data : defaults;
}

/** Locks the setting, merges `patch` into it, and returns it before and after the change. */
export async function patchSetting<Value>(
  database: Writer,
  setting: ServiceSetting<Value>,
  patch: { readonly [Key in keyof Value]?: Value[Key] | undefined },
): Promise<{ readonly before: Value; readonly after: Value }> {
  const { name, schema } = setting;
  await database
    .insertInto('service_settings')
    .values({ name, value: '{}' })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  await database.selectFrom('service_settings').select('name').where('name', '=', name).forUpdate().execute();
  const before = await readSetting(database, setting);
  const after = schema.parse({ ...before, ...patch });
  await database
    .updateTable('service_settings')
    .set({ value: jsonText(after), updated_at: new Date() })
    .where('name', '=', name)
    .execute();
  return { before, after };
}
