import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { Coin } from '#web/data/answers.ts';
import { coinView, roundsToZero } from './coin-view.ts';

const plan = (...lines: [string, string][]): Coin['state'] => ({
  at: '2026-11-20T14:12:07.000Z',
  decision: { kind: 'nothing', reason: 'hold', sentence: 'Holding.', numbers: {} },
  approval: { kind: 'not-needed' },
  plan: lines.map(([name, price]) => ({ name, price })),
});

const coin = (changes: Partial<Coin> & { quantity?: string }): Coin => ({
  symbol: 'ETHUSDT',
  baseAsset: 'ETH',
  quoteAsset: 'USDT',
  tickSize: '0.01',
  stepSize: '0.0001',
  overrideConfig: {},
  price: '2561.10',
  priceAt: '2026-11-20T14:12:07.000Z',
  pause: null,
  cooldownUntil: null,
  costBasis: null,
  blockers: [],
  untracked: null,
  state: null,
  ...changes,
  position: {
    quantity: changes.quantity ?? '1.24',
    averagePrice: '2418.50',
    cost: '3001.938',
    value: null,
    unrealised: null,
    realised: '0',
    fees: '3',
    unvaluedFees: 0,
    cycle: 1,
    openedAt: null,
  },
});

test('value and gain follow the price', () => {
  const view = coinView(coin({}));
  assert.equal(view.held, true);
  assert.equal(view.value === null ? null : formatDecimal(view.value), '3175.764');
  assert.equal(view.gain === null ? null : formatDecimal(view.gain), '173.826');
  assert.equal(view.gainShare?.toFixed(4), '0.0579');
});

test('less than one step is not held, and shows no gain', () => {
  const view = coinView(coin({ quantity: '0.00004' }));
  assert.deepEqual([view.held, view.value, view.gain, view.stop], [false, null, null, null]);
});

test('what the note says is not held has no gain, however much of it is recorded', () => {
  const costBasis = { averageEntryPrice: '2418.50', quantity: '1.24', note: 'Not held' };
  const view = coinView(coin({ costBasis }));
  assert.deepEqual([view.held, view.value, view.gain], [false, null, null]);
});

test('without a price nothing is guessed', () => {
  const view = coinView(coin({ price: null, state: plan(['stop', '2358.04']) }));
  assert.deepEqual([view.value, view.gain, view.next?.away], [null, null, null]);
});

test('the next step is the nearest part of the plan', () => {
  const armed = coinView(coin({ state: plan(['stop', '2358.04'], ['trail', '2536.63']) }));
  assert.deepEqual([armed.next?.verb, armed.next?.level, armed.next?.side], ['Sells all', '2536.63', 'lower']);
  const waiting = coinView(coin({ state: plan(['stop', '2358.04'], ['arm', '2600']) }));
  assert.equal(waiting.next?.verb, 'Starts the trailing stop');
  const target = coinView(
    coin({ state: plan(['stop', '2358.04'], ['arm', '2600'], ['part', '2580'], ['part', '2590']) }),
  );
  assert.deepEqual([target.next?.verb, target.next?.level], ['Takes profit', '2580']);
  const flat = coinView(coin({ quantity: '0', state: plan(['entry', '2500'], ['stop', '1']) }));
  assert.deepEqual([flat.next?.verb, flat.stop], ['Buys', null]);
});

test('a P&L that is shown as 0.00 is neither a gain nor a loss', () => {
  const flat = ['0', '0.004', '-0.004', '0.005', '-0.01'].map((gain) => roundsToZero(requireDecimal(gain), 'USDT'));
  assert.deepEqual(flat, [true, true, true, false, false]);
});
