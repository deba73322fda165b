import assert from 'node:assert/strict';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { WebSocket } from 'ws';
import { createAccount } from '#api/contract/accounts.ts';
import { setProfileKillSwitch } from '#api/contract/halts.ts';
import * as profiles from '#api/contract/profiles.ts';
import { listLogs } from '#api/contract/records.ts';
import { openTestApi, problemOf, type TestApi } from '#test/api/test-api.ts';
import { BTC, cachePrice, cacheRules, ETH } from '#test/api/test-records.ts';
import { NO_SELLABLE_POSITION, NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import { isObject } from '#core/merge.ts';
import type { ProfileId } from '#core/ids.ts';
import { createOperator } from '#storage/operator/users.ts';
import { until } from './until.ts';
import * as watching from './watching.ts';

const { coinOf, control, costLine, flow, hold, ready, row, setPrice, sweep } = watching;
const MARKER = { quantity: '0', note: NOT_HELD_NOTE };
const IMMEDIATE = {
  candleInterval: '1m',
  buy: { firstBuyTriggerBasis: 'immediate', entrySizing: { mode: 'fixed', amount: '150' }, candleLimit: 60 },
};

/** An enabled profile that buys at once what it is given, as soon as its kill switch is released. */
async function buyer(name: string): Promise<{ id: ProfileId; release: () => Promise<unknown> }> {
  const { stack } = flow();
  const body = { accountId: stack.accountId, name, strategyName: 'trailing-trade', config: IMMEDIATE, enabled: true };
  const { profile } = await stack.call(profiles.createProfile, { body });
  const engage = (engaged: boolean) =>
    stack.call(setProfileKillSwitch, { params: { id: profile.id }, body: { engaged } });
  await engage(true);
  return { id: profile.id, release: () => engage(false) };
}
const pageOf = (id: ProfileId, symbol: string) => flow().stack.call(profiles.readCoin, { params: { id, symbol } });
const logsOf = async (id: ProfileId) =>
  (await flow().stack.call(listLogs, { params: { id }, query: { limit: 1000 } })).rows;
const ticksOf = async (id: ProfileId): Promise<string | undefined> =>
  (await (await flow().stack.fetch(`/profiles/${id}/tick-trace?limit=1`)).json()).entries[0]?.id;
const eventOf = (ctx: unknown): unknown => (isObject(ctx) ? ctx['event'] : undefined);
const showNote = async (symbol: string): Promise<void> => {
  await watching.add(symbol, '2');
  await until('the note', async () => (await row(symbol))?.note === NOT_HELD_NOTE);
};

/** State | trigger | condition | next state | also happens, in the words of the specification. */
const STATES: Readonly<Record<string, () => Promise<void>>> = {
  async 'profile disabled | operator re-enables in the dashboard | none | enabled | profile starts making decisions'() {
    const { stack, profileId } = flow();
    const body = { accountId: stack.accountId, name: 'Idle', strategyName: 'hold', config: {}, symbols: ['ETHUSDT'] };
    const { profile } = await stack.call(profiles.createProfile, { body });
    assert.equal(profile.enabled, false);
    const before = await ticksOf(profileId);
    await until('another profile to tick', async () => (await ticksOf(profileId)) !== before);
    assert.equal(await ticksOf(profile.id), undefined, 'a disabled profile decides nothing');
    const { enabled } = await stack.call(profiles.enableProfile, { params: { id: profile.id } });
    assert.equal(enabled, true);
    await until('a decision', async () => (await ticksOf(profile.id)) !== undefined);
  },
  async 'cost-basis note absent | average entry price set (combined add-symbol) | wallet cannot back a position: balance below the coin’s smallest tradeable step | note shown | price still saved and unchanged; worker log entry; no position handed to the strategy'() {
    await showNote('LINKUSDT');
    assert.deepEqual(await row('LINKUSDT'), { averageEntryPrice: '2', ...MARKER });
    await assertTold('LINKUSDT');
  },
  async 'cost-basis note absent | average entry price set (later) | worth about one hundredth of the exchange minimum order value or less | note shown | price still saved and unchanged; worker log entry; no position handed to the strategy'() {
    await watching.add('TRXUSDT');
    await ready('TRXUSDT');
    // A price so low that what is held is worth a hundredth of the minimum: the cached price decides, not the saved one.
    await hold({ TRX: '0.1' });
    const price = Number((await coinOf('TRXUSDT')).price);
    assert.ok(0.1 * price <= 0.05, `0.1 TRX is worth ${0.1 * price}`);
    await setPrice('TRXUSDT', '3');
    assert.partialDeepStrictEqual(await row('TRXUSDT'), { averageEntryPrice: '3', note: NOT_HELD_NOTE });
    await assertTold('TRXUSDT');
  },
  async 'note shown | 15-minute position-reconcile sweep over all coins | the sweep can positively confirm that the balance now backs the entry | note absent | when it cannot confirm it changes nothing and waits for the next sweep'() {
    await showNote('DOTUSDT');
    await ready('DOTUSDT');
    await sweep();
    assert.deepEqual(await row('DOTUSDT'), { averageEntryPrice: '2', ...MARKER });
    await hold({ DOT: '10' });
    await sweep();
    assert.deepEqual(await row('DOTUSDT'), { averageEntryPrice: '2', quantity: '10', note: null });
  },
  async 'note shown | buy fill on the symbol | fill occurs | note absent | none'() {
    const { id, release } = await buyer('Buyer');
    const body = { symbol: 'SOLUSDT', averageEntryPrice: '2' };
    await flow().stack.call(profiles.bindCoin, { params: { id }, body });
    const note = async () => (await pageOf(id, 'SOLUSDT')).coin.costBasis?.note;
    await until('the note', async () => (await note()) === NOT_HELD_NOTE);
    await release();
    await until('a buy', async () => (await pageOf(id, 'SOLUSDT')).fills.length > 0);
    assert.equal(await note(), null);
  },
  async 'note shown | average entry price saved again | check passes | note absent | apply job re-runs'() {
    await showNote('ADAUSDT');
    await hold({ ADA: '500' });
    await setPrice('ADAUSDT', '2');
    assert.deepEqual(await row('ADAUSDT'), { averageEntryPrice: '2', quantity: '500', note: null });
    await until('the strategy to have it', async () => (await costLine('ADAUSDT')) === '2');
  },
  async 'note shown | average entry price deleted | row removed | note absent | none'() {
    await showNote('ATOMUSDT');
    const params = watching.paramsOf('ATOMUSDT');
    await watching.ended((await flow().stack.call(profiles.deleteAverageEntryPrice, { params })).jobId);
    assert.equal(await row('ATOMUSDT'), null);
  },
  async 'note shown | phantom holding pruned | row removed | note absent | none'() {
    await hold({ UNI: '5' });
    await watching.add('UNIUSDT', '7');
    await until('the position', async () => (await costLine('UNIUSDT')) === '7');
    await ready('UNIUSDT');
    await hold({ UNI: '0' });
    await sweep();
    assert.equal((await row('UNIUSDT'))?.quantity, '5', 'one sweep is not enough');
    await sweep();
    assert.equal(await row('UNIUSDT'), null);
  },
};

/** The warning in the profile's log, and no position for the strategy. */
async function assertTold(symbol: string): Promise<void> {
  const told = await until('the warning', async () =>
    (await logsOf(flow().profileId)).find((one) => one.symbol === symbol && eventOf(one.ctx) === NO_SELLABLE_POSITION),
  );
  assert.equal(told.level, 'warn');
  const { cycle, unrealised } = (await coinOf(symbol)).position;
  assert.deepEqual([cycle, unrealised, await costLine(symbol)], [0, null, undefined]);
}

let api: TestApi;
const budget = (amount: string) => ({ buy: { entrySizing: { mode: 'fixed', amount } } });

/** Condition | result, in the words of the specification. */
const ERRORS: Readonly<Record<string, () => Promise<void>>> = {
  async 'LIVE_DEMO on and a locked route is called | HTTP 403'() {
    const operator = { email: 'demo@example.org', passwordHash: '-', timezone: 'UTC' };
    await using demo = await openTestApi({
      liveDemo: true,
      before: async ({ kysely }) => void (await createOperator(kysely, operator)),
    });
    const body = { name: 'Mine', exchangeMode: 'testnet' } as const;
    assert.equal((await demo.refusal(createAccount, { body })).status, 403);
    assert.equal((await demo.send(profiles.listProfiles, {})).status, 200);
  },
  async 'No valid session (demo off) | HTTP 401'() {
    assert.equal((await api.refusal(profiles.listProfiles, {}, { cookie: null })).status, 401);
  },
  async 'Set average entry price when neither a live wallet snapshot nor a ledger row with non-zero quantity is usable | HTTP 502'() {
    const { profile } = await api.addProfile('Unknown', { symbols: ['BTCUSDT'] });
    const call = { params: { id: profile.id, symbol: 'BTCUSDT' }, body: { averageEntryPrice: '2' } };
    assert.equal((await api.refusal(profiles.setAverageEntryPrice, call)).status, 502);
  },
  async 'Sizing check cannot run | change saved; warning "order sizing was not verified" with one of three reasons'() {
    const { profile } = await api.addProfile('Doubt');
    const params = { id: profile.id };
    const bind = async (symbol: string) =>
      (await api.call(profiles.bindCoin, { params, body: { symbol } })).warnings.map(({ message, reason }) => {
        assert.equal(message, 'order sizing was not verified');
        return reason;
      });
    assert.deepEqual(await bind('BTCUSDT'), ['rules_not_loaded']);
    api.advance(60_000);
    await cacheRules(api, [BTC, ETH]);
    assert.deepEqual(await bind('ETHUSDT'), ['price_not_cached']);
    const config = JSON.stringify({ buy: { candleLimit: 1500 } });
    await api.database.kysely.updateTable('profiles').set({ config }).where('id', '=', profile.id).execute();
    await api.call(profiles.unbindCoin, { params: { ...params, symbol: 'ETHUSDT' } });
    assert.deepEqual(await bind('ETHUSDT'), ['config_not_parsable']);
    assert.equal((await api.call(profiles.listCoins, { params })).coins.length, 2);
  },
  async 'Sizing check finds a real problem (for example buy budget below the coin’s minimum order value) on save or add coin | change refused with an error'() {
    await cachePrice(api, 'BTCUSDT', '50000');
    await cachePrice(api, 'ETHUSDT', '2000');
    const { profile } = await api.addProfile('Small', { config: budget('50'), symbols: ['BTCUSDT'] });
    const params = { id: profile.id };
    const save = await api.refusal(profiles.changeProfile, { params, body: { config: budget('4') } });
    assert.match(`${save.status} ${save.detail}`, /422 .*4 USDT.*minimum order value is 5 USDT/);
    const { profile: tiny } = await api.addProfile('Tiny', { config: budget('4') });
    const add = { params: { id: tiny.id }, body: { symbol: 'ETHUSDT' } };
    assert.equal((await api.refusal(profiles.bindCoin, add)).status, 422);
    const { config } = await api.call(profiles.readProfile, { params });
    const { coins } = await api.call(profiles.listCoins, { params: { id: tiny.id } });
    assert.deepEqual([config, coins], [budget('50'), []]);
  },
  async 'Exchange rejects an order (amount below minimum, price too far from market) | reason and full rejection payload appear in the profile logs under the row’s Context'() {
    const { id, release } = await buyer('Refused');
    await flow().stack.call(profiles.bindCoin, { params: { id }, body: { symbol: 'XLMUSDT' } });
    const payload = { code: -1013, msg: 'Filter failure: NOTIONAL', data: { more: 1 } };
    const match = { method: 'POST', path: '/api/v3/order', text: 'symbol=XLMUSDT' };
    await control('/faults', [{ match, kind: 'fail-before', status: 400, body: payload }]);
    await release();
    const rejected = await until('the rejection in the log', async () =>
      (await logsOf(id)).find(({ ctx }) => eventOf(ctx) === 'order_rejected'),
    );
    assert.match(rejected.msg, /refused a buy of XLMUSDT: .*NOTIONAL/);
    assert.partialDeepStrictEqual(rejected, { level: 'warn', ctx: { code: -1013, payload } });
  },
  async 'Origin not in WEB_ORIGIN | request rejected by CORS, CSRF and WebSocket checks'() {
    const headers = { origin: 'http://evil.example' };
    const methods = { OPTIONS: '/api/profiles', POST: '/api/auth/sign-out', GET: '/api/profiles' };
    for (const [method, path] of Object.entries(methods)) {
      const reply = await api.request(method, path, { headers });
      assert.equal(problemOf(reply).status, 403, method);
      assert.equal(reply.headers.get('access-control-allow-origin'), null, method);
    }
    const cookie = api.cookie ?? '';
    const socket = new WebSocket(`${api.url.replace('http', 'ws')}/api/ws`, { ...headers, headers: { cookie } });
    socket.on('error', () => undefined);
    const [, response] = await once(socket, 'unexpected-response');
    assert.equal(response.statusCode, 403);
    socket.terminate();
  },
  async 'Stored config above a schema maximum | the profile keeps trading (live tick reads config without parsing); saving the profile degrades, and the form rejects the save until the field is legal'() {
    const { stack } = flow();
    const { id, release } = await buyer('Above');
    const params = { id };
    const config = { ...IMMEDIATE, buy: { ...IMMEDIATE.buy, candleLimit: 1500 } };
    const text = JSON.stringify(config);
    await stack.database.kysely.updateTable('profiles').set({ config: text }).where('id', '=', id).execute();
    await stack.call(profiles.bindCoin, { params, body: { symbol: 'LTCUSDT' } });
    await release();
    await until('a buy', async () => (await pageOf(id, 'LTCUSDT')).fills.length > 0);
    const save = stack.call(profiles.changeProfile, { params, body: { config } });
    await assert.rejects(save, /422.*config\.buy\.candleLimit/);
    assert.deepEqual((await stack.call(profiles.readProfile, { params })).config, config);
    await stack.call(profiles.changeProfile, { params, body: { config: IMMEDIATE } });
  },
};

before(async () => {
  api = await openTestApi();
  await api.signUp();
  await watching.openWatching();
});
after(async () => {
  await watching.closeWatching();
  await api[Symbol.asyncDispose]();
});
for (const [name, check] of Object.entries({ ...STATES, ...ERRORS })) test(name, check);
