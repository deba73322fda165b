import { valueAt } from '#core/config-path.ts';
import { isObject } from '#core/merge.ts';
import { wordsOf } from '#web/ui/names.ts';

/** One leaf of a config, as its JSON Schema describes it. `path` is dotted, array places as numbers. */
export interface SchemaField {
  readonly path: string;
  readonly label: string;
  readonly note: string | undefined;
  readonly kind: 'switch' | 'choice' | 'number' | 'text';
  readonly options: readonly string[];
  readonly unit: string | undefined;
  /** The reference of a multiplier; `undefined` for other settings. */
  readonly of: string | undefined;
  /** Shown on demand only. */
  readonly advanced: boolean;
  /** Minimum and maximum, where the schema has them. */
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

const GENERAL = 'General';

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
    const advanced = place.advanced || schemaOf(schema['form'])['advanced'] === true;
    if (isObject(schema['properties'])) walk({ schema, path, title, advanced }, config, groups);
    else if (schema['type'] === 'array') walkList({ schema, path, title: label, advanced }, config, groups);
    else {
      const note = text(schema['description']);
      group.fields.push({ path, label, note, advanced, ...kindOf(schema), ...formOf(schema) });
    }
  }
}

function walkList({ schema, path, title, advanced }: Place, config: unknown, groups: Groups): void {
  const held = valueAt(config, path);
  const items: readonly unknown[] = Array.isArray(held) ? held : [];
  const item = schemaOf(schema['items']);
  const properties = Object.entries(schemaOf(item['properties']));
  if (properties.length === 0) return;
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

/** Form hints of the strategy. */
function formOf(schema: Schema): Pick<SchemaField, 'unit' | 'of' | 'bounds'> {
  const form = schemaOf(schema['form']);
  const { above, atLeast, below, atMost } = schemaOf(form['bounds']);
  const bounds = [schema['minimum'] ?? atLeast ?? above, schema['maximum'] ?? atMost ?? below].map(Number);
  const [least = Number.NaN, most = Number.NaN] = bounds;
  return {
    unit: text(form['unit']),
    of: text(form['of']),
    bounds: Number.isFinite(least) && Number.isFinite(most) ? [least, most] : undefined,
  };
}
