import { isObject } from '#core/merge.ts';

/** What the form would lack: every knob, group and list of a config's JSON Schema needs a title, a help text and a hint. */
export function undescribedKnobs(schema: unknown, path = ''): string[] {
  if (!isObject(schema)) return [];
  const missing = ['title', 'description', 'form'].filter((key) => !(key in schema)).map((key) => `${path}.${key}`);
  const { properties, items } = schema;
  const inner = isObject(properties)
    ? Object.entries(properties).flatMap(([key, knob]) => undescribedKnobs(knob, `${path}.${key}`))
    : [];
  return [...missing, ...inner, ...undescribedKnobs(items, `${path}[]`)];
}
