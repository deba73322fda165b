import { valueAt, withValue } from '#core/config-path.ts';
import { add, type Decimal, formatDecimal, readDecimal } from '#core/amount/decimal.ts';
import { randomFrom } from '#core/research/random.ts';

/** A setting of a config with its values in a sweep; `path` such as ema.fast or buy.gridLevels.0.triggerPercentage. */
export interface SweptSetting {
  readonly path: string;
  readonly values: readonly (string | number)[];
}

export { withValue };

export type Parsed<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'problem'; readonly sentence: string };

const MOST_SETS = 100_000;
/** Maximum number of values of all settings together. All are in memory before a set is created. */
const MOST_VALUES = 10_000;
const FORM = 'such as ema.fast=5..50:5 or ema.slow=20,50,100, joined by semicolons';
const problem = (sentence: string) => ({ kind: 'problem', sentence }) as const;

/** The values of a setting, counted before they are created. */
interface Listed {
  readonly count: number;
  readonly values: () => Decimal[];
}

/** `5..50:5` or `1,2,3` as exact numbers; undefined when it is neither. */
export function readValues(text: string): Listed | undefined {
  const dots = text.indexOf('..');
  if (dots < 0) {
    const values = text.split(',').map((one) => readDecimal(one.trim()));
    return values.every((one) => one !== undefined) ? { count: values.length, values: () => values } : undefined;
  }
  const [last = '', step = '1', ...more] = text.slice(dots + 2).split(':');
  const bounds = [text.slice(0, dots), last, step].map((one) => readDecimal(one.trim()));
  return more.length > 0 ? undefined : rangeOf(bounds);
}

function rangeOf([from, to, step]: readonly (Decimal | undefined)[]): Listed | undefined {
  if (from === undefined || to === undefined || step === undefined || step <= 0n || from > to) return undefined;
  const values = (): Decimal[] => {
    const made: Decimal[] = [];
    for (let value = from; value <= to; value = add(value, step)) made.push(value);
    return made;
  };
  return { count: Number((to - from) / step) + 1, values };
}

/** Parses the settings of a sweep. Each must be a number in `config`; a whole number stays whole. */
export function parseSettings(text: string, config: unknown): Parsed<SweptSetting[]> {
  const settings: SweptSetting[] = [];
  let count = 0;
  for (const part of text
    .split(';')
    .map((one) => one.trim())
    .filter((one) => one !== '')) {
    const at = part.indexOf('=');
    const path = part.slice(0, Math.max(0, at)).trim();
    const listed = readValues(part.slice(at + 1).trim());
    if (at < 1 || listed === undefined) return problem(`"${part}" is not a setting with values, ${FORM}.`);
    const now = valueAt(config, path);
    const isText = typeof now === 'string' && (now === '' || readDecimal(now) !== undefined);
    if (typeof now !== 'number' && !isText)
      return problem(`"${path}" is not a number of the config, so it cannot be swept.`);
    if (settings.some((setting) => setting.path === path)) return problem(`"${path}" is swept twice.`);
    count += listed.count;
    if (count > MOST_VALUES)
      return problem(`The settings up to "${path}" have ${count} values, more than ${MOST_VALUES}: use wider steps.`);
    const texts = listed.values().map(formatDecimal);
    settings.push({ path, values: typeof now === 'number' ? texts.map(Number) : texts });
  }
  return settings.length === 0 ? problem(`No settings are given, ${FORM}.`) : { kind: 'ok', value: settings };
}

/** One combination of values, in the order of the settings. */
export type Values = readonly (string | number)[];

export const withSettings = (config: unknown, settings: readonly SweptSetting[], values: Values): unknown =>
  settings.reduce((changed, { path }, i) => withValue(changed, path, values[i]), config);

const sizeOf = (settings: readonly SweptSetting[]): number =>
  settings.reduce((product, { values }) => product * values.length, 1);

/** The combination with an index. The last setting varies fastest. */
function combination(settings: readonly SweptSetting[], number: number): Values {
  const values: (string | number)[] = [];
  let rest = number;
  for (const setting of settings.toReversed()) {
    values.unshift(setting.values[rest % setting.values.length] ?? '');
    rest = Math.floor(rest / setting.values.length);
  }
  return values;
}

export interface Draw {
  readonly count: number;
  readonly seed: number;
}

/** Number of sets of a sweep: every combination, or with `draw` at most that many. Creates none of them. */
export function countSets(settings: readonly SweptSetting[], draw?: Draw): Parsed<number> {
  const size = sizeOf(settings);
  const count = draw === undefined ? size : Math.min(draw.count, size);
  if (count <= MOST_SETS && Number.isFinite(size)) return { kind: 'ok', value: count };
  return problem(
    `The settings make ${size} combinations, more than ${MOST_SETS}: use wider steps, or draw some of them at random.`,
  );
}

/** The first `count` indexes of sets: in order, or distinct ones drawn by a seed. */
function setNumbers(settings: readonly SweptSetting[], count: number, draw: Draw | undefined): number[] {
  const size = sizeOf(settings);
  if (draw === undefined || draw.count >= size) return Array.from({ length: count }, (_, number) => number);
  const random = randomFrom(draw.seed);
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(Math.floor(random() * size));
  return [...drawn];
}

/** The first `count` sets of a sweep, at most as many as it has. Each is created when it is read. */
export function* combinations(
  settings: readonly SweptSetting[],
  {
    count,
    draw,
    only,
  }: { readonly count: number; readonly draw?: Draw | undefined; readonly only?: ReadonlySet<number> },
): Generator<readonly [set: number, values: Values]> {
  for (const [set, number] of setNumbers(settings, count, draw).entries())
    if (only?.has(set) !== false) yield [set, combination(settings, number)];
}
