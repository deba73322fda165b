import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import type { ExchangeFill } from '#core/order/fill.ts';
import { ledgerRowsOf } from './ledger.ts';
import { type ProofFacts, verdictOf } from './order-proof.ts';

const RULES = { baseAsset: 'ETH', quoteAsset: 'USDT' };
const fillOf = (side: 'buy' | 'sell', tradeId: string, quantity: string): ExchangeFill => ({
  ...{ symbol: 'ETHUSDT', exchangeOrderId: '77', side, tradeId, maker: false, at: new Date(0) },
  ...{ price: d('2400'), quantity: d(quantity), quoteQuantity: d(String(2400 * Number(quantity))) },
  ...{ feeAmount: d('0.0009'), feeAsset: 'BNB' },
});
function factsOf(side: 'buy' | 'sell', changes: Partial<ProofFacts> = {}): ProofFacts {
  const fills = [fillOf(side, '1', '0.31'), fillOf(side, '2', '0.3')];
  const ledger = fills.flatMap((fill) => ledgerRowsOf(fill, RULES).map((row) => ({ ...row, tradeId: fill.tradeId })));
  const order = {
    side,
    state: 'filled',
    quantity: d('0.61'),
    filledQuantity: d('0.61'),
    filledQuote: d('1464'),
  } as const;
  return { ...order, exchangeOrderId: '77', fills, ledger, ...changes };
}

test('an order whose links all fit is proved, to the last unit', () => {
  for (const side of ['buy', 'sell'] as const) {
    const { state, filled, booked, sentence } = verdictOf(factsOf(side));
    assert.deepEqual([state, formatDecimal(filled), formatDecimal(booked)], ['proved', '0.61', '0.61']);
    assert.equal(sentence, 'Proved. Ordered 0.61, filled 0.61, recorded 0.61.');
  }
});

test('every link that does not fit is named', () => {
  const sound = factsOf('buy');
  const [first, ...rest] = sound.ledger;
  assert.ok(first !== undefined);
  for (const [changes, problem] of [
    [{ filledQuantity: d('0.62') }, /reported a quantity of 0.62, but the fills add up to 0.61/],
    [{ filledQuote: d('1465') }, /reported a value of 1465, but the fills add up to 1464/],
    [{ quantity: d('0.6') }, /The fills exceed the ordered quantity by 0.01/],
    [{ exchangeOrderId: '78' }, /Trade 1 belongs to order 77/],
    [{ ledger: rest }, /do not balance in ETH/],
    [{ ledger: sound.ledger.filter(({ tradeId }) => tradeId === '1') }, /ledger rows of trade 2 differ/],
    [{ ledger: sound.ledger.filter(({ reason }) => reason !== 'fee') }, /ledger rows of trade 1 differ/],
  ] as const) {
    const { state, problems } = verdictOf({ ...sound, ...changes });
    assert.equal(state, 'contradicted');
    assert.match(problems.join(' '), problem);
  }
});

test('an order without executions says how far it came', () => {
  const none = { fills: [], ledger: [], filledQuantity: ZERO, filledQuote: ZERO };
  for (const [changes, state] of [
    [{ state: 'intent', exchangeOrderId: null }, 'unknown'],
    [{ state: 'unknown', exchangeOrderId: null }, 'unknown'],
    [{ state: 'open' }, 'open'],
    [{ state: 'rejected', exchangeOrderId: null }, 'refused'],
    [{ state: 'never-arrived', exchangeOrderId: null }, 'never-arrived'],
    [{ state: 'cancelled', exchangeOrderId: null }, 'not-sent'],
    [{ state: 'cancelled' }, 'proved'],
  ] as const)
    assert.equal(verdictOf(factsOf('buy', { ...none, ...changes })).state, state);
});
