/*
 * The side of a strategy file. It is evaluated in the realm of the file, next to it: in a context of node:vm, or in the
 * browser. Only numbers (in `cells`) and JSON text pass between the file and the service, because an object of the
 * service would be a way out of the context. It imports nothing.
 */

/** Where a number is in the cells of a file. The values of indicators follow from `first` on. */
export const CELL = {
  open: 0,
  high: 1,
  low: 2,
  close: 3,
  volume: 4,
  time: 5,
  held: 6,
  quantity: 7,
  entryPrice: 8,
  peak: 9,
  bars: 10,
  gain: 11,
  stop: 12,
  level: 13,
  due: 14,
  /** Which questions to answer: 1 the entry rules, 2 the exit rules, 3 both. */
  asks: 15,
  /** Answers: index of a rule or -1, prices or NaN, and 1 when a function of the file threw. */
  entry: 16,
  exit: 17,
  stopAnswer: 18,
  targetAnswer: 19,
  failed: 20,
  /** The function that failed: see PLACE. */
  place: 21,
  first: 22,
} as const;

/** Functions of a file by number. A rule has the number of its list plus its index. */
export const PLACE = { none: 0, each: 1, stop: 2, target: 3, lines: 4, entry: 100, exit: 200 } as const;

/**
 * The function that runs now, for a thread that watches: steps so far, odd while one runs; its PLACE; close time of its
 * candle. In a browser the memory cannot be shared.
 */
const Memory = typeof SharedArrayBuffer === 'function' ? SharedArrayBuffer : ArrayBuffer;
const pulse = new Float64Array(new Memory(24));

type Cells = Float64Array;
type Call<T> = (moment: object) => T;

interface Rule {
  readonly when?: Call<unknown>;
}

/** A definition with the parts that run here; everything else is read as JSON. */
interface Runs {
  readonly memory?: Record<string, number | boolean>;
  readonly indicators?: (set: object) => object;
  readonly each?: Call<void>;
  readonly entry: readonly Rule[];
  readonly exit?: readonly Rule[];
  readonly stop?: Call<unknown>;
  readonly target?: Call<unknown>;
  readonly lines?: Readonly<Record<string, Call<unknown>>>;
}

/** Values of one indicator: `fields` in order, at `at` the present ones, after them those of the candle before. */
interface Layout {
  readonly name: string;
  readonly fields: readonly string[];
  readonly at: number;
}

/** A strategy that runs for one coin. */
export interface RunningFile {
  readonly cells: Cells;
  /** Answers the questions in `cells`. Never throws. */
  step(): void;
  /** Memory as JSON. */
  memory(): string;
  /** Prices of `lines` as JSON. Never throws. */
  lines(): string;
  /** Message and stack of the last failure. */
  problem(): string;
}

/** The functions of one file. All of them throw what the file throws. */
export interface LoadedFile {
  /** Everything but the functions, as JSON; a function is `true`. */
  readonly description: string;
  readonly pulse: Float64Array;
  /** The declared indicators by name, as JSON. */
  declare(settings: string): string;
  open(settings: string, layout: string, memory: string): RunningFile;
}

class Facts {
  readonly #cells: Cells;
  readonly set: object;
  readonly memory: object;
  constructor(cells: Cells, set: object, memory: object) {
    this.#cells = cells;
    this.set = set;
    this.memory = memory;
  }
  get open() {
    return this.#cells[0];
  }
  get high() {
    return this.#cells[1];
  }
  get low() {
    return this.#cells[2];
  }
  get close() {
    return this.#cells[3];
  }
  get volume() {
    return this.#cells[4];
  }
  get time() {
    return this.#cells[5];
  }
  get held() {
    return this.#cells[6] === 1;
  }
  get quantity() {
    return this.#cells[7];
  }
  get entryPrice() {
    return this.#cells[8];
  }
  get peak() {
    return this.#cells[9];
  }
  get bars() {
    return this.#cells[10];
  }
  get gain() {
    return this.#cells[11];
  }
  get stop() {
    return this.#cells[12];
  }
  get level() {
    return this.#cells[13];
  }
  get due() {
    return this.#cells[14] === 1;
  }
}

type Reader = new (cells: Cells, at: number) => object;
const readers = new Map<string, Reader>();

/** One class for each list of fields: all indicators of that shape share its hidden class, in every instance. */
function readerOf(fields: readonly string[]): Reader {
  const key = fields.join();
  const known = readers.get(key);
  if (known !== undefined) return known;
  const made = class {
    readonly cells: Cells;
    readonly at: number;
    constructor(cells: Cells, at: number) {
      this.cells = cells;
      this.at = at;
    }
  };
  for (const [i, field] of fields.entries())
    Object.defineProperty(made.prototype, field, {
      get(this: { readonly cells: Cells; readonly at: number }) {
        return this.cells[this.at + i];
      },
    });
  readers.set(key, made);
  return made;
}

