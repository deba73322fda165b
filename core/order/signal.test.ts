import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSignalFields, sentSignal, signalKey } from './signal.ts';

const SENT = { secret: 's', action: 'buy', symbol: 'SOLUSDT', time: '2026-11-25T03:00:00Z' };
const read = (change: object) => sentSignal.safeParse({ ...SENT, ...change });

test('a JSON body and a text body have the same fields', () => {
  const text = 'secret=s;action=buy;symbol=SOLUSDT;time=2026-11-25T03:00:00Z';
  assert.deepEqual(readSignalFields(text), SENT);
  assert.deepEqual(readSignalFields(JSON.stringify(SENT)), SENT);
  assert.deepEqual(readSignalFields(text.replaceAll(';', '\n')), SENT);
});

test('a body that is neither is not read', () => {
  for (const body of ['', '   ', 'buy now', '{"action":', '[1]', '"buy"'])
    assert.equal(readSignalFields(body), undefined, body);
});

for (const symbol of ['EXCHANGE:SOLUSDT', 'SOL/USDT', 'sol-usdt', ' SOL_USDT '])
  test(`the symbol ${symbol} is SOLUSDT`, () => {
    assert.equal(read({ symbol }).data?.symbol, 'SOLUSDT');
  });

for (const symbol of ['EXCHANGE:SOLUSDT.P', 'SOL USDT', '', 'S'.repeat(31)])
  test(`the symbol "${symbol}" is refused`, () => {
    assert.equal(read({ symbol }).success, false);
  });

test('fields that it does not know are dropped, quantities too', () => {
  assert.deepEqual(read({ qty: '1000', contracts: 5 }).data, { ...SENT });
});

for (const missing of ['secret', 'action', 'symbol', 'time'])
  test(`a signal without ${missing} is refused`, () => {
    assert.equal(read({ [missing]: undefined }).success, false);
  });

test('without an id, symbol, action and time are the key', () => {
  assert.equal(signalKey(SENT_READ), 'SOLUSDT:buy:2026-11-25T03:00:00.000Z');
  assert.equal(signalKey({ ...SENT_READ, id: 'breakout-17' }), 'breakout-17');
});
const SENT_READ = { symbol: 'SOLUSDT', action: 'buy', time: '2026-11-25T03:00:00Z' } as const;
