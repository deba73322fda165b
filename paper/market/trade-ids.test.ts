import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { requireDecimal } from '#core/amount/decimal.ts';
import { aggregateTrades } from '#paper/rest/agg-trades.ts';
import { TEST_START_MS, testSource } from '#test/paper/test-exchange.ts';
import { rollingSpan } from './statistics.ts';
import { openSymbolMarket, printClient, recentTrades, skipTo } from './symbol-market.ts';
import { openSynthetic } from './synthetic.ts';

const MINUTE_MS = 60_000;
const rows = Array.from({ length: 50 }, (_, at) => [100, 101, 99, 100, at % 7 === 3 ? 0 : 5] as const);
/** One hour of it is before the market's start. */
const recorded = () => {
  const source = testSource(rows);
  return { source, fromMs: TEST_START_MS + 10 * MINUTE_MS };
};
const invented = () => ({ source: openSynthetic(1, TEST_START_MS), fromMs: TEST_START_MS + 10 * MINUTE_MS });

const step = fc.record({ ms: fc.integer({ min: 0, max: 240_000 }), clients: fc.integer({ min: 0, max: 3 }) });

for (const [name, open] of Object.entries({ recorded, invented })) {
  test(`ids of trades in a market of ${name} candles are consecutive, with skipped time and trades of clients`, () => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 8 }), (steps) => {
        const { source, fromMs } = open();
        const [listing] = source.listings;
        assert.ok(listing !== undefined);
        const market = openSymbolMarket(source, listing, { tradesPerCandle: 6, fromMs, lastTradeId: 0 });
        let nowMs = fromMs;
        for (const { ms, clients } of steps) {
          nowMs += ms;
          skipTo(market, nowMs);
          for (let nth = 0; nth < clients; nth++) {
            const trade = { atMs: nowMs, price: requireDecimal('100'), quantity: requireDecimal('1') };
            printClient(market, { ...trade, takerBuys: nth < 2 });
          }
          const trades = recentTrades(market);
          for (const [at, { id }] of trades.entries()) assert.equal(id, (trades[0]?.id ?? 0) + at);
          const aggregates = aggregateTrades(trades);
          for (const [at, agg] of aggregates.entries()) {
            assert.equal(agg.id, (aggregates[0]?.id ?? 0) + at);
            assert.equal(agg.firstId, at === 0 ? trades[0]?.id : (aggregates[at - 1]?.lastId ?? 0) + 1);
          }
          const { kline } = rollingSpan(market, 40 * MINUTE_MS, nowMs);
          assert.ok(kline !== undefined);
          assert.equal(kline.lastTradeId, market.lastTradeId);
          assert.equal(kline.trades, kline.lastTradeId - kline.firstTradeId + 1);
        }
      }),
      { numRuns: 100 },
    );
  });
}

test('ids rise across restarts, and never fall below the stored id', () => {
  const { source, fromMs } = invented();
  const [listing] = source.listings;
  assert.ok(listing !== undefined);
  const open = (fromMs: number, lastTradeId: number) =>
    openSymbolMarket(source, listing, { tradesPerCandle: 6, fromMs, lastTradeId });
  const first = open(fromMs, 0);
  skipTo(first, fromMs + 3_600_000);
  assert.ok(open(fromMs + 3_600_000, 0).lastTradeId >= first.lastTradeId);
  assert.ok(open(fromMs, 1e15).lastTradeId >= 1e15);
});
