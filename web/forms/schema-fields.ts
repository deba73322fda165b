import { isObject } from '#core/merge.ts';

/** One leaf of a config, as its JSON Schema describes it. `path` is dotted, array places as numbers. */
export interface SchemaField {
  readonly path: string;
  readonly label: string;
  readonly note: string | undefined;
  readonly kind: 'switch' | 'choice' | 'number' | 'text';
  readonly options: readonly string[];
  readonly unit: string | undefined;
  /** What a multiplier multiplies, in words; `undefined` for other settings. */
  readonly of: string | undefined;
}

export interface SchemaGroup {
  readonly title: string;
  readonly fields: readonly SchemaField[];
}

type Schema = Readonly<Record<string, unknown>>;
const schemaOf = (value: unknown): Schema => (isObject(value) ? value : {});
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** `trailingStopPercentage` in words: `Trailing stop percentage`. */
export function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The value at a dotted path; `undefined` when some part of the path is absent. */
export function valueAt(config: unknown, path: string): unknown {
  return path.split('.').reduce<unknown>((value, part) => {
    if (Array.isArray(value)) return value[Number(part)];
    return isObject(value) ? value[part] : undefined;
  }, config);
}

/** A copy with `value` at a dotted path; objects on the way are made where they are absent. */
export function withValue(config: unknown, path: string, value: unknown): unknown {
  const [part = '', ...rest] = path.split('.');
  const inner = (old: unknown): unknown => (rest.length === 0 ? value : withValue(old, rest.join('.'), value));
  if (Array.isArray(config)) return config.map((item: unknown, i) => (i === Number(part) ? inner(item) : item));
  return { ...(isObject(config) ? config : {}), [part]: inner(isObject(config) ? config[part] : undefined) };
}

type Groups = { title: string; fields: SchemaField[] }[];

/** Where the walk over a schema stands: the part, its dotted path and the words for it. */
interface Place {
  readonly schema: Schema;
  readonly path: string;
  readonly title: string;
}

const GENERAL = 'General';

/** The fields of a schema in groups: plain ones first, then one group per nested object or list item. */
export function schemaGroups(schema: unknown, config: unknown): SchemaGroup[] {
  const groups: Groups = [];
  walk({ schema: schemaOf(schema), path: '', title: GENERAL }, config, groups);
  return groups.filter((group) => group.fields.length > 0);
}

function walk(place: Place, config: unknown, groups: Groups): void {
  const group: Groups[number] = { title: place.title, fields: [] };
  groups.push(group);
  for (const [name, raw] of Object.entries(schemaOf(place.schema['properties']))) {
    const path = place.path === '' ? name : `${place.path}.${name}`;
    const schema = resolve(schemaOf(raw), valueAt(config, path));
    const label = text(schema['title']) ?? wordsOf(name);
    const title = place.title === GENERAL ? label : `${place.title}, ${label.toLowerCase()}`;
    if (isObject(schema['properties'])) walk({ schema, path, title }, config, groups);
    else if (schema['type'] === 'array') walkList({ schema, path, title: label }, config, groups);
    else group.fields.push({ path, label, note: text(schema['description']), ...kindOf(schema), ...formOf(schema) });
  }
}

function walkList({ schema, path, title }: Place, config: unknown, groups: Groups): void {
  const items = valueAt(config, path);
  const item = schemaOf(schema['items']);
  if (!Array.isArray(items) || !isObject(item['properties'])) return;
  for (const i of items.keys()) {
    walk(
      { schema: item, path: `${path}.${i}`, title: items.length === 1 ? title : `${title} ${i + 1}` },
      config,
      groups,
    );
  }
}

/** Of alternatives the one whose constants agree with the value, else the first. */
function resolve(schema: Schema, value: unknown): Schema {
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (!Array.isArray(choices)) return schema;
  const parts = choices.map(schemaOf).filter((part) => part['type'] !== 'null');
  const fits = (part: Schema): boolean =>
    Object.entries(schemaOf(part['properties'])).every(([name, one]) => {
      const constant = schemaOf(one)['const'];
      return constant === undefined || constant === valueAt(value, name);
    });
  return { ...schema, ...(parts.find(fits) ?? parts[0]) };
}

function kindOf(schema: Schema): Pick<SchemaField, 'kind' | 'options'> {
  if (schema['type'] === 'boolean') return { kind: 'switch', options: [] };
  const options = Array.isArray(schema['enum'])
    ? schema['enum']
    : schema['const'] === undefined
      ? []
      : [schema['const']];
  if (options.length > 0) return { kind: 'choice', options: options.map(String) };
  return { kind: schema['type'] === 'number' || schema['type'] === 'integer' ? 'number' : 'text', options: [] };
}

/** The hints of the strategy for this form. */
function formOf(schema: Schema): Pick<SchemaField, 'unit' | 'of'> {
  const form = schemaOf(schema['form']);
  return { unit: text(form['unit']), of: text(form['of']) };
}
