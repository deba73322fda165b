import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { createAccount } from '#api/contract/accounts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { createInlet, deleteInlet, listInlets, listSignals, replaceInletSecret } from '#api/contract/signals.ts';
import { listAuditLogs } from '#api/contract/upkeep.ts';
import { openTestApi, problemOf, type Reply, type TestApi } from '#test/api/test-api.ts';

const lines: string[] = [];
let api: TestApi;
let profileId: ProfileId;
before(async () => {
  api = await openTestApi({ logTo: { write: (line) => void lines.push(line) } });
  await api.signUp();
  const { id: accountId } = await api.call(createAccount, { body: { name: 'Charts', exchangeMode: 'testnet' } });
  const body = { accountId, name: 'Charts', strategyName: 'signal', symbols: ['SOLUSDT'] };
  profileId = (await api.call(createProfile, { body })).profile.id;
});
after(() => api[Symbol.asyncDispose]());

const open = (name = 'Charts') => api.call(createInlet, { params: { id: profileId }, body: { name } });
type Opened = Awaited<ReturnType<typeof open>>;

/** As a chart service sends it: without a session and without the header of a client. */
async function post(path: string, body: string, type = 'text/plain; charset=utf-8'): Promise<Reply> {
  const response = await fetch(`${api.url}${path}`, { method: 'POST', headers: { 'content-type': type }, body });
  return { status: response.status, headers: response.headers, text: await response.text() };
}
const bodyOf = ({ secret }: Opened, change: object = {}): string =>
  JSON.stringify({ secret, action: 'buy', symbol: 'EXCHANGE:SOLUSDT', time: new Date().toISOString(), ...change });
const send = (inlet: Opened, change: object = {}) => post(inlet.path, bodyOf(inlet, change));

const signals = async () => (await api.call(listSignals, { params: { id: profileId } })).signals;

test('a signal is recorded once, however often it is sent', async () => {
  const inlet = await open();
  const time = new Date().toISOString();
  const replies = [await send(inlet, { time }), await send(inlet, { time }), await send(inlet, { time })];
  assert.deepEqual(
    replies.map(({ status, text }) => [status, JSON.parse(text).duplicate]),
    [
      [202, false],
      [202, true],
      [202, true],
    ],
  );
  const [newest, ...others] = await signals();
  assert.deepEqual([newest?.symbol, newest?.action, newest?.state], ['SOLUSDT', 'buy', 'pending']);
  assert.ok(others.every(({ key }) => key !== newest?.key));
});

test('a text body is taken as well as JSON, whatever its type says', async () => {
  const inlet = await open();
  const text = `secret=${inlet.secret};action=close;symbol=SOLUSDT;time=${new Date().toISOString()};id=text-1`;
  assert.equal((await post(inlet.path, text, 'application/json')).status, 202);
  assert.equal((await signals())[0]?.key, 'text-1');
});

test('a late signal is refused with a sentence, and recorded', async () => {
  const inlet = await open();
  const reply = await send(inlet, { time: new Date(Date.now() - 61_000).toISOString(), id: 'late-1' });
  assert.equal(problemOf(reply).code, 'validation_failed');
  assert.match(problemOf(reply).detail, /The signal is 61\.\d s old, and this inlet takes signals of at most 60 s/);
  const [row] = await signals();
  assert.deepEqual([row?.key, row?.state, row?.reason], ['late-1', 'refused', 'signal-late']);
  assert.equal((await send(inlet, { id: 'late-1' })).status, 422);
});

test('a coin that the profile has not bound is refused', async () => {
  const reply = await send(await open(), { symbol: 'BTCUSDT' });
  assert.deepEqual(
    problemOf(reply).errors?.map(({ path }) => path),
    ['symbol'],
  );
});

test('the list of the inlets counts their signals by outcome, and names the last one', async () => {
  const { id } = await open('Counted');
  const countedOf = async () =>
    (await api.call(listInlets, { params: { id: profileId } })).inlets.find((inlet) => inlet.id === id);
  const unused = await countedOf();
  assert.deepEqual([unused?.lastSignalAt, unused?.outcomes], [null, []]);
  const inlet = await api.call(replaceInletSecret, { params: { id: profileId, inlet: id } });
  const time = new Date().toISOString();
  for (const symbol of ['BTCUSDT', 'ETHUSDT']) await send(inlet, { symbol });
  await send(inlet, { time: new Date(Date.now() - 61_000).toISOString() });
  for (let i = 0; i < 3; i++) await send(inlet, { time });
  const used = await countedOf();
  assert.deepEqual(used?.outcomes, [
    { state: 'refused', reason: 'signal-unknown-coin', count: 2 },
    { state: 'pending', reason: null, count: 1 },
    { state: 'refused', reason: 'signal-late', count: 1 },
  ]);
  assert.equal(used.lastSignalAt, (await signals())[0]?.receivedAt);
});

