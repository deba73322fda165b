import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { requireDecimal } from '#core/amount/decimal.ts';
import type { OrderDraft } from '#core/order/order.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import { execute } from '#engine/tick/execute.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { openAccountBench, SYMBOL } from './account-bench.ts';

test('with a database that commits slowly a buy is not sent, a sale is', async () => {
  await using on = await openAccountBench({
    orderTiming: { ...ORDER_TIMING, sendWithinMs: 100, exitWithinMs: 10_000 },
    account: { balances: { USDT: '100000', BTC: '1' } },
    rewire: (ports) => ({
      ...ports,
      store: {
        ...ports.store,
        async commitIntent(request) {
          const result = await ports.store.commitIntent(request);
          await pause(300);
          return result;
        },
      },
    }),
  });
  const [runner] = on.running.coins.of(SYMBOL);
  assert.ok(runner !== undefined);
  const { coin } = runner;
  const place = async (draft: Partial<OrderDraft>) => {
    const quantity = requireDecimal('0.01');
    const order = orderOf({ accountId: coin.profile.accountId, profileId: coin.profile.id, quantity, ...draft });
    const result = await execute(coin, { reason: 'test', numbers: {}, order });
    return result.kind === 'order' ? result.outcome : result.reason;
  };
  const entry = { level: 0, plannedQuote: requireDecimal('1000') };
  assert.equal(await place({ side: 'buy', purpose: 'entry', entry }), 'not-sent');
  assert.equal(await place({ side: 'sell', purpose: 'exit' }), 'accepted');
});
