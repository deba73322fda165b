// Hostile files in live trading: each ends alone, and the files of other profiles answer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { layoutOf } from '#authoring/series.ts';
import { CELL } from '#authoring/moment.ts';
import { DistantVersion } from './distant-version.ts';
import { loadVersion } from './version.ts';

/** Buys at once; `rule` is the body of its first rule. */
const fileWith = (rule: string, more = ''): string =>
  [
    "import { defineStrategy } from 'tradewind/strategy';",
    'const kept = [];',
    'export default defineStrategy({',
    "  name: 'live', title: 'Live', summary: 'Runs live.', interval: '1h',",
    `  ${more}`,
    `  entry: [{ wait: 'rule', when: ({ close, bars }) => { ${rule} }, say: 'Waiting.' }, { buy: 'now', say: 'Buying.' }],`,
    '});',
  ].join('\n');

/** A slow machine may end a process before it has named the line. */
const ENDED = 'no answer within \\d+ ms|its process ended';

const HOSTILE: Readonly<Record<string, readonly [text: string, says: RegExp]>> = {
  'an endless rule': [
    fileWith('while (close > 0) {} return true;'),
    new RegExp(`live\\.ts:6: rule rule hung|${ENDED}`),
  ],
  'a loop that catches its end': [
    fileWith('for (;;) { try { for (;;) {} } finally { continue; } }'),
    new RegExp(`live\\.ts:6: rule rule hung|${ENDED}`),
  ],
  'an endless line of the chart': [
    fileWith('return false;', 'lines: { mark: ({ close }) => { while (close > 0) {} return 1; } },'),
    new RegExp(`live\\.ts:5: lines hung|${ENDED}`),
  ],
  'a memory hog': [fileWith('for (;;) kept.push(new Array(100_000).fill(close));'), new RegExp(`hung|${ENDED}`)],
  'a rule that throws': [fileWith("throw new Error('broken');"), /live\.ts:6: Error: broken/],
  'an endless recursion': [
    fileWith('const f = () => f() + 1; return f() > 0;'),
    /live\.ts:6: RangeError: Maximum call stack/,
  ],
  'a text that doubles': [fileWith("let t = 'x'; for (;;) t += t;"), /live\.ts:6: RangeError: Invalid string length/],
};

/** Runs one candle of a coin; returns the index of the entry rule, -1 without an answer. */
type Candle = (close?: number) => Promise<number>;

interface Live {
  readonly version: DistantVersion;
  readonly candle: Candle;
  /** Opens another coin. */
  open(): Candle;
  readonly quarantined: string[];
}

function live(text: string): Live {
  const loaded = loadVersion('live.ts', text);
  assert.ok(loaded.kind === 'version', loaded.kind === 'refused' ? loaded.sentence : '');
  const { hash, description, declared } = loaded.version;
  const quarantined: string[] = [];
  const version = new DistantVersion({
    ...{ hash, description, declared, file: { name: 'live.ts', text }, quarantine: null },
    onQuarantine: (sentence) => quarantined.push(sentence),
  });
  const layout = layoutOf(declared)
    .map(({ name, at, fields }) => `${name} ${at} ${fields.join(',')}`)
    .join('\n');
  const open = (): Candle => {
    const running = version.open({}, layout, '{}');
    return async (close = 100) => {
      running.cells.fill(close, 0, 5);
      running.cells[CELL.asks] = 1;
      await running.later();
      return running.cells[CELL.failed] === 1 ? -1 : (running.cells[CELL.entry] ?? -1);
    };
  };
  return { version, candle: open(), open, quarantined };
}

for (const [name, [text, says]] of Object.entries(HOSTILE)) {
  test(`live, it goes into quarantine and another file still answers: ${name}`, async () => {
    const hostile = live(text);
    const other = live(fileWith('return false;'));
    try {
      for (let candles = 0; candles < 6 && hostile.quarantined.length === 0; candles += 1)
        assert.equal(await hostile.candle(), -1);
      assert.match(hostile.quarantined.join(), says);
      assert.equal(hostile.version.halted()?.reason, 'strategy-quarantined');
      assert.equal(await other.candle(), 1);
    } finally {
      hostile.version.close();
      other.version.close();
    }
  });
}

test('live, coins that wait while another coin of their file hangs are answered, and one hang is no quarantine', async () => {
  const { version, candle, open, quarantined } = live(fileWith('while (close > 150) {} return false;'));
  try {
    const coins = [open(), open(), open()];
    const answers = await Promise.all([candle(200), ...coins.map((other) => other())]);
    assert.deepEqual([answers, quarantined], [[-1, 1, 1, 1], []]);
  } finally {
    version.close();
  }
});
