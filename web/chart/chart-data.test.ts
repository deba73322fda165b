import assert from 'node:assert/strict';
import { test } from 'node:test';
import { candleAt, type ChartMark, type ChartPage, groupMarks, joinPage, spanOf } from './chart-data.ts';

const MINUTE = 60_000;
const candle = (minute: number, close = minute) => ({
  ...{ openMs: minute * MINUTE, open: 1, high: 2, low: 0.5, close, volume: 1, closed: true },
});
const mark = (id: string, minute: number, more: Partial<ChartMark> = {}): ChartMark => ({
  ...{ id, at: new Date((minute + 0.5) * MINUTE).toISOString(), side: 'buy', price: '1', quantity: '1', net: null },
  ...{ reason: 'entry-first', trade: 1, orderId: null, ...more },
});
/** Candles of the minutes `from` to `to`, `to` exclusive, and one line with their numbers. */
const page = (from: number, to: number, more: Partial<ChartPage> = {}): ChartPage => {
  const minutes = Array.from({ length: to - from }, (_, i) => from + i);
  const line = { name: 'fast', label: 'EMA 2', dash: 'solid', from: 'close', acts: false, pane: null } as const;
  return {
    candles: minutes.map((minute) => candle(minute)),
    lines: [{ ...line, values: minutes }],
    ...{ beginsMs: null, linesProblem: null, levels: {}, marks: [], ...more },
  };
};
const minutesOf = (data: ChartPage | undefined): (number | undefined)[] | undefined =>
  data?.candles.map(({ openMs }) => openMs / MINUTE);

test('an older page comes before the candles, a newer one after them, and their lines stay with them', () => {
  const both = joinPage(page(10, 13), page(8, 10), MINUTE);
  const three = both === undefined ? undefined : joinPage(both, page(12, 15), MINUTE);
  assert.deepEqual(minutesOf(three), [8, 9, 10, 11, 12, 13, 14]);
  assert.deepEqual(three?.lines[0]?.values, [8, 9, 10, 11, 12, 13, 14]);
});

test('a newer answer replaces the candles that it has again', () => {
  const grown = page(11, 13, { candles: [candle(11), candle(12, 99)] });
  assert.deepEqual(
    joinPage(page(10, 13), grown, MINUTE)?.candles.map(({ close }) => close),
    [10, 11, 99],
  );
});

test('pages with a hole between them are not joined', () => {
  assert.equal(joinPage(page(10, 13), page(14, 16), MINUTE), undefined);
  assert.equal(joinPage(page(10, 13), page(3, 9), MINUTE), undefined);
});

test('other lines after a change of the settings start the data again', () => {
  const other = page(12, 15);
  const renamed = { ...other, lines: other.lines.map((line) => ({ ...line, label: 'EMA 9' })) };
  assert.equal(joinPage(page(10, 13), renamed, MINUTE), undefined);
});

test('an empty older page tells where history begins', () => {
  assert.equal(joinPage(page(10, 13), page(10, 10), MINUTE)?.beginsMs, 10 * MINUTE);
});

test('a fill that two pages have is one mark', () => {
  const data = joinPage(page(10, 13, { marks: [mark('a', 12)] }), page(12, 14, { marks: [mark('a', 12)] }), MINUTE);
  assert.equal(data?.marks.length, 1);
});

test('fills of one side within a candle are one mark at their average price', () => {
  const sale = { side: 'sell', trade: 1 } as const;
  const marks = [
    mark('a', 10),
    mark('b', 12, { ...sale, price: '10', quantity: '3', net: '2' }),
    mark('c', 12, { ...sale, price: '20', quantity: '1', net: '-0.5' }),
  ];
  assert.deepEqual(groupMarks(marks, page(10, 14).candles), [
    { index: 0, side: 'buy', trade: 1, fills: 1, price: 1, net: null },
    { index: 2, side: 'sell', trade: 1, fills: 2, price: 12.5, net: 1.5 },
  ]);
});

test('a trade reaches from its first fill to its last', () => {
  const marks = [mark('a', 3), mark('b', 9), mark('c', 5, { trade: 2 })];
  assert.deepEqual(spanOf(marks, 1), { trade: 1, fromMs: 3.5 * MINUTE, toMs: 9.5 * MINUTE });
  assert.equal(spanOf(marks, 3), undefined);
});

test('a time between two candles belongs to the one that opened before it', () => {
  const { candles } = page(10, 13);
  assert.deepEqual(
    [10, 10.5, 12.9, 99, 1].map((minute) => candleAt(candles, minute * MINUTE)),
    [0, 0, 2, 2, 0],
  );
});
