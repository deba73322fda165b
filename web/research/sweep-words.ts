import { valueAt, withValue } from '#core/config-path.ts';
import { multiplierWords } from '#web/ui/numbers.ts';
import { type SchemaField, schemaGroups } from '#web/config/schema-fields.ts';

/** One direction of a heat map: a setting and the values it is tried with. */
export interface Axis {
  readonly path: string;
  readonly label: string;
  readonly advanced: boolean;
  readonly values: readonly (string | number)[];
  /** Where the saved value stands. */
  readonly saved: number;
}

const STEPS = [0.4, 0.6, 0.8, 1, 1.25, 1.6, 2, 2.5] as const;
const text = (value: number): string => String(Number(value.toFixed(5)));

/** Values around the saved one; a multiplier moves its distance from 1, anything else itself. Undefined where there is none. */
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

/** A value as the edge of a heat map shows it: `3 %` of distance, or the number. */
export const edgeWords = (value: string | number): string =>
  typeof value === 'number' ? String(value) : (multiplierWords(value) ?? value);

export const variant = (config: unknown, across: readonly [Axis, number], down: readonly [Axis, number]): unknown =>
  [across, down].reduce<unknown>((made, [axis, at]) => withValue(made, axis.path, axis.values[at]), config);

/** How many values `5..50:5` or `1, 2, 3` stands for; `undefined` where it is neither. */
export function valueCount(text: string): number | undefined {
  const [from, to, step = 1] = (/^([^:]+)\.\.([^:]+)(?::(.+))?$/.exec(text.trim()) ?? [])
    .slice(1)
    .map((one) => (one === undefined ? undefined : Number(one)));
  if (from !== undefined && to !== undefined) {
    const count = Math.floor((to - from) / step + 1e-9) + 1;
    return Number.isFinite(count) && count > 0 ? count : undefined;
  }
  const values = text.split(',').map((one) => one.trim());
  return values.every((one) => one !== '' && Number.isFinite(Number(one))) ? values.length : undefined;
}

/** A setting that a sweep tries, with its values as they are typed. */
export interface TypedKnob {
  readonly path: string;
  readonly values: string;
}

/** How many combinations the knobs have; `undefined` while one of them cannot be read. */
export const combinationsOf = (knobs: readonly TypedKnob[]): number | undefined =>
  knobs.reduce<number | undefined>((product, { values }) => {
    const own = valueCount(values);
    return product === undefined || own === undefined ? undefined : product * own;
  }, 1);

/** The knobs as the API takes them. */
export const knobsText = (knobs: readonly TypedKnob[]): string =>
  knobs.map(({ path, values }) => `${path}=${values.replaceAll(' ', '')}`).join('; ');