function indicatorOf(cells: Cells, { fields, at }: Layout): object {
  const reader = readerOf(fields);
  const reading = new reader(cells, at);
  Object.defineProperty(reading, 'before', { value: Object.freeze(new reader(cells, at + fields.length)) });
  return Object.freeze(reading);
}

/** Text of anything that was thrown; an object may throw again when it is read. */
function textOf(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? (thrown.stack ?? thrown.message) : thrown).slice(0, 4000);
  } catch {
    return 'something that has no text was thrown';
  }
}

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : Number.NaN);

/** A value of memory; null for an object, whose conversion to JSON would run code of the file without a time limit. */
const plain = (value: unknown): unknown => (typeof value === 'object' || typeof value === 'function' ? null : value);

/** The index of the first rule that answers; -1 when none does. */
function firstOf(rules: readonly Rule[], moment: object, place: number): number {
  for (let i = 0; i < rules.length; i += 1) {
    const when = rules[i]?.when;
    pulse[1] = place + i;
    if (when === undefined || when(moment) === true) return i;
  }
  return -1;
}

function answer(runs: Runs, moment: object, cells: Cells): void {
  const { each, entry, exit, stop, target } = runs;
  const held = cells[6] === 1;
  const asks = cells[15] ?? 0;
  if (each !== undefined) {
    pulse[1] = 1;
    each(moment);
  }
  if (asks >= 2 && exit !== undefined) cells[17] = firstOf(exit, moment, 200);
  if (asks % 2 === 1) cells[16] = firstOf(entry, moment, 100);
  if (!held && (cells[16] ?? -1) < 0) return;
  if (stop !== undefined) {
    pulse[1] = 2;
    cells[18] = numberOf(stop(moment));
  }
  if (target !== undefined) {
    pulse[1] = 3;
    cells[19] = numberOf(target(moment));
  }
}

function objectOf(text: string): object {
  const value: unknown = JSON.parse(text);
  return typeof value === 'object' && value !== null ? value : {};
}

/** A line of a layout: name, place and fields, such as `bands 22 middle,upper,lower`. */
function placedOf(line: string): Layout {
  const [name = '', at = '22', fields = ''] = line.split(' ');
  return { name, at: Number(at), fields: fields.split(',') };
}

/** Checks nothing: the service parses the description. `definition` is the default export of a file. */
export function loadDefinition(definition: Runs): LoadedFile {
  const settings = (text: string): object => Object.freeze(objectOf(text));
  const description = JSON.stringify(definition, (_key, value: unknown) =>
    typeof value === 'function' ? true : value,
  );
  if (typeof description !== 'string') throw new TypeError('The default export must be a call of defineStrategy');
  return {
    description,
    pulse,
    declare: (text) => JSON.stringify(definition.indicators?.(settings(text)) ?? {}),
    open: (text, layoutText, memoryText) => openFile(definition, settings(text), { layoutText, memoryText }),
  };
}

function openFile(
  runs: Runs,
  set: object,
  { layoutText, memoryText }: { readonly layoutText: string; readonly memoryText: string },
): RunningFile {
  const layout = layoutText.split('\n').filter(Boolean).map(placedOf);
  const size = layout.reduce((most, { at, fields }) => Math.max(most, at + 2 * fields.length), 22);
  const cells = new Float64Array(size).fill(Number.NaN, 22);
  const memory = Object.seal({ ...runs.memory, ...objectOf(memoryText) });
  const moment = new Facts(cells, set, memory);
  for (const each of layout)
    Object.defineProperty(moment, each.name, { value: indicatorOf(cells, each), enumerable: true });
  Object.freeze(moment);
  let problem = '';
  return {
    cells,
    step() {
      cells[16] = -1;
      cells[17] = -1;
      cells[18] = Number.NaN;
      cells[19] = Number.NaN;
      cells[20] = 0;
      // Odd after a step that was ended by its time limit.
      const steps = Math.floor((pulse[0] ?? 0) / 2) * 2;
      pulse[0] = steps + 1;
      pulse[2] = cells[5] ?? 0;
      try {
        answer(runs, moment, cells);
      } catch (thrown) {
        cells[20] = 1;
        cells[21] = pulse[1] ?? 0;
        problem = textOf(thrown);
      }
      pulse[0] = steps + 2;
    },
    memory: () =>
      JSON.stringify(Object.fromEntries(Object.entries(memory).map(([name, value]) => [name, plain(value)]))),
    lines() {
      const values: Record<string, number> = {};
      try {
        pulse[1] = 4;
        for (const [name, line] of Object.entries(runs.lines ?? {})) values[name] = numberOf(line(moment));
      } catch {
        // A line that throws has a gap: the chart is not worth a failed candle.
      }
      return JSON.stringify(values);
    },
    problem: () => problem,
  };
}
