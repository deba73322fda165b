// The path of the price through a recorded candle, and the stops that it triggers.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal, toNumber } from '#core/amount/decimal.ts';
import { parseAccounts } from './accounts.ts';
import { virtualClock } from './clock.ts';
import { placeOrder } from './matching.ts';
import type { NewOrder } from './order.ts';
import { fillsOf } from './orders.ts';
import { NO_OPTIONS, RICH, TEST_START_MS, TEST_SYMBOL, testSource } from '#test/paper/test-exchange.ts';
import { catchUp, commit, openVenue } from './venue.ts';

const MINUTE_MS = 60_000;
const QUIET = [6500.2, 6500.2, 6500.2, 6500.2, 5] as const;

/** Places a stop in a quiet minute and plays the minutes that follow it. */
function playStop(stop: Partial<NewOrder>, ...rows: readonly (readonly [number, number, number, number, number])[]) {
  const clock = virtualClock(TEST_START_MS + MINUTE_MS - 1);
  const printed: { ticks: string; quantity: number }[] = [];
  const venue = openVenue({
    ...{ accounts: parseAccounts(RICH), clock, source: testSource([QUIET, ...rows]), tradesPerCandle: () => 4 },
    listeners: {
      onTrade: (trade) => printed.push({ ticks: formatDecimal(trade.price), quantity: trade.quantityNumber }),
      ...{ onClose: () => undefined, onReport: () => undefined, onList: () => undefined, onBalances: () => undefined },
      ...{ onSettled: () => undefined, onPause: () => undefined, watched: () => [TEST_SYMBOL] },
    },
  });
  venue.live.add(TEST_SYMBOL);
  const base = {
    account: 'ann',
    symbol: TEST_SYMBOL,
    clientOrderId: 'stop',
    side: 'SELL',
    timeInForce: 'GTC',
  } as const;
  const order = { ...NO_OPTIONS, ...base, type: 'STOP_LOSS', quantity: requireDecimal('0.001'), ...stop } as const;
  const atMs = catchUp(venue);
  const placed = placeOrder(venue.engine, order, atMs);
  assert.equal(placed.kind, 'accepted');
  commit(venue, atMs);
  clock.moveTo?.(TEST_START_MS + (1 + rows.length) * MINUTE_MS - 1);
  catchUp(venue);
  const fills = fillsOf(venue.engine.orders, 'ann', TEST_SYMBOL);
  return { venue, printed, prices: fills.map((fill) => toNumber(fill.price)) };
}

test('a stop inside a candle sells at its own price, not at the extreme that the candle reaches', () => {
  const crash = [6500.2, 6500.2, 6310, 6320, 4] as const;
  const { prices, venue, printed } = playStop({ stopPrice: requireDecimal('6472.39') }, crash);
  assert.deepEqual(prices, [6472.39]);
  const { high, low, close } = venue.engine.market(TEST_SYMBOL).forming ?? assert.fail('the candle is in progress');
  assert.deepEqual(
    [high, low, close].map((ticks) => ticks / 100),
    [6500.2, 6310, 6320],
  );
  const volume = printed.reduce((sum, trade) => sum + trade.quantity, 0);
  assert.equal((volume - 0.001).toFixed(5), '4.00000', 'the lot at the stop is part of the recorded volume');
});

test('a stop sells at the open after a price gap', () => {
  const { prices } = playStop({ stopPrice: requireDecimal('6472.39') }, [6400, 6450, 6310, 6320, 4]);
  assert.deepEqual(prices, [6400]);
});

test('a buy stop and a trailing stop trigger inside a candle too', () => {
  const rise = [6500.2, 6700, 6500.2, 6690, 4] as const;
  const [bought = 0] = playStop({ side: 'BUY', stopPrice: requireDecimal('6555.55') }, rise).prices;
  assert.ok(bought >= 6555.55 && bought < 6556, String(bought));
  const [sold = 0] = playStop({ trailingDelta: 100 }, [6500.2, 6600, 6310, 6320, 4]).prices;
  assert.ok(Math.abs(sold - 6600 * 0.99) < 0.05, String(sold));
});
