import { valueAt } from '#core/config-path.ts';
import { isObject } from '#core/merge.ts';
import { wordsOf } from '#web/ui/names.ts';
import { isScale, type Scale } from '#web/ui/percent.ts';

/** Limits of a value as decimal text; `above` and `below` exclude the value itself. */
export type Range = { readonly [limit in 'above' | 'atLeast' | 'below' | 'atMost']?: string };

/** One leaf of a config, as its JSON Schema describes it. `path` is dotted, array places as numbers. */
export interface SchemaField {
  readonly path: string;
  readonly label: string;
  readonly note: string | undefined;
  /** `list`: texts, typed with commas between them. */
  readonly kind: 'switch' | 'choice' | 'number' | 'text' | 'list';
  readonly options: readonly string[];
  /** Labels of options that the option itself does not give. */
  readonly optionLabels: Readonly<Record<string, unknown>>;
  readonly unit: string | undefined;
  /** How the stored value and the percent in the form belong together; `undefined` for a value that is shown as it is. */
  readonly percent: Scale | undefined;
  /** Meaning of an empty field that is stored as null; `undefined` where it is an empty text. */
  readonly empty: string | undefined;
  /** Shown on demand only. */
  readonly advanced: boolean;
  readonly range: Range;
  /** Minimum and maximum of the stored value, where the schema has both. */
  readonly bounds: readonly [number, number] | undefined;
}

export interface SchemaGroup {
  readonly title: string;
  readonly fields: readonly SchemaField[];
  /** The list that this group is an item of. */
  readonly itemOf?: { readonly path: string; readonly index: number };
  /** The group of a whole list: the values of a new item, and the maximum length. */
  readonly list?: { readonly path: string; readonly fresh: unknown; readonly length: number; readonly most: number };
}

type Schema = Readonly<Record<string, unknown>>;
const schemaOf = (value: unknown): Schema => (isObject(value) ? value : {});
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

type Groups = (Omit<SchemaGroup, 'fields'> & { fields: SchemaField[] })[];

/** Position of the walk over a schema: the part, its dotted path and its title. */
interface Place {
  readonly schema: Schema;
  readonly path: string;
  readonly title: string;
  readonly advanced: boolean;
  readonly itemOf?: SchemaGroup['itemOf'];
}

/** The group of the settings that are in no other one. */
export const GENERAL = 'General';

/** The fields of a schema in groups: plain ones first, then one group per nested object or list item. */
export function schemaGroups(schema: unknown, config: unknown): SchemaGroup[] {
  const groups: Groups = [];
  walk({ schema: schemaOf(schema), path: '', title: GENERAL, advanced: false }, config, groups);
  return groups.filter((group) => group.fields.length > 0 || group.list !== undefined);
}

function walk(place: Place, config: unknown, groups: Groups): void {
  const { itemOf } = place;
  const group = { title: place.title, fields: new Array<SchemaField>(), ...(itemOf === undefined ? {} : { itemOf }) };
  groups.push(group);
  for (const [name, raw] of Object.entries(schemaOf(place.schema['properties']))) {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const schema = resolve(schemaOf(raw), valueAt(config, path));
    const label = text(schema['title']) ?? wordsOf(name);
    const title = place.title === GENERAL ? label : `${place.title}, ${label.toLowerCase()}`;
    const form = schemaOf(schema['form']);
    const advanced = place.advanced || form['advanced'] === true;
    if (!isUsed(form, place.path, config)) continue;
    if (isObject(schema['properties'])) walk({ schema, path, title, advanced }, config, groups);
    else if (schema['type'] === 'array' && isObject(schemaOf(schema['items'])['properties']))
      walkList({ schema, path, title: label, advanced }, config, groups);
    else {
      const note = text(form['help']) ?? text(schema['description']);
      group.fields.push({ path, label, note, advanced, ...kindOf(schema), ...formOf(schema) });
    }
  }
}

function walkList({ schema, path, title, advanced }: Place, config: unknown, groups: Groups): void {
  const held = valueAt(config, path);
  const items: readonly unknown[] = Array.isArray(held) ? held : [];
  const item = schemaOf(schema['items']);
  const properties = Object.entries(schemaOf(item['properties']));
  const name = text(item['title']) ?? title;
  for (const index of items.keys()) {
    const numbered = items.length === 1 ? name : `${name} ${index + 1}`;
    const place = { schema: item, path: `${path}.${index}`, title: numbered, itemOf: { path, index } };
    // Existing items are always shown; only an empty list counts as advanced.
    walk({ ...place, advanced: false }, config, groups);
  }
  const fresh = Object.fromEntries(properties.map(([key, property]) => [key, schemaOf(property)['default']]));
  const most = typeof schema['maxItems'] === 'number' ? schema['maxItems'] : Number.POSITIVE_INFINITY;
  const list = { path, fresh, length: items.length, most };
  if (items.length > 0 || advanced) groups.push({ title: name, fields: [], list });
}

/** Whether the form shows a setting: a hint can hide it, or tie it to values of a setting next to it. */
function isUsed({ hidden, when }: Schema, path: string, config: unknown): boolean {
  const fits = ([name, values]: [string, unknown]): boolean =>
    Array.isArray(values) && values.includes(valueAt(config, path === '' ? name : `${path}.${name}`));
  return hidden !== true && Object.entries(schemaOf(when)).every(fits);
}

/** The alternative whose constants match the value, else the first. */
function resolve(schema: Schema, value: unknown): Schema {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(choices)) return schema;
  const parts = choices.map(schemaOf).filter((part) => part['type'] !== 'null');
  const fits = (part: Schema): boolean =>
    Object.entries(schemaOf(part['properties'])).every(([name, property]) => {
      const constant = schemaOf(property)['const'];
      return constant === undefined || constant === valueAt(value, name);
    });
  return { ...schema, ...(parts.find(fits) ?? parts[0]), nullable: parts.length < choices.length };
}

function kindOf(schema: Schema): Pick<SchemaField, 'kind' | 'options'> {
  if (schema['type'] === 'boolean') return { kind: 'switch', options: [] };
  const options = Array.isArray(schema['enum'])
    ? schema['enum']
    : schema['const'] === undefined
      ? []
      : [schema['const']];
  if (options.length > 0) return { kind: 'choice', options: options.map(String) };
  if (schema['type'] === 'array') return { kind: 'list', options: [] };
  return { kind: schema['type'] === 'number' || schema['type'] === 'integer' ? 'number' : 'text', options: [] };
}

/** Form hints of a schema. */
function formOf(schema: Schema) {
  const form = schemaOf(schema['form']);
  const hinted = schemaOf(form['bounds']);
  const limit = (value: unknown) => (value === undefined ? undefined : String(value));
  const { above, below } = { above: limit(hinted['above']), below: limit(hinted['below']) };
  const atLeast = limit(hinted['atLeast'] ?? schema['minimum']);
  const atMost = limit(hinted['atMost'] ?? schema['maximum']);
  const [least, most] = [Number(atLeast ?? above), Number(atMost ?? below)];
  return {
    unit: text(form['unit']),
    percent: isScale(form['percent']) ? form['percent'] : undefined,
    empty: schema['nullable'] === true ? (text(form['empty']) ?? 'none') : undefined,
    optionLabels: schemaOf(form['options']),
    range: {
      ...(above === undefined ? {} : { above }),
      ...(atLeast === undefined ? {} : { atLeast }),
      ...(below === undefined ? {} : { below }),
      ...(atMost === undefined ? {} : { atMost }),
    },
    bounds: Number.isFinite(least) && Number.isFinite(most) ? ([least, most] as const) : undefined,
  };
}
