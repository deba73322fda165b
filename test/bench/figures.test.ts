import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Figures, readFigures, type Run, tableOf, withOutcome } from './figures.ts';
import { GOALS, judge } from './goals.ts';
import { figureOf, readReport } from './report.ts';

const RUN: Run = {
  ...{ name: 'first', date: '2026-01-02', commit: 'abcdef01', cores: 2, memoryGb: 24 },
  ...{ node: '24.1.0', postgres: '18.4', load: 0.25 },
};
const LATER: Run = { ...RUN, name: 'second', date: '2026-02-03', commit: '12345678' };
const NOTHING: Figures = { runs: [], figures: [], absent: {} };

const sweep = figureOf({
  ...{ id: 'peers.sweep', what: '1,000 sets', unit: 'sets/s', values: [1000, 900] },
  floor: { name: 'vectorbt', values: [5, 3] },
});
const paint = figureOf({ id: 'web.first-paint', what: 'first paint', unit: 'ms', values: [104, 98.76] });

/** The cells of the row that begins with a text. */
function cellsOf(table: string, what: string): string[] {
  const line = table.split('\n').find((each) => each.startsWith(`| ${what} |`));
  assert.ok(line !== undefined, table);
  return line
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}

test('a row has the range of its repeats, its ratio, its goal, and whether that is met', () => {
  const table = tableOf(withOutcome(NOTHING, RUN, { bench: 'peers', figures: [sweep] }), ['peers']);
  assert.deepEqual(cellsOf(table, '1,000 sets'), [
    ...['1,000 sets', '900 to 1,000 sets/s', '200 to 300 times vectorbt (3 to 5 sets/s)'],
    ...['at least 100 times', 'met'],
  ]);
  assert.match(
    table,
    /^- 2026-01-02, commit abcdef01, 2 cores, 24 GB, Node 24\.1\.0, PostgreSQL 18\.4, load 0\.25 at the start: peers$/m,
  );
});

test('a ratio is that of each repeat of the same run, not of the ends of both ranges', () => {
  assert.deepEqual(sweep.floor?.ratio, { low: 200, high: 300 });
  const uneven = figureOf({
    id: 'sweep.one',
    what: '',
    unit: 's',
    values: [4, 6, 5],
    floor: { name: '', values: [2.5] },
  });
  assert.deepEqual(uneven.floor?.ratio, { low: 2, high: 2 });
});

test('a figure without repeats or with a value that is no number is refused', () => {
  for (const values of [[], [Number.NaN]])
    assert.throws(() => figureOf({ id: 'sweep.one', what: '', unit: 's', values }), /sweep\.one needs a number/);
});

test('a goal is met, not always met, or not met, in both directions', () => {
  const measured = (values: number[]) => figureOf({ id: 'x.y', what: '', unit: 's', values });
  const atMost = { measured: { atMost: 10, unit: 's' } };
  const atLeast = { measured: { atLeast: 10, unit: 's' } };
  const verdicts = [
    [8, 10],
    [8, 11],
    [11, 12],
  ].map((values) => judge(measured(values), atMost));
  assert.deepEqual(verdicts, ['met', 'not always met', 'not met']);
  const others = [
    [10, 12],
    [8, 11],
    [8, 9],
  ].map((values) => judge(measured(values), atLeast));
  assert.deepEqual(others, ['met', 'not always met', 'not met']);
});

test('a goal for both the figure and its ratio is met when both are', () => {
  const goal = { measured: { atLeast: 900, unit: 'sets/s' }, ratio: { atLeast: 100 } };
  assert.equal(judge(sweep, goal), 'met');
  assert.equal(judge(sweep, { ...goal, ratio: { atLeast: 400 } }), 'not met');
  assert.throws(() => judge(sweep, { measured: { atLeast: 1, unit: 's' } }), /is in s, but the figure is in sets\/s/);
});

