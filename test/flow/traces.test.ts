import assert from 'node:assert/strict';
import { registerHooks } from 'node:module';
import { test } from 'node:test';
import { createLog } from '#integrations/log.ts';
import { openReceiver, type Receiver } from '#integrations/test-receiver.ts';
import { openTracer } from '#integrations/tracing.ts';
import { createInlet } from '#api/contract/signals.ts';
import { createProfile, changeProfile } from '#api/contract/profiles.ts';
import { flat, type Guarded, openGuarded } from './guarded.ts';
import { attributeOf, pathOf, type SentSpan, spansOf } from './spans.ts';
import { CREDENTIALS, KEY, openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
const packages = new Set<string>();
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context);
    if (found.url.includes('/@opentelemetry/')) packages.add(found.url);
    return found;
  },
});

/** A receiver that answers as a collector does. */
async function openCollector(): Promise<Receiver> {
  const collector = await openReceiver();
  collector.answer = { status: 200, text: '{}', headers: { 'content-type': 'application/json' } };
  return collector;
}

/** A request that writes a row, and an order by a signal. */
async function tradeOnce(stack: Stack): Promise<void> {
  const { accountId } = stack;
  const config = {
    entrySizing: { mode: 'fixed', amount: '50' },
    stopLossPercentage: '0.5',
    protectiveStop: { enabled: false },
  };
  const body = { accountId, name: 'Charts', strategyName: 'signal', config, enabled: true, symbols: [SYMBOL] };
  const { id } = (await stack.call(createProfile, { body })).profile;
  await stack.call(changeProfile, { params: { id }, body: { name: 'Signals' } });
  const inlet = await stack.call(createInlet, { params: { id }, body: { name: 'Charts', maxAgeSeconds: 300 } });
  const signal = { secret: inlet.secret, action: 'buy', symbol: SYMBOL, time: new Date().toISOString(), id: 'one' };
  await fetch(`http://127.0.0.1:${stack.api.port}${inlet.path}`, { method: 'POST', body: JSON.stringify(signal) });
  await until('the order to be filled', async () => {
    const { rows } = await stack.database.pool.query("select from orders where state = 'filled'");
    return rows.length === 1;
  });
}

const under = (all: readonly SentSpan[], root: SentSpan): string[] =>
  all.filter(({ traceId }) => traceId === root.traceId).map((span) => pathOf(all, span));

test('nothing of OpenTelemetry is loaded while traces are off', async () => {
  await using stack = await openStack({ source: { kind: 'synthetic' } });
  await tradeOnce(stack);
  assert.deepEqual([...packages], []);
});

test('a request is traced down to its row, and an order of the worker up to the answer of the exchange', async () => {
  await using collector = await openCollector();
  {
    await using stack = await openStack({ source: { kind: 'synthetic' }, collectorUrl: collector.url });
    await tradeOnce(stack);
  }
  assert.ok(packages.size > 0);
  const all = spansOf(collector);
  const request = all.find(({ name }) => name === 'PATCH /api/profiles/:id') ?? assert.fail(names(all));
  assert.deepEqual([request.service, attributeOf(request, 'http.response.status_code')], ['tradewind-api', 200]);
  assert.deepEqual(under(all, request).toSorted(), [
    'PATCH /api/profiles/:id',
    'PATCH /api/profiles/:id > answer',
    'PATCH /api/profiles/:id > answer > commit',
    'PATCH /api/profiles/:id > answer > commit > change rows',
    'PATCH /api/profiles/:id > answer > commit > lock',
    'PATCH /api/profiles/:id > answer > commit > write audit row',
    'PATCH /api/profiles/:id > authenticate',
  ]);
  const accepted = all.find((span) => attributeOf(span, 'tradewind.order.outcome') === 'accepted');
  const tick =
    all.find(({ name, traceId }) => name === 'tick' && traceId === accepted?.traceId) ?? assert.fail(names(all));
  assert.deepEqual([tick.service, attributeOf(tick, 'tradewind.symbol')], ['tradewind-worker', SYMBOL]);
  assert.ok(under(all, tick).includes('tick > send order > exchange request'), under(all, tick).join());
  const text = JSON.stringify(collector.received.map(({ body }) => body));
  for (const secret of [...Object.values(KEY), ...Object.values(CREDENTIALS), 'signature', '?'])
    assert.ok(!text.includes(secret), `a span holds ${secret}`);
});

/** Buys, and sells at a price below the stop; returns whether that price triggered the sale, not a timer that came first. */
async function buyAndSell(on: Guarded): Promise<boolean> {
  on.wheel.stop = 0;
  await on.trade('1');
  await until('the price to be back', () => on.coin().price === on.at('1'));
  on.wheel.want = 'buy';
  await on.tick();
  await until('a position', () => on.coin().position.firstBuyAt !== null && on.coin().live.size === 0);
  on.wheel.stop = on.ticks('0.97');
  await on.trade('0.96');
  await flat(on);
  return on.audits.some(({ trigger, decision }) => trigger === 'price' && decision.kind === 'sell');
}

const names = (all: readonly SentSpan[]): string => `only ${all.map(({ name }) => name).join(', ')}`;

test('the trace of an order begins with the price that triggered it', async () => {
  await using collector = await openCollector();
  const log = createLog({ name: 'worker', level: 'silent' });
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/`, OTEL_SERVICE_NAME: 'own-name' };
  {
    await using tracer = await openTracer(env, { process: 'worker', sha: 'abc', log });
    await using on = await openGuarded({ tracer });
    on.wheel.settings = undefined;
    await until('a sale that a price triggered', () => buyAndSell(on));
  }
  const all = spansOf(collector);
  const ticks = all.filter(({ name }) => name === 'tick');
  const sale = ticks.find((tick) => attributeOf(tick, 'tradewind.trigger') === 'price') ?? assert.fail(names(all));
  assert.equal(sale.service, 'own-name');
  assert.deepEqual(under(all, sale).toSorted(), [
    'tick',
    'tick > commit intent',
    'tick > decide',
    'tick > price',
    'tick > send order',
    'tick > send order > exchange request',
    'tick > send order > record outcome',
  ]);
  for (const span of all) assert.ok(span.endTimeUnixNano >= span.startTimeUnixNano, span.name);
});
