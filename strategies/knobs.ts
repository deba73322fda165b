import { add, type Decimal, formatDecimal, readDecimal } from '#core/decimal.ts';
import { isObject } from '#core/merge.ts';
import { randomFrom } from '#core/random.ts';

/** A knob of a config and the values it is tried with; `path` such as ema.fast or buy.gridLevels.0.triggerPercentage. */
export interface Knob {
  readonly path: string;
  readonly values: readonly (string | number)[];
}

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'problem'; readonly sentence: string };

export const MOST_SETS = 100_000;
const FORM = 'such as ema.fast=5..50:5 or ema.slow=20,50,100, joined by semicolons';
const problem = (sentence: string) => ({ kind: 'problem', sentence }) as const;

export function valueAt(config: unknown, path: string): unknown {
  let value = config;
  for (const key of path.split('.'))
    value = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
  return value;
}

/** The config with the value at a path replaced. */
export function withValue(config: unknown, path: readonly string[], value: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return value;
  if (Array.isArray(config))
    return config.map((item: unknown, i): unknown => (String(i) === key ? withValue(item, rest, value) : item));
  return isObject(config) ? { ...config, [key]: withValue(config[key], rest, value) } : config;
}

/** `5..50:5` or `1,2,3` as exact numbers; undefined when it is neither. */
function readValues(text: string): Decimal[] | undefined {
  const range = /^([^:]+)\.\.([^:]+)(?::(.+))?$/.exec(text);
  if (range === null) {
    const values = text.split(',').map((one) => readDecimal(one.trim()));
    return values.every((one) => one !== undefined) ? values : undefined;
  }
  const [from, to, step] = [range[1], range[2], range[3] ?? '1'].map((one) => readDecimal((one ?? '').trim()));
  if (from === undefined || to === undefined || step === undefined || step <= 0n || from > to) return undefined;
  const values: Decimal[] = [];
  for (let value = from; value <= to && values.length <= MOST_SETS; value = add(value, step)) values.push(value);
  return values;
}

/** Reads the knobs of a sweep; each must be a number of `config`, a whole one where that is. */
export function parseKnobs(text: string, config: unknown): Parsed<Knob[]> {
  const knobs: Knob[] = [];
  for (const part of text
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const at = part.indexOf('=');
    const path = part.slice(0, Math.max(0, at)).trim();
    const values = readValues(part.slice(at + 1).trim());
    if (at < 1 || values === undefined) return problem(`"${part}" is no knob with its values, ${FORM}.`);
    const now = valueAt(config, path);
    const isText = typeof now === 'string' && (now === '' || readDecimal(now) !== undefined);
    if (typeof now !== 'number' && !isText)
      return problem(`"${path}" is no number of the config, so it cannot be swept.`);
    if (knobs.some((knob) => knob.path === path)) return problem(`"${path}" is swept twice.`);
    const texts = values.map(formatDecimal);
    knobs.push({ path, values: typeof now === 'number' ? texts.map(Number) : texts });
  }
  return knobs.length === 0 ? problem(`No knobs are given, ${FORM}.`) : { kind: 'ok', value: knobs };
}

/** One combination of values, in the order of the knobs. */
export type Values = readonly (string | number)[];

export const withKnobs = (config: unknown, knobs: readonly Knob[], values: Values): unknown =>
  knobs.reduce((changed, { path }, i) => withValue(changed, path.split('.'), values[i]), config);

const sizeOf = (knobs: readonly Knob[]): number => knobs.reduce((product, { values }) => product * values.length, 1);

/** The combination with a number: the last knob turns fastest. */
function combination(knobs: readonly Knob[], number: number): Values {
  const values: (string | number)[] = [];
  let rest = number;
  for (const knob of knobs.toReversed()) {
    values.unshift(knob.values[rest % knob.values.length] ?? '');
    rest = Math.floor(rest / knob.values.length);
  }
  return values;
}

/** Every combination, or with `count` that many different ones drawn by `seed`. */
export function combinations(
  knobs: readonly Knob[],
  draw?: { readonly count: number; readonly seed: number },
): Parsed<Values[]> {
  const size = sizeOf(knobs);
  const count = draw === undefined ? size : Math.min(draw.count, size);
  if (count > MOST_SETS)
    return problem(
      `The knobs make ${size} combinations, more than ${MOST_SETS}: use wider steps, or draw some of them at random.`,
    );
  if (draw === undefined || count === size)
    return { kind: 'ok', value: Array.from({ length: size }, (_, number) => combination(knobs, number)) };
  const random = randomFrom(draw.seed);
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(Math.floor(random() * size));
  return { kind: 'ok', value: [...drawn].map((number) => combination(knobs, number)) };
}
