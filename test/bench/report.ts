import { appendFileSync } from 'node:fs';
import { z } from 'zod';

/** The file that gets a line of JSON for each figure; a bench that is run alone reports nothing. */
export const REPORT_FILE = 'BENCH_REPORT';

const number = z.number('must be a number');
const range = z.strictObject({ low: number, high: number });
export type Range = z.output<typeof range>;

/** One quantity that a bench has measured, from the lowest to the highest of its repeats. */
export const figure = z.strictObject({
  /** The bench and the quantity, such as `sweep.one`. */
  id: z.string().regex(/^[a-z]+\.[a-z0-9-]+$/, 'must be BENCH.QUANTITY, such as sweep.one'),
  what: z.string(),
  unit: z.string(),
  measured: range,
  /** The comparison in the same run and unit, and how many times that the figure is. */
  floor: z.strictObject({ name: z.string(), measured: range.optional(), ratio: range }).optional(),
});
export type Figure = z.output<typeof figure>;

interface Measured {
  readonly id: string;
  readonly what: string;
  readonly unit: string;
  /** One for each repeat. */
  readonly values: readonly number[];
  /** With as many values as the figure, each pair is of one repeat. */
  readonly floor?: { readonly name: string; readonly values: readonly number[] };
}

const rangeOf = (values: readonly number[]): Range => ({ low: Math.min(...values), high: Math.max(...values) });

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? Number.NaN;
}

/** The figure of repeats. The ratio is that of each repeat, or of the medians when the floor was repeated less or more often. */
export function figureOf({ values, floor, ...names }: Measured): Figure {
  const all = [...values, ...(floor?.values ?? [0])];
  if (values.length === 0 || floor?.values.length === 0 || !all.every(Number.isFinite))
    throw new Error(
      `The figure ${names.id} needs a number for each repeat, and has ${JSON.stringify({ values, floor })}.`,
    );
  const made = { ...names, measured: rangeOf(values) };
  if (floor === undefined) return figure.parse(made);
  const ratios =
    floor.values.length === values.length
      ? values.map((value, nth) => value / (floor.values[nth] ?? Number.NaN))
      : [medianOf(values) / medianOf(floor.values)];
  return figure.parse({
    ...made,
    floor: { name: floor.name, measured: rangeOf(floor.values), ratio: rangeOf(ratios) },
  });
}

function append(line: unknown): void {
  const file = process.env[REPORT_FILE];
  if (file !== undefined && file !== '') appendFileSync(file, `${JSON.stringify(line)}\n`);
}

/** Reports one figure for the table of docs/performance.md. */
export const report = (measured: Measured): void => append(figureOf(measured));

/** Reports that this machine cannot run the bench, and prints why. */
export function reportAbsent(reason: string): void {
  console.log(reason);
  append({ absent: reason });
}

interface Report {
  readonly figures: readonly Figure[];
  /** Why the bench did not run. */
  readonly absent?: string;
}

/** The figures of a report file. */
export function readReport(text: string): Report {
  const lines = text.split('\n').filter((line) => line !== '');
  const parsed = lines.map((line) => z.union([figure, z.strictObject({ absent: z.string() })]).parse(JSON.parse(line)));
  const figures = parsed.flatMap((line) => ('absent' in line ? [] : [line]));
  const absent = parsed.flatMap((line) => ('absent' in line ? [line.absent] : []))[0];
  return absent === undefined ? { figures } : { figures, absent };
}
