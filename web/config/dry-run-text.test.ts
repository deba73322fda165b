import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type DryRunCoin, MOST_DECISIONS } from '#core/research/dry-run.ts';
import {
  conflictText,
  decisionsFor,
  differText,
  minutesLeft,
  moneyText,
  orderText,
  positionText,
  resultSentence,
  shownDifferences,
} from './dry-run-text.ts';

const nets = (quoteAsset: string, present: string, changed: string) => ({
  quoteAsset,
  present: { net: present },
  changed: { net: changed },
});
const money = {
  ...{ net: '0', realised: '0', fees: '0' },
  ...{ orders: 0, buys: 0, sells: 0, doubtful: 0 },
};
const resultOf = (differing: number, net: string) => ({
  ...{ from: '2026-01-01T00:00:00.000Z', to: '2026-01-01T01:00:00.000Z', decisions: 120, differing },
  totals: [{ quoteAsset: 'USDT', balance: '1000', held: '0', present: money, changed: { ...money, net } }],
});

test('a span counts the decisions of every coin, within the limits of the service', () => {
  assert.equal(decisionsFor('1 hour', 2), 120);
  assert.equal(decisionsFor('1 day', 1), 1440);
  assert.equal(decisionsFor('7 days', 50), MOST_DECISIONS);
});

test('the remaining minutes count one decision a minute of every coin', () => {
  const run = { decisions: 240, symbols: ['AAABBB', 'CCCBBB'] };
  assert.equal(minutesLeft({ ...run, result: null }), null);
  assert.equal(minutesLeft({ ...run, result: resultOf(0, '0') }), 60);
  assert.equal(minutesLeft({ ...run, result: { ...resultOf(0, '0'), decisions: 250 } }), 0);
});

test('the difference in money has its asset and its direction, rounded as everywhere else', () => {
  assert.equal(moneyText([nets('USDT', '1.2', '2.444')]), '1.24 USDT more');
  assert.equal(moneyText([nets('USDT', '0', '-1234.5')]), '1,234.50 USDT less');
  assert.equal(moneyText([nets('USDT', '1', '1.004')]), 'the same');
  assert.equal(
    moneyText([nets('USDT', '1', '2'), nets('BTC', '0.001', '0')]),
    '1.00 USDT more and 0.00100000 BTC less',
  );
});

test('the verdict says whether the result is final, and when nothing differs', () => {
  assert.match(resultSentence({ state: 'running', result: null }), /within two minutes/);
  assert.equal(
    resultSentence({ state: 'running', result: resultOf(3, '1.5') }),
    'So far the changed settings would have made 1.50 USDT more.',
  );
  assert.equal(
    resultSentence({ state: 'finished', result: resultOf(3, '-1.5') }),
    'The changed settings would have made 1.50 USDT less.',
  );
  assert.equal(
    resultSentence({ state: 'running', result: resultOf(0, '0') }),
    'So far both settings decided the same.',
  );
  assert.equal(differText({ decisions: 1440, differing: 13 }), '13 of 1,440 decisions differ');
  assert.equal(differText({ decisions: 60, differing: 0 }), 'none of 60 decisions differs');
});

test('a setting that was changed meanwhile has its label, and its coin where it is one of a coin', () => {
  const labelOf = (path: string): string => `<${path}>`;
  const paths = ['config.sell.stop', 'symbols.BTCUSDT.sell.stop', 'symbols.ETHUSDT', 'strategyName'];
  assert.match(
    conflictText(paths, labelOf),
    /^<sell.stop>, <sell.stop> of BTCUSDT, ETHUSDT, Strategy: promoting would/,
  );
});

test('orders and positions have the decimals of the coin', () => {
  const grid = { baseAsset: 'BTC', tickSize: '0.01', stepSize: '0.00001' };
  const order = { side: 'buy' as const, quantity: '0.0048612', limit: '61705.1' };
  assert.equal(orderText({ order }, grid), 'Buy 0.00486 BTC at 61,705.10');
  assert.equal(orderText({ order: { ...order, side: 'sell', limit: null } }, grid), 'Sell 0.00486 BTC at market');
  assert.equal(orderText({ order: null }, grid), 'no order');
  const held = { quantity: '0.0048612', averagePrice: '61705.1', value: '300', stop: '60000' };
  assert.equal(positionText({ position: held }, grid), '0.00486 BTC at 61,705.10, stop 60,000.00');
  assert.equal(positionText({ position: { ...held, quantity: '0' } }, grid), 'not held');
  assert.equal(positionText({ position: { ...held, quantity: '0.0000049' } }, grid), 'not held');
});

type Difference = DryRunCoin['recent'][number];
/** A difference without orders at a minute. */
const at = (minute: number, reason = 'entry-first'): Difference => ({
  at: `2026-01-01T00:0${minute}:00.000Z`,
  present: { reason, order: null },
  changed: { reason: 'hold-above-stop', order: null },
});

test('the newest differing decisions come first, and the first one is always among them', () => {
  const shown = (first: Difference | null, recent: Difference[]): string[] =>
    shownDifferences({ first, recent }).map((run) => `${run.from.slice(15, 16)}-${run.at.slice(15, 16)}`);
  assert.deepEqual(shown(at(1), [at(3), at(5)]), ['5-5', '3-3', '1-1']);
  assert.deepEqual(shown(at(1), [at(1)]), ['1-1']);
  assert.deepEqual(shown(null, []), []);
});

test('equal differences of successive minutes are one, unless one of them places an order', () => {
  const order = { side: 'buy' as const, quantity: '1', limit: null };
  const buys = { ...at(3), changed: { reason: 'entry-first', order } };
  const runs = shownDifferences({ first: null, recent: [at(7), at(6), at(5, 'entry-add'), at(4), buys, at(2), at(1)] });
  assert.deepEqual(
    runs.map((run) => [run.from.slice(15, 16), run.at.slice(15, 16)]),
    [
      ['6', '7'],
      ['5', '5'],
      ['4', '4'],
      ['3', '3'],
      ['1', '2'],
    ],
  );
});
