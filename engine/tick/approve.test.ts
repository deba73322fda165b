import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal as d } from '#core/amount/decimal.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import { HALT, HELD, live, READY } from '#test/harness/situation.ts';
import { type ApprovalContext, approve, approveManual, isExitRefused } from './approve.ts';

const ready: ApprovalContext = { ...READY, accountId: newId<AccountId>(), profileId: newId<ProfileId>() };
const BUY = { kind: 'buy', reason: 'entry-first', level: 0 } as const;
const SELL = { kind: 'sell', reason: 'exit-trail', lots: 'all' } as const;

test('an approved order names its account, profile and coin', () => {
  const result = approve(BUY, ready);
  assert.ok(result.kind === 'approved');
  const { accountId, profileId, symbol, side, purpose } = result.order;
  assert.deepEqual(
    [accountId, profileId, symbol, side, purpose],
    [...[ready.accountId, ready.profileId, 'BTCUSDT'], ...['buy', 'entry']],
  );
});

test('the numbers of a refusal are those of its moment', () => {
  const result = approve(BUY, { ...ready, ...live({ halts: [HALT] }) });
  assert.deepEqual(result.numbers, { scope: 'all', since: HALT.since.toISOString() });
});

test('a sale is judged as an exit', () => {
  const result = approve(SELL, { ...ready, position: HELD, freeBase: d('0.01') });
  assert.equal(result.kind === 'approved' && result.order.purpose, 'exit');
});

test('a manual order keeps its limit', () => {
  const result = approveManual(
    { side: 'sell', limit: d('31000'), size: 'all' },
    {
      ...ready,
      position: HELD,
      freeBase: d('0.01'),
    },
  );
  assert.ok(result.kind === 'approved' && result.order.form.type === 'limit');
  assert.equal(formatDecimal(result.order.form.price), '31000');
});

test('a freeze refuses every exit', () => {
  assert.equal(isExitRefused(ready), false);
  assert.equal(isExitRefused({ ...ready, ...live({ halts: [{ ...HALT, freeze: true }] }) }), true);
});
