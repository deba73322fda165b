import { type IndicatorState, isIndicatorState } from '#core/indicators/indicator.ts';
import { isObject } from '#core/merge.ts';
import { type Candle, INTERVAL_MS, type Interval, openOf } from '#core/market/candle.ts';
import type { DeclaredIndicator, DeclaredIndicators } from './description.ts';
import { KINDS, type Runner } from './kinds.ts';
import { CELL } from './moment.ts';

/** Where the values of an indicator are: the present ones from `at`, those of the candle before after them. */
interface Placed {
  readonly name: string;
  readonly fields: readonly string[];
  readonly at: number;
}

const PARTS = ['open', 'high', 'low', 'close', 'volume'] as const;
type Part = (typeof PARTS)[number];
const isPart = (text: string): text is Part => PARTS.some((part) => part === text);

const fieldsOf = ({ kind }: DeclaredIndicator): readonly string[] => KINDS[kind]?.fields ?? [];

export function layoutOf(declared: DeclaredIndicators): Placed[] {
  let at: number = CELL.first;
  return Object.entries(declared).map(([name, indicator]) => {
    const fields = fieldsOf(indicator);
    const placed = { name, fields, at };
    at += 2 * fields.length;
    return placed;
  });
}

/** Empty cells for a layout as text: a line with name, cell and fields for each indicator. */
export function cellsOf(layout: string): Float64Array {
  const ends = layout
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [, at = '0', fields = ''] = line.split(' ');
      return Number(at) + 2 * fields.split(',').length;
    });
  return new Float64Array(Math.max(CELL.first, ...ends)).fill(Number.NaN, CELL.first);
}

/** Why an indicator cannot read its source; null when it can. Sources are declared before the indicators that read them. */
export function sourceProblem(declared: DeclaredIndicators, interval: Interval): string | null {
  const before = new Map<string, DeclaredIndicator>();
  for (const [name, indicator] of Object.entries(declared)) {
    const { of = 'close', on = interval } = indicator;
    if (on !== interval && INTERVAL_MS[on] % INTERVAL_MS[interval] !== 0)
      return `${name}: candles of ${interval} do not add up to ${on}`;
    if (INTERVAL_MS[on] < INTERVAL_MS[interval]) return `${name}: ${on} is shorter than the candles of the strategy`;
    const [source = '', field = 'value'] = of.split('.');
    const other = before.get(source);
    const fits = other !== undefined && fieldsOf(other).includes(field) && (other.on ?? interval) === on;
    if (!isPart(of) && !fits)
      return `${name}: "${of}" is neither a part of the candle nor a value of an indicator declared before it on the same candles`;
    before.set(name, indicator);
  }
  return null;
}

/** Own candles that the indicators of the own interval need, and longer ones to load before them. */
export function candlesFor(declared: DeclaredIndicators, interval: Interval) {
  const chain = new Map<string, number>();
  let [min, want] = [2, 2];
  const also = new Map<Interval, number>();
  for (const [name, indicator] of Object.entries(declared)) {
    const kind = KINDS[indicator.kind];
    if (kind === undefined) continue;
    const source = chain.get((indicator.of ?? '').split('.')[0] ?? '') ?? 0;
    const need = source + kind.need(indicator.params) + 1;
    const settled = source + kind.settled(indicator.params) + 1;
    chain.set(name, settled);
    const on = indicator.on ?? interval;
    if (on === interval) [min, want] = [Math.max(min, need), Math.max(want, settled)];
    else {
      also.set(on, Math.max(also.get(on) ?? 0, settled));
      // The longer candle in which the own ones begin must be whole.
      want = Math.max(want, (2 * INTERVAL_MS[on]) / INTERVAL_MS[interval] + 1);
    }
  }
  return { min, want, also: [...also].map(([on, count]) => ({ interval: on, want: count })) };
}

interface Running extends Placed {
  readonly runner: Runner;
  readonly part: Part;
  /** Cell of the source, when that is a value of another indicator. */
  readonly from: number;
}

/** A candle that own candles add up to. */
interface Frame {
  readonly interval: Interval;
  readonly indicators: readonly Running[];
  bar: Candle | null;
  /** Open time of the last candle that the indicators received. */
  lastMs: number;
}

export interface SavedSeries {
  readonly lastOpenMs: number;
  readonly count: number;
  readonly cells: readonly (number | null)[];
  readonly indicators: Readonly<Record<string, IndicatorState>>;
  readonly frames: readonly { readonly bar: Candle | null; readonly lastMs: number }[];
}

export const isSavedSeries = (value: unknown): value is SavedSeries =>
  isObject(value) &&
  Array.isArray(value['cells']) &&
  Array.isArray(value['frames']) &&
  isObject(value['indicators']) &&
  Object.values(value['indicators']).every(isIndicatorState);

/** The indicators of a file, fed with closed candles. Their values are in its cells. */
export class IndicatorSeries {
  lastOpenMs = -1;
  /** Candles since the start. */
  count = 0;
  /** All indicators have a value at this candle and at the one before. */
  ready = false;
  readonly #own: readonly Running[];
  readonly #frames: readonly Frame[];
  readonly #all: readonly Running[];
  readonly #cells: Float64Array;
  readonly #lengthMs: number;

