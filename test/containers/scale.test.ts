import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setKillSwitch } from '#api/contract/halts.ts';
import { until } from '#test/flow/until.ts';
import { provideBaseImages } from './base-images.ts';
import { blockOf } from './block.ts';
import { startEngine } from './engine.ts';
import { LOADED, underLoad } from './load.ts';
import { fills, order } from './operator.ts';
import { reasonToSkip } from './provided.ts';
import { killContainer, openScaled, type ScaledStack, settle, spreadOf, type Trader } from './scale-stage.ts';
import { candlePages, sweep } from './scale-sweep.ts';
import { openOrdersAt, ordersAt } from './stack.ts';

const REPLICAS = { api: 3, worker: 3, research: 4 } as const;
const ACCOUNTS = 6;
const SWEEP = { days: 30, knobs: 'buy.candleLimit=10..41;sell.triggerPercentage=1.01..1.04:0.001' } as const;
/** A page of candles has this many minutes. */
const PAGE = 1000;

const resources = new AsyncDisposableStack();
const skip = await reasonToSkip('several of each container', async () => {
  resources.use(await startEngine());
  await provideBaseImages();
});
const options = { skip, timeout: 900_000 };
let scaled: ScaledStack;
let traders: Trader[] = [];

before(
  async () => {
    if (skip === false) scaled = resources.use(await openScaled(REPLICAS, ACCOUNTS));
  },
  { timeout: 900_000 },
);
after(() => resources.disposeAsync(), { timeout: 120_000 });

test(
  'three api, three workers and four research workers come up, and each worker gets its share of the accounts',
  options,
  async () => {
    traders = await settle(scaled, { symbols: ['BTCUSDT', LOADED] });
    for (const [service, count] of Object.entries(REPLICAS))
      assert.equal((await scaled.containers(service)).length, count, service);
    await until('each worker to have two accounts', async () =>
      (await spreadOf(scaled.database)).every((count) => count === ACCOUNTS / REPLICAS.worker),
    );
  },
);

test('every account buys, and the stop of each position rests on the exchange', options, async () => {
  const exchange = await scaled.addressOf('paper');
  const bought = traders.map((trader) =>
    // On a machine without time for it an order is refused, as it was not sent within its two seconds.
    until(`${trader.key.name} to buy`, () =>
      order(trader, { side: 'buy', quoteAmount: '200' }).then(
        () => true,
        () => false,
      ),
    ),
  );
  await Promise.all(bought);
  for (const { key } of traders)
    await until(`the stop of ${key.name} to rest`, async () =>
      (await openOrdersAt(exchange, { key }))?.some(({ type }) => type === 'STOP_LOSS_LIMIT'),
    );
});

test(
  'four research workers share a sweep and fetch its candles once; without one of them the result is the same',
  options,
  async () => {
    const [trader] = traders;
    assert.ok(trader !== undefined);
    const before = await candlePages(scaled);
    const whole = await sweep(scaled, trader, SWEEP);
    const pages = (await candlePages(scaled)) - before;
    console.log(
      `${whole.evaluated} sets in ${whole.seconds.toFixed(1)} s, units of each: ${whole.units.join(', ')}; ${pages} pages`,
    );
    assert.equal(whole.units.length, REPLICAS.research, 'each of them took a part');
    const needed = Math.ceil((SWEEP.days * 1440) / PAGE);
    assert.ok(pages >= needed && pages <= needed + 2, `${pages} pages of candles for ${needed}`);

    const [killed = ''] = await scaled.containers('research');
    const rest = await sweep(scaled, trader, { ...SWEEP, meanwhile: () => killContainer(killed) });
    console.log(`one of them killed: ${rest.seconds.toFixed(1)} s, units of each: ${rest.units.join(', ')}`);
    assert.deepEqual([rest.evaluated, rest.rows], [whole.evaluated, whole.rows]);
    assert.ok((await candlePages(scaled)) - before <= needed + 2, 'no candle is fetched again');
    await scaled.scaleTo(REPLICAS);
  },
);

test(
  'each api and worker is replaced while clients read and trade: no answer is lost, and no order',
  options,
  async () => {
    const exchange = await scaled.addressOf('paper');
    // The exchange is no part of the service: it stays.
    const upgrade = blockOf('docs/operator/upgrade.md', /before-upgrade/).replace(/^.* paper$/m, '');
    const replaced = ['api', 'worker', 'research'] as const;
    const old = new Set((await Promise.all(replaced.map((service) => scaled.containers(service)))).flat());
    const placed = await Promise.all(traders.map(({ key }) => ordersAt(exchange, { key, symbol: LOADED })));
    const bought = await Promise.all(traders.map(fills));
    const load = await underLoad(() => scaled.type(upgrade, 'f'.repeat(40)), { url: scaled.url, exchange, traders });
    const { answers, longestGapMs, slowestMs, orders, lists } = load;
    const sum = [...orders.values()].reduce((all, one) => all + one, 0);
    console.log(
      `${answers.kept} answers on kept and ${answers.fresh} on new connections, the slowest after ${Math.round(slowestMs)} ms, ` +
        `${Math.round(longestGapMs)} ms without any; ${sum} orders; ${lists} lists of orders read at the exchange`,
    );
    for (const service of replaced) {
      const now = await scaled.containers(service);
      assert.equal(now.length, REPLICAS[service], service);
      assert.deepEqual(
        now.filter((id) => old.has(id)),
        [],
        `each ${service} was replaced`,
      );
    }
    assert.deepEqual([load.lost, load.repeated], [[], []]);
    // On a machine without time for it an order is refused, as it was not sent within its two seconds.
    assert.deepEqual(
      load.refused.filter((reason) => !reason.includes('not-sent-in-time')),
      [],
    );
    assert.ok(lists > 0 && sum > 0);
    assert.deepEqual(load.withoutStop, []);
    for (const [i, trader] of traders.entries()) {
      const { key } = trader;
      const now = await ordersAt(exchange, { key, symbol: LOADED });
      assert.equal(now - (placed[i] ?? 0), orders.get(trader), `${key.name} has each order once`);
      assert.deepEqual(await openOrdersAt(exchange, { key, symbol: LOADED }), [], 'each is cancelled');
      assert.equal(await fills(trader), bought[i]);
    }
  },
);

test('a kill switch stops the accounts of every worker', options, async () => {
  const [trader] = traders;
  assert.ok(trader !== undefined);
  await trader.call(setKillSwitch, { body: { engaged: true, reason: 'several workers' } });
  for (const each of traders)
    await assert.rejects(order(each, { side: 'buy', quoteAmount: '20' }), /kill switch/i, each.key.name);
});
