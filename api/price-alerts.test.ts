import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { COMMAND_CHANNEL } from '#core/installation/cache-keys.ts';
import { type AccountId, newId } from '#core/ids.ts';
import { addPriceAlert, deletePriceAlert, listPriceAlerts, rearmPriceAlert } from '#api/contract/price-alerts.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { until } from '#test/harness/test-outage.ts';

let api: TestApi;
let id: AccountId;
before(async () => {
  api = await openTestApi();
  await api.signUp();
  const { profile } = await api.addProfile('Watched');
  id = profile.accountId;
  const { kysely } = api.database;
  await kysely.insertInto('profile_symbols').values({ profile_id: profile.id, symbol: 'BTCUSDT' }).execute();
});
after(() => api[Symbol.asyncDispose]());

const above = { kind: 'above', price: '63000' } as const;

test('an alert is stored armed, and the workers read it at once', async () => {
  const received: string[] = [];
  await using _listening = await api.cache.subscribe(COMMAND_CHANNEL, (message) => received.push(message));
  const added = await api.call(addPriceAlert, { params: { id }, body: { symbol: 'BTCUSDT', rule: above } });
  assert.deepEqual([added.rule, added.triggeredAt], [above, null]);
  await until('the workers were informed', () => received.some((text) => text.includes('alerts-changed')));
  const { alerts, coins } = await api.call(listPriceAlerts, { params: { id } });
  assert.deepEqual([alerts.map(({ symbol }) => symbol), coins], [['BTCUSDT'], ['BTCUSDT']]);
});

test('a coin of no profile has no alert: its price would need a connection of its own', async () => {
  const refused = await api.refusal(addPriceAlert, { params: { id }, body: { symbol: 'ETHUSDT', rule: above } });
  assert.equal(refused.errors?.[0]?.path, 'symbol');
});

test('a rule that makes no sense is refused at its field', async () => {
  for (const [rule, path] of [
    [{ kind: 'above', price: '0' }, 'rule.price'],
    [{ kind: 'move', percent: '-1', minutes: 5 }, 'rule.percent'],
    [{ kind: 'move', percent: '5', minutes: 0 }, 'rule.minutes'],
  ] as const) {
    const refused = await api.refusal(addPriceAlert, { params: { id }, body: { symbol: 'BTCUSDT', rule } });
    assert.equal(refused.errors?.[0]?.path, path);
  }
});

test('a triggered alert is armed again on request, and removed', async () => {
  const rule = { kind: 'move', percent: '2.5', minutes: 60 } as const;
  const { id: alertId } = await api.call(addPriceAlert, { params: { id }, body: { symbol: 'BTCUSDT', rule } });
  const { kysely } = api.database;
  await kysely
    .updateTable('price_alerts')
    .set({ triggered_at: new Date(), triggered_price: '61000' })
    .where('id', '=', alertId)
    .execute();
  const params = { id, alertId };
  const armed = await api.call(rearmPriceAlert, { params });
  assert.deepEqual([armed.triggeredAt, armed.triggeredPrice, armed.rule], [null, null, rule]);
  await api.call(deletePriceAlert, { params });
  assert.equal((await api.refusal(deletePriceAlert, { params })).code, 'not_found');
});

test('another account has no access to an alert', async () => {
  const params = { id: newId<AccountId>(), alertId: newId() };
  assert.equal((await api.refusal(deletePriceAlert, { params })).code, 'not_found');
});
