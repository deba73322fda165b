import { valueAt, withValue } from '#core/config-path.ts';
import { multiplierText } from '#web/ui/numbers.ts';
import { type SchemaField, schemaGroups } from '#web/config/schema-fields.ts';

/** One axis of a heat map: a setting with its values. */
export interface Axis {
  readonly path: string;
  readonly label: string;
  readonly advanced: boolean;
  readonly values: readonly (string | number)[];
  /** Index of the saved value; -1 where it is not among them. */
  readonly saved: number;
}

const STEPS = [0.4, 0.6, 0.8, 1, 1.25, 1.6, 2, 2.5] as const;
const text = (value: number): string => String(Number(value.toFixed(5)));

/** Values around the saved one; of a multiplier the distance from 1 is varied. Undefined where nothing can be varied. */
function axisOf({ path, label, advanced, of, kind, bounds }: SchemaField, config: unknown): Axis | undefined {
  const held = valueAt(config, path);
  const value = Number(held);
  if (held === '' || held === null || !Number.isFinite(value) || value <= 0) return undefined;
  if (of === undefined && kind !== 'number' && bounds === undefined) return undefined;
  const [least, most] = bounds ?? [0, Number.POSITIVE_INFINITY];
  const moved = (step: number): number => (of === undefined ? value * step : 1 + (value - 1) * step);
  const fits = (tried: number): boolean => tried >= least && tried <= most;
  const values = STEPS.map(moved)
    .map((tried) => (kind === 'number' ? Math.round(tried) : Number(text(tried))))
    .filter((tried, i, all) => fits(tried) && all.indexOf(tried) === i);
  if (values.length < 3) return undefined;
  const typed = values.map((tried) => (kind === 'number' ? tried : text(tried)));
  return {
    path,
    label,
    advanced,
    values: typed,
    saved: values.indexOf(kind === 'number' ? value : Number(text(value))),
  };
}

/** Every setting that can be varied. */
export const axesOf = (schema: unknown, config: unknown): Axis[] =>
  schemaGroups(schema, config)
    .flatMap((group) => group.fields)
    .flatMap((field) => axisOf(field, config) ?? []);

/** A value as an axis label: a distance such as `3 % below`, or the number. */
export const axisText = (value: string | number): string =>
  typeof value === 'number' ? String(value) : (multiplierText(value) ?? value);

export const variant = (config: unknown, across: readonly [Axis, number], down: readonly [Axis, number]): unknown =>
  [across, down].reduce<unknown>((made, [axis, at]) => withValue(made, axis.path, axis.values[at]), config);

/** Number of values in `5..50:5` or `1, 2, 3`; `undefined` where it is neither. */
export function valueCount(text: string): number | undefined {
  const [from, to, step = 1] = (/^([^:]+)\.\.([^:]+)(?::(.+))?$/.exec(text.trim()) ?? [])
    .slice(1)
    .map((part) => (part === undefined ? undefined : Number(part)));
  if (from !== undefined && to !== undefined) {
    const count = Math.floor((to - from) / step + 1e-9) + 1;
    return Number.isFinite(count) && count > 0 ? count : undefined;
  }
  const values = text.split(',').map((value) => value.trim());
  return values.every((value) => value !== '' && Number.isFinite(Number(value))) ? values.length : undefined;
}

/** A varied setting with its values as typed. */
export interface VariedSetting {
  readonly path: string;
  readonly values: string;
}

/** Number of combinations; `undefined` while a value is no number. */
export const combinationsOf = (settings: readonly VariedSetting[]): number | undefined =>
  settings.reduce<number | undefined>((product, { values }) => {
    const own = valueCount(values);
    return product === undefined || own === undefined ? undefined : product * own;
  }, 1);

/** The varied settings as the API takes them. */
export const variedSettingsText = (settings: readonly VariedSetting[]): string =>
  settings.map(({ path, values }) => `${path}=${values.replaceAll(' ', '')}`).join('; ');