  /** Throws when `saved` is of other indicators. */
  constructor(
    { declared, interval }: { readonly declared: DeclaredIndicators; readonly interval: Interval },
    cells: Float64Array,
    saved?: SavedSeries,
  ) {
    this.#cells = cells;
    this.#lengthMs = INTERVAL_MS[interval];
    this.#all = runningOf(declared, saved);
    const onOf = ({ name }: Running): Interval => declared[name]?.on ?? interval;
    this.#own = this.#all.filter((each) => onOf(each) === interval);
    const longer = [...new Set(this.#all.map(onOf))].filter((on) => on !== interval);
    this.#frames = longer.map((on, i) => ({
      interval: on,
      indicators: this.#all.filter((each) => onOf(each) === on),
      bar: saved?.frames[i]?.bar ?? null,
      lastMs: saved?.frames[i]?.lastMs ?? -1,
    }));
    cells.fill(Number.NaN, CELL.first);
    this.ready = this.#all.length === 0;
    if (saved === undefined) return;
    this.lastOpenMs = saved.lastOpenMs;
    this.count = saved.count;
    for (const [i, value] of saved.cells.entries()) cells[CELL.first + i] = value ?? Number.NaN;
    this.ready = this.#isComplete();
  }

  push(candle: Candle): void {
    this.lastOpenMs = candle.openMs;
    this.count += 1;
    for (const running of this.#own) feed(running, this.#cells, candle);
    for (const frame of this.#frames) this.#add(frame, candle);
    if (!this.ready) this.ready = this.#isComplete();
  }

  /** A closed candle of a longer interval, from before the own candles. */
  pushLonger(interval: Interval, candle: Candle): void {
    const frame = this.#frames.find((each) => each.interval === interval);
    if (frame === undefined || candle.openMs <= frame.lastMs || frame.bar !== null) return;
    this.#close(frame, candle);
  }

  state(): SavedSeries {
    return {
      lastOpenMs: this.lastOpenMs,
      count: this.count,
      cells: Array.from(this.#cells.subarray(CELL.first), (value) => (Number.isFinite(value) ? value : null)),
      indicators: Object.fromEntries(this.#all.map(({ name, runner }) => [name, runner.state()])),
      frames: this.#frames.map(({ bar, lastMs }) => ({ bar: bar === null ? null : { ...bar }, lastMs })),
    };
  }

  #isComplete(): boolean {
    return this.#all.every(({ at, fields }) => !Number.isNaN(this.#cells[at + fields.length]));
  }

  /** A longer candle that does not begin with its first own candle is left out. */
  #add(frame: Frame, candle: Candle): void {
    const lengthMs = INTERVAL_MS[frame.interval];
    const openMs = openOf(candle.openMs, frame.interval);
    if (frame.bar !== null && frame.bar.openMs !== openMs) {
      this.#close(frame, frame.bar);
      frame.bar = null;
    }
    if (openMs <= frame.lastMs) return;
    if (frame.bar !== null) {
      const { open, high, low, volume } = frame.bar;
      const range = { high: Math.max(high, candle.high), low: Math.min(low, candle.low) };
      frame.bar = { ...frame.bar, open, ...range, close: candle.close, volume: volume + candle.volume };
    } else if (candle.openMs === openMs) frame.bar = { ...candle, openMs, closeMs: openMs + lengthMs };
    if (frame.bar === null || candle.openMs + this.#lengthMs < openMs + lengthMs) return;
    this.#close(frame, frame.bar);
    frame.bar = null;
  }

  #close(frame: Frame, bar: Candle): void {
    frame.lastMs = bar.openMs;
    for (const running of frame.indicators) feed(running, this.#cells, bar);
  }
}

function runningOf(declared: DeclaredIndicators, saved: SavedSeries | undefined): Running[] {
  const layout = layoutOf(declared);
  return layout.flatMap((placed) => {
    const indicator = declared[placed.name];
    const kind = indicator === undefined ? undefined : KINDS[indicator.kind];
    if (indicator === undefined || kind === undefined) return [];
    const { of = 'close', params } = indicator;
    const [source, field = 'value'] = of.split('.');
    const other = isPart(of) ? undefined : layout.find(({ name }) => name === source);
    const from = other === undefined ? -1 : other.at + other.fields.indexOf(field);
    const runner = kind.create(params, saved?.indicators[placed.name]);
    return [{ ...placed, runner, part: isPart(of) ? of : 'close', from }];
  });
}

/** An indicator of another one is fed once its source is ready. */
function feed({ runner, at, fields, part, from }: Running, cells: Float64Array, candle: Candle): void {
  const size = fields.length;
  for (let i = at; i < at + size; i += 1) cells[i + size] = cells[i] ?? Number.NaN;
  const value = from < 0 ? candle[part] : (cells[from] ?? Number.NaN);
  if (Number.isNaN(value)) return;
  runner.push(candle, value);
  if (runner.ready) runner.write(cells, at);
}
