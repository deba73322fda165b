import { valueAt } from '#core/config-path.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import { readValues } from '#strategies/swept-settings.ts';
import { type SchemaField, schemaGroups } from '#web/config/schema-fields.ts';
import { typedText } from '#web/config/setting-text.ts';
import { isDistance, storedOf } from '#web/ui/percent.ts';

/** A setting that can be varied, with the values around the saved one. */
export interface Axis {
  readonly field: SchemaField;
  readonly path: string;
  readonly label: string;
  readonly values: readonly (string | number)[];
}

/** More values of one setting are not created in the browser. */
const MOST_VALUES = 10_000;
const STEPS = [0.4, 0.6, 0.8, 1, 1.25, 1.6, 2, 2.5] as const;
const text = (value: number): string => String(Number(value.toFixed(5)));

/** Values around the saved one; of a multiplier the distance from 1 is varied. Undefined where nothing can be varied. */
function axisOf(field: SchemaField, config: unknown): Axis | undefined {
  const { path, label, percent, kind, bounds } = field;
  const distance = percent !== undefined && isDistance(percent);
  const held = valueAt(config, path);
  const value = Number(held);
  if (held === '' || held === null || !Number.isFinite(value) || value <= 0) return undefined;
  if (!distance && kind !== 'number' && bounds === undefined) return undefined;
  const [least, most] = bounds ?? [0, Number.POSITIVE_INFINITY];
  const moved = (step: number): number => (distance ? 1 + (value - 1) * step : value * step);
  const fits = (tried: number): boolean => tried >= least && tried <= most;
  const values = STEPS.map(moved)
    .map((tried) => (kind === 'number' ? Math.round(tried) : Number(text(tried))))
    .filter((tried, i, all) => fits(tried) && all.indexOf(tried) === i);
  if (values.length < 3) return undefined;
  const typed = values.map((tried) => (kind === 'number' ? tried : text(tried)));
  return {
    field,
    path,
    label,
    values: typed,
  };
}

/** Every setting that can be varied. */
export const axesOf = (schema: unknown, config: unknown): Axis[] =>
  schemaGroups(schema, config)
    .flatMap((group) => group.fields)
    .flatMap((field) => axisOf(field, config) ?? []);

/** A varied setting with its values as typed: `1, 2, 3` or `5..50:5`, in percent where the form shows percent. */
export interface VariedSetting {
  readonly field: SchemaField;
  readonly values: string;
}

/** A setting with the values around the saved one. */
export const variedOf = ({ field, values }: Axis): VariedSetting => ({
  field,
  values: values.map((value) => typedText(field, value)).join(', '),
});

/** The stored values of a varied setting; `undefined` while a typed value is no number. */
export function valuesOf({ field: { percent }, values }: VariedSetting): string[] | undefined {
  const listed = readValues(values);
  if (listed === undefined || listed.count > MOST_VALUES) return undefined;
  const texts = listed.values().map(formatDecimal);
  const stored = texts.map((text) => (percent === undefined ? text : storedOf(percent, text)));
  return stored.every((value) => value !== undefined) ? stored : undefined;
}

/** Number of combinations; `undefined` while a value is no number. */
export const combinationsOf = (settings: readonly VariedSetting[]): number | undefined =>
  settings.reduce<number | undefined>((product, setting) => {
    const own = valuesOf(setting)?.length;
    return product === undefined || own === undefined ? undefined : product * own;
  }, 1);

/** The varied settings as the API takes them. */
export const variedSettingsText = (settings: readonly VariedSetting[]): string =>
  settings.map((setting) => `${setting.field.path}=${(valuesOf(setting) ?? [setting.values]).join(',')}`).join('; ');
