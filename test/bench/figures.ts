import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { row } from '#test/documents/text.ts';
import { GOALS, goalText, judge } from './goals.ts';
import { type Figure, figure, type Range } from './report.ts';

/** The benches in the order in which they run, each a program test/bench/NAME.ts. */
export const BENCHES = [
  ...['backtest', 'own', 'sweep', 'matching', 'paper', 'streams', 'client', 'live', 'api', 'backup', 'growth', 'year'],
  ...['why', 'start', 'web', 'peers'],
] as const;
export type Bench = (typeof BENCHES)[number];

export const FIGURES_FILE = join(import.meta.dirname, 'figures.json');

const run = z.strictObject({
  name: z.string(),
  date: z.iso.date(),
  /** Null for figures that older versions of the table named no commit for. */
  commit: z.string().nullable(),
  cores: z.int(),
  memoryGb: z.number().nullable(),
  node: z.string(),
  postgres: z.string(),
  /** Processes that wanted to run in the minute before the start. */
  load: z.number().nullable(),
});
export type Run = z.output<typeof run>;

const figures = z.strictObject({
  runs: z.array(run),
  figures: z.array(figure.extend({ run: z.string() })),
  /** Why a bench did not end well when it last ran. */
  absent: z.partialRecord(z.enum(BENCHES), z.strictObject({ run: z.string(), reason: z.string() })),
});
export type Figures = z.output<typeof figures>;

/** The outcome of one bench: its figures, and why it did not run or did not end well. */
interface Outcome {
  readonly bench: Bench;
  readonly figures: readonly Figure[];
  readonly absent?: string;
}

/** The figures of earlier runs. */
export const readFigures = (): Figures => figures.parse(JSON.parse(readFileSync(FIGURES_FILE, 'utf8')));

const benchOf = ({ id }: Pick<Figure, 'id'>): string => id.split('.')[0] ?? '';

/** Puts the figures of one bench in the place of its earlier ones; when it did not end well, those that it did not measure again stay. */
export function withOutcome(before: Figures, made: Run, { bench, figures: found, absent }: Outcome): Figures {
  const again = new Set(found.map(({ id }) => id));
  const own = before.figures.filter((each) => benchOf(each) === bench && absent !== undefined && !again.has(each.id));
  const all = [
    ...before.figures.filter((each) => benchOf(each) !== bench),
    ...found.map((each) => ({ ...each, run: made.name })),
    ...own,
  ];
  const inOrder = BENCHES.flatMap((name) => all.filter((each) => benchOf(each) === name));
  const used = new Set(inOrder.map((each) => each.run));
  const { [bench]: _, ...others } = before.absent;
  return {
    runs: [...before.runs.filter(({ name }) => name !== made.name), made].filter(({ name }) => used.has(name)),
    figures: inOrder,
    absent: absent === undefined ? others : { ...others, [bench]: { run: made.name, reason: absent } },
  };
}

function shown(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : Math.abs(value) >= 0.1 ? 2 : 3;
  return Number(value.toFixed(digits)).toLocaleString('en-US', { maximumFractionDigits: 3 });
}

function rangeText({ low, high }: Range): string {
  const [from, to] = [shown(low), shown(high)];
  return from === to ? from : `${from} to ${to}`;
}

function floorText({ floor, unit }: Figure): string {
  if (floor === undefined) return '';
  const measured = floor.measured === undefined ? '' : ` (${rangeText(floor.measured)} ${unit})`;
  return `${rangeText(floor.ratio)} times ${floor.name}${measured}`;
}

function verdictOf(each: Figure): string {
  const goal = GOALS[each.id];
  if (goal === undefined) return '';
  const verdict = judge(each, goal);
  return verdict === 'met' || goal.limit === undefined ? verdict : `${verdict}: ${goal.limit}`;
}

const sentence = (text: string): string => text.replace(/\.$/, '');

function rowsOf(all: Figures, bench: Bench): string[] {
  const own = all.figures.filter((each) => benchOf(each) === bench);
  const { run: failed, reason = '' } = all.absent[bench] ?? {};
  const goals = Object.entries(GOALS).filter(
    ([id]) => benchOf({ id }) === bench && own.every((each) => each.id !== id),
  );
  return [
    ...own.map((each) => {
      const date = all.runs.find(({ name }) => name === each.run)?.date;
      const kept = failed !== undefined && each.run !== failed ? `kept from ${date}: ${sentence(reason)}` : '';
      return row(
        each.what,
        `${rangeText(each.measured)} ${each.unit}`,
        floorText(each),
        goalText(GOALS[each.id] ?? {}),
        [verdictOf(each), kept].filter((text) => text !== '').join('; '),
      );
    }),
    ...goals.map(([id, goal]) => row(`\`${id}\``, 'not measured', '', goalText(goal), sentence(reason))),
    ...(own.length === 0 && goals.length === 0 && failed !== undefined
      ? [row(`\`${bench}\``, 'not measured', '', '', sentence(reason))]
      : []),
  ];
}

function runText(all: Figures, { name, date, commit, cores, memoryGb, node, postgres, load }: Run): string {
  const benches = new Set(all.figures.filter((each) => each.run === name).map(benchOf));
  const facts = [
    `${cores} cores`,
    ...(memoryGb === null ? [] : [`${memoryGb} GB`]),
    ...[`Node ${node}`, `PostgreSQL ${postgres}`],
    ...(load === null ? [] : [`load ${load} at the start`]),
  ];
  const of = commit === null ? 'earlier commits' : `commit ${commit}`;
  return `- ${date}, ${of}, ${facts.join(', ')}: ${[...benches].join(', ')}`;
}

/** The figures of some benches as a table, and the runs in which they were measured. */
export function tableOf(all: Figures, benches: readonly Bench[] = BENCHES): string {
  const rows = benches.flatMap((bench) => rowsOf(all, bench));
  const shownRuns = new Set(
    all.figures.filter((each) => benches.some((bench) => bench === benchOf(each))).map((each) => each.run),
  );
  return [
    row('what', 'measured', 'against its floor', 'goal', 'met, or what limits it'),
    '|---|---|---|---|---|',
    ...rows,
    '',
    ...all.runs.filter(({ name }) => shownRuns.has(name)).map((each) => runText(all, each)),
  ].join('\n');
}
