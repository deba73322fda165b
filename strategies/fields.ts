import { z } from 'zod';
import { type Decimal, readDecimal, requireDecimal, toNumber } from '#core/amount/decimal.ts';

/** Presentation of a setting in a form; part of the JSON Schema as `form`. */
interface FormHint {
  readonly kind: 'multiplier' | 'amount' | 'number' | 'switch' | 'choice' | 'count' | 'list' | 'group';
  readonly advanced?: boolean;
  /** Unit after the input, e.g. `candles`; `quote` is the quote asset of the coin. */
  readonly unit?: string;
  /** Reference of a multiplier. */
  readonly of?: string;
  /**
   * The form shows the value in percent. `below`: 0.97 is 3; `above`: 1.03 is 3; `around`: 1.03 is 3 and 0.97 is -3;
   * `share`: 0.03 is 3; `bps`: 300 is 3.
   */
  readonly percent?: 'below' | 'above' | 'around' | 'share' | 'bps';
  /** True when an empty text means off. */
  readonly off?: boolean;
  readonly bounds?: Bounds;
  readonly group?: GroupHint;
  /** True when the form leaves the setting out. */
  readonly hidden?: boolean;
}

/** Settings of a group that another setting switches off. */
interface GroupHint {
  /** The switch of the group. When it is empty, 0, false, `off` or `market`, all others are inactive. */
  readonly switch?: string;
  /** Settings that apply only to some values of the choice `of`. */
  readonly choice?: { readonly of: string; readonly uses: Readonly<Record<string, readonly string[]>> };
}

/** Bounds as decimal text; `above` and `below` exclude the value itself. */
interface Bounds {
  readonly above?: string;
  readonly atLeast?: string;
  readonly below?: string;
  readonly atMost?: string;
}

interface Words {
  readonly title: string;
  readonly help: string;
  readonly advanced?: boolean;
  readonly hidden?: boolean;
  /** For a group. */
  readonly hint?: GroupHint;
}

/** A number has a unit or is shown in percent. */
type Measured = Words & Pick<FormHint, 'unit' | 'percent'>;
const measureOf = ({ unit, percent }: Measured): Pick<FormHint, 'unit' | 'percent'> =>
  unit !== undefined ? { unit } : percent !== undefined ? { percent } : {};

const DECIMAL_TEXT = /^\d+(\.\d{1,18})?$/;
const DECIMAL_OR_EMPTY = /^(\d+(\.\d{1,18})?)?$/;

const metaOf = ({ title, help, advanced = false, hidden = false }: Words, form: FormHint) => ({
  title,
  description: help,
  form: { ...form, ...(advanced ? { advanced } : {}), ...(hidden ? { hidden } : {}) },
});

/** Problem with a value outside its bounds; undefined when it is inside. */
function boundsProblem(text: string, bounds: Bounds): string | undefined {
  const value = readDecimal(text);
  if (value === undefined) return undefined;
  const { above, atLeast, below, atMost } = bounds;
  if (above !== undefined && value <= requireDecimal(above)) return `${text} must be above ${above}`;
  if (atLeast !== undefined && value < requireDecimal(atLeast)) return `${text} must be at least ${atLeast}`;
  if (below !== undefined && value >= requireDecimal(below)) return `${text} must be below ${below}`;
  if (atMost !== undefined && value > requireDecimal(atMost)) return `${text} must be at most ${atMost}`;
  return undefined;
}

function decimalText(bounds: Bounds, off: boolean) {
  return z
    .string('must be decimal text such as "0.97"')
    .max(40, { error: 'is longer than 40 characters', abort: true })
    .regex(
      off ? DECIMAL_OR_EMPTY : DECIMAL_TEXT,
      off ? 'is not a decimal number; leave it empty for off' : 'is not a decimal number',
    )
    .superRefine((text, context) => {
      const problem = text === '' ? undefined : boundsProblem(text, bounds);
      if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    });
}

/** On which side of its reference a multiplier can be. */
function sideOf({ above, atLeast, below, atMost }: Bounds): 'below' | 'above' | 'around' {
  if (Number(below ?? atMost) <= 1) return 'below';
  return Number(above ?? atLeast) >= 1 ? 'above' : 'around';
}

/** A share of a reference price as decimal text (0.97 = 3 % below). With `off`, '' means off. */
export const multiplier = (
  words: Words & { readonly of: string; readonly bounds: Bounds; readonly off?: boolean },
  fallback: string,
) => {
  const { of, bounds, off = false } = words;
  return decimalText(bounds, off)
    .default(fallback)
    .meta(metaOf(words, { kind: 'multiplier', of, percent: sideOf(bounds), bounds, off }));
};

/** An amount above zero in the quote asset, as decimal text. With `off`, '' means off. */
export const quoteAmount = (words: Words & { readonly off?: boolean }, fallback: string) => {
  const off = words.off ?? false;
  const bounds: Bounds = { above: '0', atMost: '1000000000' };
  return decimalText(bounds, off)
    .default(fallback)
    .meta(metaOf(words, { kind: 'amount', unit: 'quote', bounds, off }));
};

/** A plain factor such as 2.5, as decimal text. With `off`, '' means off. */
export const decimalNumber = (
  words: Measured & { readonly bounds: Bounds; readonly off?: boolean },
  fallback: string,
) => {
  const { bounds, off = false } = words;
  return decimalText(bounds, off)
    .default(fallback)
    .meta(metaOf(words, { kind: 'number', ...measureOf(words), bounds, off }));
};

/** A switch. */
export const flag = (words: Words, fallback: boolean) =>
  z
    .boolean('must be true or false')
    .default(fallback)
    .meta(metaOf(words, { kind: 'switch' }));

/** A whole number from `from` to `to`. */
export const count = (words: Measured & { readonly from: number; readonly to: number }, fallback: number) =>
  z
    .int('must be a whole number')
    .min(words.from, `must be at least ${words.from}`)
    .max(words.to, `must be at most ${words.to}`)
    .default(fallback)
    .meta(metaOf(words, { kind: 'count', ...measureOf(words) }));

/** One of a list of options. */
export const choice = <const Options extends readonly [string, ...string[]]>(
  words: Words,
  options: Options,
  fallback: Options[number],
) =>
  z
    .enum(options, `must be one of ${options.join(', ')}`)
    .default(fallback)
    .meta(metaOf(words, { kind: 'choice' }));

/** Reports an invalid combination of settings: path and reason. */
export type Judge<Value> = (value: Value, refuse: (path: (string | number)[], message: string) => void) => void;

/** A group of settings. Unknown keys are refused, absent ones get their default. `judge` checks combinations. */
export const group = <Shape extends z.ZodRawShape>(
  words: Words,
  shape: Shape,
  judge?: Judge<z.output<z.ZodObject<Shape>>>,
) => {
  const whole = z.strictObject(shape);
  const judged =
    judge === undefined
      ? whole
      : whole.superRefine((value, context) =>
          judge(value, (path, message) => context.addIssue({ code: 'custom', path, message })),
        );
  return judged.meta(metaOf(words, { kind: 'group', ...(words.hint === undefined ? {} : { group: words.hint }) }));
};

/** A multiplier or amount of a parsed config as a decimal; '' and 0 are off. */
export function readSetting(text: string): Decimal | null {
  const value = readDecimal(text);
  return value === undefined || value === 0n ? null : value;
}

/** A multiplier as a float64 for signals; 0 is off. */
export function readFactor(text: string): number {
  const value = readSetting(text);
  return value === null ? 0 : toNumber(value);
}
