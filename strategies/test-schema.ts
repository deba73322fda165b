import { isObject } from '#core/merge.ts';

/** The gaps that a form would have: every setting, group and list of a config's JSON Schema needs a title, a help text and a hint. */
export function undescribedSettings(schema: unknown, path = ''): string[] {
  if (!isObject(schema)) return [];
  const missing = ['title', 'description', 'form'].filter((key) => !(key in schema)).map((key) => `${path}.${key}`);
  const { properties, items } = schema;
  const inner = isObject(properties)
    ? Object.entries(properties).flatMap(([key, setting]) => undescribedSettings(setting, `${path}.${key}`))
    : [];
  return [...missing, ...inner, ...undescribedSettings(items, `${path}[]`)];
}