test('a goal that is not reached says what limits it', () => {
  const slow = figureOf({
    ...{ id: 'live.1-p50', what: 'price to order', unit: 'ms', values: [3], floor: { name: 'bare', values: [2] } },
  });
  const table = tableOf(withOutcome(NOTHING, RUN, { bench: 'live', figures: [slow] }), ['live']);
  assert.match(cellsOf(table, 'price to order')[4] ?? '', /^not met: the rows of an order/);
});

test('a bench that cannot run keeps its figures, says from when they are, and why', () => {
  const before = withOutcome(NOTHING, RUN, { bench: 'web', figures: [paint] });
  const after = withOutcome(before, LATER, {
    bench: 'web',
    figures: [],
    absent: 'There is no Chromium on this machine.',
  });
  const [, measured, , , last] = cellsOf(tableOf(after, ['web']), 'first paint');
  assert.deepEqual([measured, last], ['98.8 to 104 ms', 'kept from 2026-01-02: There is no Chromium on this machine']);
  assert.deepEqual(
    after.runs.map(({ name }) => name),
    ['first'],
  );
});

test('a bench that cannot run and never ran has a row that says why', () => {
  const table = tableOf(withOutcome(NOTHING, RUN, { bench: 'peers', figures: [], absent: 'There is no Python.' }), [
    'peers',
  ]);
  assert.deepEqual(cellsOf(table, '`peers.sweep`'), [
    ...['`peers.sweep`', 'not measured', '', 'at least 100 times', 'There is no Python'],
  ]);
  const backup = tableOf(withOutcome(NOTHING, RUN, { bench: 'backup', figures: [], absent: 'The disk is full.' }), [
    'backup',
  ]);
  assert.deepEqual(cellsOf(backup, '`backup`'), ['`backup`', 'not measured', '', '', 'The disk is full']);
});

test('a bench that ended badly replaces what it has measured, and keeps the rest', () => {
  const again = figureOf({ id: 'web.again-paint', what: 'again', unit: 'ms', values: [50] });
  const before = withOutcome(NOTHING, RUN, { bench: 'web', figures: [paint, again] });
  const better = figureOf({ id: 'web.first-paint', what: 'first paint', unit: 'ms', values: [80] });
  const table = tableOf(
    withOutcome(before, LATER, { bench: 'web', figures: [better], absent: 'the bench ended with 1' }),
    ['web'],
  );
  assert.deepEqual(cellsOf(table, 'first paint').slice(1, 2), ['80 ms']);
  assert.equal(cellsOf(table, 'first paint')[4], '');
  assert.equal(cellsOf(table, 'again')[4], 'kept from 2026-01-02: the bench ended with 1');
});

test('a bench that ran again drops what it no longer measures, and other benches keep theirs', () => {
  const before = withOutcome(withOutcome(NOTHING, RUN, { bench: 'web', figures: [paint] }), RUN, {
    bench: 'peers',
    figures: [sweep],
  });
  const other = figureOf({ id: 'web.palette', what: 'palette', unit: 'ms', values: [21] });
  const after = withOutcome(before, LATER, { bench: 'web', figures: [other] });
  assert.deepEqual(
    after.figures.map(({ id, run }) => [id, run]),
    [
      ['web.palette', 'second'],
      ['peers.sweep', 'first'],
    ],
  );
});

test('the lines of a report are read back; another line is refused', () => {
  const text = `${JSON.stringify(sweep)}\n${JSON.stringify({ absent: 'No Python.' })}\n`;
  assert.deepEqual(readReport(text), { figures: [sweep], absent: 'No Python.' });
  assert.throws(() => readReport('{"id":"peers.sweep"}'));
});

test('the goals fit the stored figures: units, ratios, and names of benches', () => {
  const { figures } = readFigures();
  for (const figure of figures) {
    const goal = GOALS[figure.id];
    if (goal !== undefined) judge(figure, goal);
  }
  const ids = figures.map(({ id }) => id);
  assert.equal(new Set(ids).size, ids.length, 'no id twice');
  assert.match(tableOf(readFigures()), /\| goal \|/);
});
