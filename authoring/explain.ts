import type { Numbers } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { percentText, priceText, quantityText } from '#strategies/grid-text.ts';
import type { Grid } from '#strategies/strategy.ts';
import { toNumber } from '#core/amount/decimal.ts';
import type { Answers } from './answers.ts';
import { codeOf, type DeclaredIndicators, type Description, FACTS, HOST_CODES } from './description.ts';
import { KINDS } from './kinds.ts';
import { CELL } from './moment.ts';
import type { Values } from './schema.ts';
import { FIELD_IN_SENTENCE, keyOf } from './sentence.ts';
import { layoutOf } from './series.ts';

interface ExplainInput {
  readonly description: Description;
  readonly declared: DeclaredIndicators;
  readonly values: Values;
  readonly answers: Answers;
  readonly view: TickView;
  readonly grid: Grid;
  readonly cells: Float64Array;
  readonly memory: Readonly<Record<string, number | boolean>>;
  /** Numbers of the service; prices in ticks, times in ms UTC. */
  readonly host: {
    readonly stop: number;
    readonly target: number;
    readonly need: number;
    readonly path: string | null;
    readonly problem: string;
    readonly limit: number;
    readonly bars: number;
    readonly candleMs: number;
  };
}

const PRICES: readonly string[] = ['open', 'high', 'low', 'close', 'entryPrice', 'peak'];
const isFact = (name: string): name is (typeof FACTS)[number] => FACTS.some((fact) => fact === name);

/** At most six significant digits. */
const plain = (value: number): number | null => (Number.isFinite(value) ? Number(value.toPrecision(6)) : null);

/**
 * The pane of a chart in which a value of an indicator belongs; null for a price, which belongs over the candles. An
 * indicator of another one, such as an average of it, has the pane of its source.
 */
function paneOf(declared: DeclaredIndicators, name: string, field: string): string | null {
  const { kind = '', of = 'close' } = declared[name] ?? {};
  if (KINDS[kind]?.pane !== 'price') return name;
  if (field === 'width' || field === 'direction') return `${name}.${field}`;
  if (PRICES.includes(of)) return null;
  const [source = '', part = 'value'] = of.split('.');
  const names = Object.keys(declared);
  const isBefore = names.includes(source) && names.indexOf(source) < names.indexOf(name);
  return isBefore ? paneOf(declared, source, part) : name;
}

/** Cell and pane of a value of an indicator; undefined for a name that is none. */
export function indicatorField(
  declared: DeclaredIndicators,
  name: string,
): { at: number; pane: string | null } | undefined {
  const [indicator = '', ...rest] = name.split('.');
  const given = Object.hasOwn(declared, indicator) ? declared[indicator] : undefined;
  const placed = layoutOf(declared).find((each) => each.name === indicator);
  if (given === undefined || placed === undefined) return undefined;
  const before = rest[0] === 'before';
  const [field = 'value', ...more] = before ? rest.slice(1) : rest;
  const index = placed.fields.indexOf(field);
  if (index < 0 || more.length > 0) return undefined;
  const at = placed.at + index + (before ? placed.fields.length : 0);
  return { at, pane: paneOf(declared, indicator, field) };
}

function factText(name: (typeof FACTS)[number], { cells, grid, view, host }: ExplainInput): string | number | null {
  const value = cells[CELL[name]] ?? Number.NaN;
  if (name === 'stop') return priceText(host.stop, grid);
  if (PRICES.includes(name)) return priceText(value / toNumber(grid.tick), grid);
  if (name === 'time') return new Date(value).toISOString();
  if (name === 'quantity') return quantityText(view.lots, grid);
  if (name === 'gain') return `${value < 0 ? '-' : ''}${percentText(value)}`;
  if (name === 'held' || name === 'due') return value === 1 ? 'yes' : 'no';
  return plain(value);
}

function settingText({ description, values }: ExplainInput, name: string): string | number | null {
  const value = values[name];
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'string') return value;
  return description.settings[name]?.kind === 'percent' ? `${plain(value * 100)} %` : plain(value);
}

function textOf(name: string, input: ExplainInput): string | number | null {
  const { declared, cells, grid, memory, description, host, view } = input;
  const field = indicatorField(declared, name);
  if (field !== undefined) {
    const value = cells[field.at] ?? Number.NaN;
    return field.pane === null ? priceText(value / toNumber(grid.tick), grid) : plain(value);
  }
  if (Object.hasOwn(description.settings, name)) return settingText(input, name);
  const kept = memory[name];
  if (kept !== undefined) return typeof kept === 'boolean' ? (kept ? 'yes' : 'no') : plain(kept);
  if (isFact(name)) return factText(name, input);
  switch (name) {
    case 'price':
      return priceText(view.price, grid);
    case 'target':
      return priceText(host.target, grid);
    case 'limit':
      return priceText(host.limit, grid);
    case 'candleAt':
      return new Date(host.candleMs).toISOString();
    case 'need':
    case 'bars':
    case 'path':
    case 'problem':
      return host[name];
    default:
      return null;
  }
}

/** The template of a reason: its own words for a rule, those of the service for its codes. */
function sentenceOf({ entry, exit }: Description, reason: string): string {
  const rule = [...entry, ...exit].find((each) => codeOf(each) === reason);
  if (rule !== undefined) return rule.say;
  return Object.entries(HOST_CODES).find(([code]) => code === reason)?.[1].sentence ?? '';
}

/** The names in a sentence. */
const namesIn = (sentence: string): string[] =>
  Array.from(sentence.matchAll(FIELD_IN_SENTENCE), ([, name = '']) => name);

/** The numbers that the sentence of a reason names, and the price. */
export function explainAnswer(reason: string, input: ExplainInput): Numbers {
  const names = new Set(['price', ...namesIn(sentenceOf(input.description, reason))]);
  return Object.fromEntries([...names].map((name) => [keyOf(name), textOf(name, input)]));
}

/** The names that no sentence can fill. */
export function unknownNames(description: Description, declared: DeclaredIndicators): { code: string; name: string }[] {
  const known = (name: string): boolean =>
    indicatorField(declared, name) !== undefined ||
    Object.hasOwn(description.settings, name) ||
    Object.hasOwn(description.memory, name) ||
    isFact(name) ||
    name === 'price' ||
    name === 'target';
  return [...description.entry, ...description.exit].flatMap((rule) =>
    namesIn(rule.say)
      .filter((name) => !known(name))
      .map((name) => ({ code: codeOf(rule), name })),
  );
}
