import assert from 'node:assert/strict';
import test from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { SilenceWatch } from './silence.ts';

/** At `s` seconds the price of the coin is read over REST, or its stream sends it. */
type Step = readonly [s: number, kind: 'read' | 'streamed', price: string];

const CASES: Readonly<Record<string, { steps: readonly Step[]; silent: boolean }>> = {
  'a coin without trades': {
    steps: [
      [0, 'streamed', '1'],
      [5, 'read', '1'],
      [60, 'read', '1'],
    ],
    silent: false,
  },
  'a price that moved in silence': {
    steps: [
      [0, 'streamed', '1'],
      [5, 'read', '2'],
      [10, 'read', '2'],
    ],
    silent: true,
  },
  'a trade still on its way': {
    steps: [
      [0, 'streamed', '1'],
      [5, 'read', '2'],
      [6, 'streamed', '2'],
    ],
    silent: false,
  },
  'a difference seen once': {
    steps: [
      [0, 'streamed', '1'],
      [5, 'read', '2'],
      [8, 'read', '2'],
    ],
    silent: false,
  },
  'a price that came back': {
    steps: [
      [0, 'streamed', '1'],
      [5, 'read', '2'],
      [9, 'read', '1'],
      [14, 'read', '2'],
    ],
    silent: false,
  },
  'a stream that never spoke': {
    steps: [
      [0, 'read', '1'],
      [5, 'read', '2'],
      [10, 'read', '3'],
    ],
    silent: true,
  },
};

for (const [name, { steps, silent }] of Object.entries(CASES)) {
  test(`${name} is ${silent ? '' : 'not '}reported as having lost its events`, () => {
    let nowMs = 0;
    const watch = new SilenceWatch(() => nowMs);
    const said = steps.flatMap(([seconds, kind, text]) => {
      nowMs = seconds * 1_000;
      if (kind === 'read') return watch.compare(['BTCUSDT'], new Map([['BTCUSDT', requireDecimal(text)]]));
      watch.received('BTCUSDT', requireDecimal(text));
      return [];
    });
    assert.deepEqual(said, silent ? ['BTCUSDT'] : []);
  });
}

test('a coin that stays silent is reported again after a minute, not at once', () => {
  let nowMs = 0;
  const watch = new SilenceWatch(() => nowMs);
  const saidAt = Array.from({ length: 30 }, (_, index) => index).filter((index) => {
    nowMs = index * 5_000;
    return watch.compare(['A'], new Map([['A', requireDecimal(String(index + 1))]])).length > 0;
  });
  assert.deepEqual(saidAt, [2, 14, 26]);
});
