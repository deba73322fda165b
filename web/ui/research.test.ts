import assert from 'node:assert/strict';
import { test } from 'node:test';
import { costTerms } from '#core/research/research.ts';
import { costText, detailsFor, editOf, firstTerms, reasonText, remainingMs, termsBody } from './research.ts';

const NOW = Date.UTC(2026, 10, 20, 14, 12, 7);

test('a period is counted back from the last full day, so that two runs a minute apart have the same window', () => {
  const body = termsBody({ ...firstTerms(NOW), days: '7' }, NOW);
  assert.deepEqual([body['from'], body['to']], ['2026-11-13T00:00:00.000Z', '2026-11-20T00:00:00.000Z']);
  assert.deepEqual(termsBody({ ...firstTerms(NOW), days: '7' }, NOW + 60_000), body);
});

test('every cost that the API knows is sent, with its default', () => {
  const { from: _from, to: _to, ...sent } = termsBody(firstTerms(NOW), NOW);
  assert.deepEqual(sent, { detailInterval: '1m', balance: '1000', ...costTerms.parse({}) });
});

test('an empty maker fee is not sent', () => {
  const terms = firstTerms(NOW);
  assert.equal(termsBody(terms, NOW)['makerFeeBps'], undefined);
  assert.equal(termsBody({ ...terms, run: { ...terms.run, makerFeeBps: '7' } }, NOW)['makerFeeBps'], '7');
});

test('costs in words; an older run was without some', () => {
  const now = 'fee 0.1 %, slippage 0.02 %, spread 0.02 %, at most 5 % of the volume';
  assert.equal(costText(costTerms.parse({})), now);
  assert.equal(costText({ feeBps: '10', slippageBps: '0' }), 'fee 0.1 %');
  assert.equal(costText({ makerFeeBps: '7', feeIn: 'other' }), 'maker fee 0.07 %, fees in another asset');
});

test('days are taken whole, and never beyond now', () => {
  const terms = { ...firstTerms(NOW), days: 'dates', from: '2026-11-01', to: '2026-11-03' };
  const body = termsBody(terms, NOW);
  assert.deepEqual([body['from'], body['to']], ['2026-11-01T00:00:00.000Z', '2026-11-04T00:00:00.000Z']);
  assert.equal(termsBody({ ...terms, to: '2026-11-20' }, NOW)['to'], '2026-11-20T14:12:00.000Z');
  assert.equal(termsBody({ ...terms, from: '' }, NOW)['from'], '', 'what is no day is left to the server');
});

test('a strategy is replayed over candles that its own are made of', () => {
  assert.deepEqual(detailsFor('15m'), ['1m', '3m', '5m', '15m']);
});

test('what is left is told from what is done, and not before something is', () => {
  assert.equal(remainingMs({ done: 1, all: 4, passedMs: 1000 }), 3000);
  assert.equal(remainingMs({ done: 0, all: 4, passedMs: 1000 }), null);
});

test('reasons and edits are written for their reader', () => {
  assert.equal(reasonText('hold-below-arm'), 'Held: the trailing stop had not started');
  assert.equal(reasonText('entry-first'), 'First buy');
  assert.equal(reasonText('exit-stop-loss'), 'Stop loss');
  assert.equal(reasonText('exit-trail'), 'Trailing stop');
  assert.equal(reasonText('exit-failed-stop'), 'Failed stop');
  assert.equal(reasonText('exit-protective-stop'), 'Stop on the exchange');
  assert.equal(reasonText('force-sell'), 'By hand');
  assert.equal(reasonText('exit-of-a-later-version'), 'Of a later version');
  assert.equal(editOf([{ path: 'sell.stop', value: '0.97' }]), '[["sell.stop","0.97"]]');
});
