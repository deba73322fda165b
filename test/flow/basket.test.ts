import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, multiply, toNumber } from '#core/amount/decimal.ts';
import type { Coin } from '#engine/state/coin.ts';
import { type Guarded, openGuarded, ordersOf, SYMBOL } from './guarded.ts';
import { until } from './until.ts';

const OTHER = 'ETHUSDT';

const targets = (first: string, second: string) => [
  { symbol: SYMBOL, weight: first },
  { symbol: OTHER, weight: second },
];

/** Gives the profile of the harness shares of a basket of 1,000. */
async function share(on: Guarded, wanted: ReturnType<typeof targets>): Promise<void> {
  const { kysely } = on.database;
  const { profileId } = on.owner;
  const config = { enabled: true, candleInterval: '5m', basketBudgetQuote: '1000', targets: wanted };
  await kysely
    .updateTable('profiles')
    .set({ strategy_name: 'rebalance', config: JSON.stringify(config) })
    .where('id', '=', profileId)
    .execute();
  await on.running().refreshProfiles();
}

const coinsOf = (on: Guarded): Coin[] => [...on.running().coins.all()].map(({ coin }) => coin);
const worthOf = (on: Guarded, symbol: string): number => {
  const coin = coinsOf(on).find((each) => each.symbol === symbol);
  return coin === undefined ? 0 : toNumber(multiply(coin.position.quantity, coin.position.averagePrice));
};
const sent = (on: Guarded): string[] => ordersOf(on).map(({ side, symbol, status }) => `${side} ${symbol} ${status}`);
/** A coin was at its share, to one part in fifty, for a basket of about 1,000. */
const holds = (on: Guarded, symbol: string, wanted: number): boolean => Math.abs(worthOf(on, symbol) - wanted) < 20;

/** Waits, while each coin trades once more whenever its last price has grown old: a plan needs all of them fresh. */
const untilShared = (on: Guarded, what: string, shared: () => boolean) =>
  until(what, async () => {
    for (const { symbol, price, priceSeenMs } of coinsOf(on))
      if (price !== null && performance.now() - priceSeenMs > 2_000)
        await on.control('/trade', {
          symbol,
          price: formatDecimal(price),
          quantity: symbol === OTHER ? '0.01' : '0.001',
        });
    return shared();
  });

test('a basket is bought by one plan; other shares sell one coin before they buy the other', async () => {
  await using on = await openGuarded();
  const { profileId } = on.owner;
  await on.database.kysely
    .insertInto('profile_symbols')
    .values({ profile_id: profileId, symbol: OTHER, override_config: '{}' })
    .execute();
  await share(on, targets('0.6', '0.4'));
  await untilShared(on, 'both coins to be at their shares', () => holds(on, SYMBOL, 600) && holds(on, OTHER, 400));
  assert.deepEqual(sent(on).toSorted(), [`BUY ${SYMBOL} FILLED`, `BUY ${OTHER} FILLED`].toSorted());
  await share(on, targets('0.2', '0.8'));
  await on.tick();
  assert.equal(sent(on).length, 2, 'the plan of this candle is made');
  await on.control('/clock/advance', { ms: 300_000 });
  await untilShared(on, 'the shares to change', () => holds(on, SYMBOL, 200) && holds(on, OTHER, 800));
  assert.deepEqual(sent(on).slice(2, 4), [`SELL ${SYMBOL} FILLED`, `BUY ${OTHER} FILLED`]);
  const reasons = new Set(on.audits.map(({ decision }) => decision.reason));
  for (const reason of ['plan-rebalance', 'plan-not-due', 'plan-unsettled']) assert.ok(reasons.has(reason), reason);
});
