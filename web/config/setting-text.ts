import { type Decimal, formatDecimal, readDecimal, toNumber } from '#core/amount/decimal.ts';
import { percentOf, storedOf } from '#web/ui/percent.ts';
import type { Range, SchemaField } from './schema-fields.ts';
import { NARROW_SPACE, fixed } from '#web/ui/numbers.ts';

/** A stored value as a field shows it, without its unit: a multiplier as percent, a list with commas. */
export function typedText({ percent }: Pick<SchemaField, 'percent'>, value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value)) return value.join(', ');
  const text = String(value);
  return percent === undefined ? text : (percentOf(percent, text) ?? text);
}

/** The value that a typed text stands for. A text that is no value is sent so that the service refuses it at the field. */
export function valueOf({ kind, percent, empty }: SchemaField, typed: string): unknown {
  const text = typed.trim();
  if (kind === 'list') return listOf(text);
  if (text === '') return empty === undefined ? '' : null;
  // With its sign it is no number for the service either.
  const stored = percent === undefined ? typed : (storedOf(percent, text) ?? `${typed} %`);
  return kind === 'number' && Number.isFinite(Number(stored)) ? Number(stored) : stored;
}

const listOf = (text: string): string[] =>
  text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** The unit after a field. */
export const unitOf = ({ percent, unit }: Pick<SchemaField, 'percent' | 'unit'>, quote?: string): string | undefined =>
  percent !== undefined ? '%' : unit === 'quote' ? quote : unit;

const optionLabel = (option: string): string => option.replaceAll('-', ' ');
/** `percent-of-equity` as `percent of equity`, unless the schema has a label. */
export function choiceText({ optionLabels }: Pick<SchemaField, 'optionLabels'>, option: string): string {
  const label = optionLabels[option];
  return typeof label === 'string' ? label : optionLabel(option);
}

/** The help text; it names options as the field shows them. */
export function helpOf({ note, options }: SchemaField): string | undefined {
  const text = options.reduce((made, option) => made?.replaceAll(option, optionLabel(option)), note);
  return text === undefined || text.endsWith('.') ? text : `${text}.`;
}

/** The value of a setting as text: `3 %`, `150 USDT`, `off`. */
export function settingText(field: SchemaField, value: unknown, quote?: string): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (value === undefined || value === null || value === '') return 'off';
  if (typeof value === 'object' && !Array.isArray(value)) return JSON.stringify(value);
  if (field.kind === 'choice') return choiceText(field, String(value));
  const text = typedText(field, value);
  const number = readDecimal(text);
  const shown = number === undefined ? text : plain(number);
  return withUnit(field, field.percent === 'around' && Number(text) > 0 ? `+${shown}` : shown, quote);
}

/** A number with the decimals that it has. */
const plain = (value: Decimal): string => fixed(value, formatDecimal(value).split('.')[1]?.length ?? 0);

function withUnit(field: Pick<SchemaField, 'percent' | 'unit'>, text: string, quote?: string): string {
  const unit = unitOf(field, quote);
  return unit === undefined ? text : `${text}${unit === '%' ? NARROW_SPACE : ' '}${unit}`;
}

const WORDS = { above: 'above', atLeast: 'at least', below: 'below', atMost: 'at most' } as const;
const MIRRORED = { above: 'below', atLeast: 'atMost', below: 'above', atMost: 'atLeast' } as const;
const LIMITS = ['above', 'atLeast', 'below', 'atMost'] as const;

type Measured = Pick<SchemaField, 'percent' | 'range'>;

/** The limits as a field shows them. A distance below a price grows while its multiplier falls. */
function shownRange({ percent, range }: Measured): Range {
  if (percent === undefined) return range;
  const shown: { -readonly [limit in keyof Range]: string } = {};
  for (const limit of LIMITS) {
    const text = percentOf(percent, range[limit] ?? '');
    if (text !== undefined) shown[percent === 'below' ? MIRRORED[limit] : limit] = text;
  }
  return shown;
}

/** Why a number is refused, in the unit of its field; `undefined` when it is inside its limits or no number. */
export function rangeProblem(field: SchemaField, value: unknown, quote?: string): string | undefined {
  if (field.percent === undefined && field.kind !== 'number') return undefined;
  const text = typedText(field, value);
  if (text === '') return undefined;
  const number = readDecimal(text);
  if (number === undefined)
    return field.percent === undefined ? undefined : 'is not a number, or has too many decimals';
  const shown = toNumber(number);
  const range = shownRange(field);
  const { above, atLeast, below, atMost } = range;
  const isOutside =
    shown <= Number(above) || shown < Number(atLeast) || shown >= Number(below) || shown > Number(atMost);
  if (!isOutside) return undefined;
  const bounds = LIMITS.flatMap((limit) => {
    const bound = range[limit] === undefined ? undefined : readDecimal(range[limit]);
    return bound === undefined ? [] : [[WORDS[limit], plain(bound)] as const];
  });
  // The unit follows the last number, a percent sign each of them.
  const hasUnit = (i: number): boolean => i === bounds.length - 1 || unitOf(field, quote) === '%';
  const words = bounds.map(([word, bound], i) => `${word} ${hasUnit(i) ? withUnit(field, bound, quote) : bound}`);
  return `must be ${words.join(' and ')}`;
}

/** A slider covers this much on either side of 0 %. */
const WINDOW = 10;

/** Range of the slider in percent: a window around 0 % inside the limits that contains the value. */
export function sliderRange(field: Measured, percent: number): readonly [number, number] {
  const { above, atLeast = above, below, atMost = below } = shownRange(field);
  const [least, most] = [Number(atLeast ?? -WINDOW), Number(atMost ?? WINDOW)];
  const [from, to] = [Math.max(least, -WINDOW), Math.min(most, WINDOW)];
  if (!Number.isFinite(percent)) return [from, to];
  return [Math.max(least, Math.min(from, percent)), Math.min(most, Math.max(to, percent))];
}
