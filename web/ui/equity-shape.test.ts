import assert from 'node:assert/strict';
import { test } from 'node:test';
import { areasBetween, labelPlaces, rangeOf } from './equity-shape.ts';

test('the tint lies between the two lines, and changes its side where they cross', () => {
  const fact = [
    [0, 10],
    [500, 30],
    [1000, 10],
  ] as const;
  const held = [
    [0, 20],
    [500, 20],
    [1000, 20],
  ] as const;
  assert.deepEqual(areasBetween(fact, held), {
    // Smaller is higher on the screen.
    above: [
      [
        [0, 10],
        [250, 20],
        [0, 20],
      ],
      [
        [750, 20],
        [1000, 10],
        [1000, 20],
      ],
    ],
    below: [
      [
        [250, 20],
        [500, 30],
        [750, 20],
        [500, 20],
      ],
    ],
  });
});

test('the tint begins at the first point of the lines and ends at the last', () => {
  const fact = [10, 12, 9, 14, 11].map((y, i) => [i * 250, y] as const);
  const held = [10, 11, 11, 12, 12].map((y, i) => [i * 250, y] as const);
  const { above, below } = areasBetween(fact, held);
  const xs = [...above, ...below].flat().map(([x]) => x);
  assert.deepEqual([Math.min(...xs), Math.max(...xs)], [0, 1000]);
});

test('lines of different lengths have no tint between them', () => {
  const line = [
    [0, 1],
    [1000, 2],
  ] as const;
  assert.deepEqual(areasBetween(line, [[0, 1]]), { above: [], below: [] });
});

test('the scale spans the data', () => {
  assert.deepEqual(rangeOf([9_480, 11_418, 10_000]), { low: 9_480, high: 11_418 });
});

test('a line that hardly moves is drawn in the middle of a scale of 0.1 %', () => {
  assert.deepEqual(rangeOf([10_000, 10_001]), { low: 9_995.4995, high: 10_005.5005 });
});

test('a scale without a number is empty', () => {
  assert.deepEqual(rangeOf([]), { low: 0, high: 0 });
});

test('two labels of a scale differ', () => {
  assert.equal(labelPlaces([9_998, 10_000, 10_002]), 0);
  assert.equal(labelPlaces([9_999.5, 10_000, 10_000.25]), 1);
  assert.equal(labelPlaces([10_000.25, 10_000.26]), 2);
  assert.equal(labelPlaces([9_999.6, 10_000.2]), 1);
  assert.equal(labelPlaces([9_998, 10_000], 2), 2);
});

test('labels of one and the same value need no decimals', () => {
  assert.equal(labelPlaces([10_000, 10_000]), 0);
});
