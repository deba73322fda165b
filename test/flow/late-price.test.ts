import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { formatDecimal, ONE, subtract } from '#core/amount/decimal.ts';
import { openAccountBench, SYMBOL } from './account-bench.ts';
import { until } from './until.ts';

test('a price that was requested before the stream brought a newer one does not replace it', async () => {
  const release = Promise.withResolvers<void>();
  let [requests, answers] = [0, 0];
  await using on = await openAccountBench({
    clock: { kind: 'virtual', startMs: Date.UTC(2026, 0, 5) },
    rewire: (ports) => ({
      ...ports,
      market: {
        ...ports.market,
        async price(symbol) {
          const price = await ports.market.price(symbol);
          requests += 1;
          await release.promise;
          answers += 1;
          return price;
        },
      },
    }),
  });
  const [runner] = on.running.coins.of(SYMBOL);
  assert.ok(runner !== undefined);
  const old = await on.market.price(SYMBOL);
  await until('a coin without a price to be read', () => requests > 0);
  const price = subtract(old, ONE);
  await on.control('POST', '/trade', { symbol: SYMBOL, price: formatDecimal(price), quantity: '1' });
  await until('the newer price', () => runner.coin.price === price);
  release.resolve();
  await until('the late answer', () => answers > 0);
  await turn();
  assert.equal(runner.coin.price, price);
});
