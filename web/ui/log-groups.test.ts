import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { LogRow } from '#web/data/answers.ts';
import { logGroups } from './log-groups.ts';

let seconds = 0;
const row = (symbol: string | null, msg: string, ctx: unknown = {}, level: LogRow['level'] = 'info'): LogRow => {
  seconds += 1;
  const at = new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString();
  return { id: String(seconds), symbol, level, msg, ctx, count: 1, firstAt: at, lastAt: at };
};
const bought = (symbol: string): LogRow => row(symbol, 'Bought.', { event: 'order_filled', side: 'buy' });
const closed = (symbol: string, cycleNet: string): LogRow =>
  row(symbol, 'Sold.', { event: 'order_filled', side: 'sell', cycleNet, reason: 'exit-stop-loss' });

const shown = (rows: readonly LogRow[]): unknown[] =>
  logGroups(rows).map((group) =>
    group.kind === 'row' ? group.row.msg : [group.symbol, group.net, group.reason, group.rows.map(({ msg }) => msg)],
  );

test('a trade takes the rows of its coin since the trade before, newest first', () => {
  const rows = [
    row('BTCUSDT', 'Buying.'),
    bought('BTCUSDT'),
    row('ETHUSDT', 'Waiting.'),
    row('BTCUSDT', 'Moved the stop.'),
    closed('BTCUSDT', '1.25'),
    row('BTCUSDT', 'Waiting again.'),
  ];
  assert.deepEqual(shown(rows), [
    'Waiting again.',
    ['BTCUSDT', '1.25', 'exit-stop-loss', ['Sold.', 'Moved the stop.', 'Bought.', 'Buying.']],
    'Waiting.',
  ]);
});

test('an open position is a trade without a result', () => {
  assert.deepEqual(shown([bought('BTCUSDT')]), [['BTCUSDT', null, null, ['Bought.']]]);
});

test('a row without a coin belongs to no trade', () => {
  assert.deepEqual(shown([bought('BTCUSDT'), row(null, 'Started.'), closed('BTCUSDT', '-3')]), [
    ['BTCUSDT', '-3', 'exit-stop-loss', ['Sold.', 'Bought.']],
    'Started.',
  ]);
});

test('a trade with a warning is marked', () => {
  const rows = [bought('BTCUSDT'), row('BTCUSDT', 'No stop.', {}, 'warn'), closed('BTCUSDT', '1')];
  const [trade] = logGroups(rows);
  assert.ok(trade?.kind === 'trade' && trade.isWarned);
});
