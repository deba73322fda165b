import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pick } from './client.ts';
import { openRestRig } from './rest-rig.ts';
import { RIG_SYMBOL } from './rig.ts';

const LIMIT = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', price: '99', quantity: '2' };
const PAIR = {
  ...{ side: 'BUY', quantity: '2', aboveType: 'STOP_LOSS', aboveStopPrice: '105' },
  ...{ belowType: 'LIMIT_MAKER', belowPrice: '90' },
};
const CLOSED = { code: -2010, msg: 'Market is closed.' };

for (const { status, amended } of [
  { status: 'HALT', amended: { code: -2038, msg: 'Market is closed.' } },
  { status: 'BREAK', amended: { code: -2038, msg: 'Market is closed.' } },
  { status: 'CANCEL_ONLY', amended: undefined },
] as const) {
  test(`${status}: no order is taken, none is filled, cancels still work`, () => {
    const rig = openRestRig();
    rig.ask('POST order', { ...LIMIT, newClientOrderId: 'mine' });
    rig.venue.floor.market(RIG_SYMBOL).status = status;
    assert.deepEqual(rig.ask('POST order', LIMIT).body, CLOSED);
    assert.deepEqual(rig.ask('POST order/test', LIMIT).body, CLOSED);
    assert.deepEqual(rig.ask('POST orderList/oco', PAIR).body, CLOSED);
    rig.trade('90', '1', false);
    assert.equal(pick(rig.ask('GET order', { origClientOrderId: 'mine' }).body, 'status'), 'NEW');
    const amend = { origClientOrderId: 'mine', newClientOrderId: 'mine', newQty: '1' };
    const answer = rig.ask('PUT order/amend/keepPriority', amend);
    if (amended === undefined) assert.equal(answer.status, 200);
    else assert.deepEqual(answer.body, amended);
    assert.equal(rig.ask('DELETE order', { origClientOrderId: 'mine' }).status, 200);
  });
}