test('a wrong secret and an unknown inlet answer alike, and leave nothing', async () => {
  const [inlet, other] = [await open(), await open('Other')];
  const before = (await signals()).length;
  const wrong = await send({ ...inlet, secret: other.secret });
  const unknown = await post(`/api/signals/${'x'.repeat(22)}`, bodyOf(inlet));
  const none = await send(inlet, { secret: undefined });
  for (const reply of [wrong, unknown, none]) assert.deepEqual([reply.status, reply.text], [404, wrong.text]);
  assert.equal((await signals()).length, before);
});

test('wrong secrets of one address are counted, and a right one passes meanwhile', async () => {
  const inlet = await open();
  const from = { 'x-forwarded-for': '203.0.113.77' };
  const forge = (secret: string) => {
    const body = bodyOf({ ...inlet, secret });
    return fetch(`${api.url}${inlet.path}`, { method: 'POST', headers: from, body });
  };
  const forged: number[] = [];
  for (let i = 0; i < 22; i++) forged.push((await forge(`tw_${'a'.repeat(49)}`)).status);
  assert.deepEqual([forged[0], forged.at(-1)], [404, 429]);
  assert.equal((await forge(inlet.secret)).status, 202);
});

test('an inlet takes 30 signals a minute', async () => {
  const inlet = await open();
  const codes: number[] = [];
  for (let i = 0; i < 40; i++) codes.push((await send(inlet, { id: `burst-${i}` })).status);
  assert.equal(codes.filter((code) => code === 429).length > 0, true);
  assert.ok(codes.filter((code) => code === 202).length <= 60);
});

test('a replaced secret ends the old one', async () => {
  const inlet = await open();
  const { secret } = await api.call(replaceInletSecret, { params: { id: profileId, inlet: inlet.id } });
  assert.equal((await send(inlet)).status, 404);
  assert.equal((await send({ ...inlet, secret })).status, 202);
});

test('a deleted inlet takes nothing, and its signals stay', async () => {
  const inlet = await open();
  await send(inlet, { id: 'before-deletion' });
  await api.call(deleteInlet, { params: { id: profileId, inlet: inlet.id } });
  assert.equal((await send(inlet)).status, 404);
  assert.ok((await signals()).some(({ key }) => key === 'before-deletion'));
  const { inlets } = await api.call(listInlets, { params: { id: profileId } });
  assert.ok(inlets.every(({ id }) => id !== inlet.id));
});

test('only a profile whose strategy acts on signals has inlets', async () => {
  const { profile } = await api.addProfile('Dips', { symbols: ['BTCUSDT'] });
  const refusal = await api.refusal(createInlet, { params: { id: profile.id }, body: { name: 'Charts' } });
  assert.equal(refusal.code, 'conflict');
});

test('a profile that has changed to another strategy takes no signals', async () => {
  const { id: accountId } = await api.call(createAccount, { body: { name: 'Changing', exchangeMode: 'testnet' } });
  const body = { accountId, name: 'Changing', strategyName: 'signal', symbols: ['SOLUSDT'] };
  const { profile } = await api.call(createProfile, { body });
  const inlet = await api.call(createInlet, { params: { id: profile.id }, body: { name: 'Charts' } });
  await api.database.pool.query("update profiles set strategy_name = 'hold' where id = $1", [profile.id]);
  assert.equal(problemOf(await send(inlet)).code, 'conflict');
});

test('a time of an impossible year is refused', async () => {
  assert.equal((await send(await open(), { time: '0000-01-01T00:00:00Z' })).status, 422);
});

test('a body that is neither JSON nor text fields, and one that is too large, are refused', async () => {
  const inlet = await open();
  assert.equal((await post(inlet.path, 'buy now')).status, 400);
  assert.equal((await post(inlet.path, bodyOf(inlet, { note: 'x'.repeat(5_000) }))).status, 413);
});

test('a page of a foreign origin cannot send signals', async () => {
  const inlet = await open();
  const headers = { origin: 'https://elsewhere.example', 'content-type': 'text/plain' };
  const reply = await fetch(`${api.url}${inlet.path}`, { method: 'POST', headers, body: bodyOf(inlet) });
  assert.equal(reply.status, 403);
});

test('secrets are stored as digests, and are in no log and no audit row', async () => {
  const inlet = await open();
  await send(inlet);
  await api.call(replaceInletSecret, { params: { id: profileId, inlet: inlet.id } });
  const { rows } = await api.database.pool.query<{ row: string }>('select t::text as row from signal_inlets t');
  const audit = JSON.stringify(await api.call(listAuditLogs, {}));
  const { rows: kept } = await api.database.pool.query<{ row: string }>('select t::text as row from signals t');
  for (const text of [...rows.map(({ row }) => row), ...kept.map(({ row }) => row), audit, lines.join('')])
    assert.ok(!text.includes(inlet.secret));
});
