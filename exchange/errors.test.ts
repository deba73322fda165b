import assert from 'node:assert/strict';
import test from 'node:test';
import { type ErrorReason, isDefinitiveRejection, reasonOf } from './errors.ts';

const REASONS: readonly (readonly [number, number | null, string, ErrorReason])[] = [
  [400, -2010, 'Account has insufficient balance for requested action.', 'insufficient-balance'],
  [400, -2010, 'Duplicate order sent.', 'duplicate-order'],
  [400, -2010, 'Market is closed.', 'market-closed'],
  [400, -1013, 'Market is closed.', 'market-closed'],
  [400, -2010, 'Order would trigger immediately.', 'would-trigger-now'],
  [400, -2010, 'Order would immediately match and take.', 'would-match-now'],
  [400, -2010, 'Filter failure: MAX_NUM_ALGO_ORDERS', 'filter'],
  [400, -1013, 'Filter failure: LOT_SIZE', 'filter'],
  [400, -2010, 'Stop loss orders are not supported for this symbol.', 'order-type-unsupported'],
  [400, -2010, 'This account may not place or cancel orders.', 'account-restricted'],
  [400, -2010, 'This symbol is restricted for this account.', 'account-restricted'],
  [400, -2010, 'This order type is not possible in this trading phase.', 'market-closed'],
  [400, -2010, 'Order book liquidity is less than `LOT_SIZE` filter minimum quantity.', 'no-liquidity'],
  [400, -2010, 'Something new.', 'other'],
  [400, -1021, 'Timestamp for this request is outside of the recvWindow.', 'bad-clock'],
  [400, -1022, 'Signature for this request is not valid.', 'bad-signature'],
  [400, -1100, 'Illegal characters found', 'bad-parameter'],
  [400, -1111, "Parameter 'price' has too much precision.", 'bad-parameter'],
  [400, -1121, 'Invalid symbol.', 'bad-symbol'],
  [400, -2011, 'Unknown order sent.', 'cancel-refused'],
  [400, -2013, 'Order does not exist.', 'order-absent'],
  [400, -2026, 'Order was canceled or expired with no executed qty over 90 days ago', 'order-archived'],
  [401, -2014, 'API-key format invalid.', 'key-malformed'],
  [401, -2015, 'Invalid API-key, IP, or permissions for action.', 'key-refused'],
  [429, -1003, 'Too much request weight used', 'rate-limited'],
  [429, -1015, 'Too many new orders', 'too-many-orders'],
  [418, -1003, 'Way too much request weight used', 'banned'],
  [418, null, '', 'banned'],
  [403, null, '', 'blocked'],
  [410, null, '', 'gone'],
  [503, -1008, 'Server is currently overloaded', 'overloaded'],
  [504, -1007, 'Timeout waiting for response', 'status-unknown'],
  [500, -1000, 'An unknown error occurred', 'status-unknown'],
  [502, null, '', 'server-fault'],
  [400, null, '', 'unreadable'],
];

test('codes and texts have reasons', () => {
  for (const [status, code, text, reason] of REASONS)
    assert.equal(reasonOf(status, code, text), reason, `${code} ${text}`);
});

test('only a definite refusal of the exchange is a rejection', () => {
  const definite = [
    [400, -2010],
    [400, -1013],
    [400, -1021],
    [401, -2015],
    [404, -1102],
    [418, -1003],
    [429, -1015],
    [503, -1008],
  ] as const;
  const open = [
    [null, null],
    [200, null],
    [302, null],
    [400, null],
    [403, null],
    [400, -1006],
    [400, -1007],
    [400, -1000],
    [408, -1007],
    [408, -2010],
    [500, -1000],
    [500, -2010],
    [502, null],
    [503, null],
    [503, -1001],
    [504, -1007],
    [500, -1008],
  ] as const;
  for (const [status, code] of definite) assert.ok(isDefinitiveRejection({ status, code }), `${status} ${code}`);
  for (const [status, code] of open) assert.ok(!isDefinitiveRejection({ status, code }), `${status} ${code}`);
});
