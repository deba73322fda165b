import assert from 'node:assert/strict';
import { after, before, beforeEach, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { createInlet, listSignals } from '#api/contract/signals.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
const CONFIG = {
  entrySizing: { mode: 'fixed', amount: '50' },
  lossCooldownMinutes: 0,
  stopLossPercentage: '0.5',
  protectiveStop: { enabled: false },
};
let stack: Stack;
let profileId: ProfileId;
let inlet: { readonly path: string; readonly secret: string };
before(async () => {
  stack = await openStack({ source: { kind: 'synthetic' } });
  const { accountId } = stack;
  const body = { accountId, name: 'Charts', strategyName: 'signal', config: CONFIG, enabled: true, symbols: [SYMBOL] };
  profileId = (await stack.call(createProfile, { body })).profile.id;
});
after(() => stack[Symbol.asyncDispose]());
/** A new inlet for each test: each may send 30 signals a minute. */
const openInlet = async () => {
  inlet = await stack.call(createInlet, { params: { id: profileId }, body: { name: 'Charts', maxAgeSeconds: 300 } });
};
beforeEach(openInlet);

let sent = 0;
/** Number of answers by status. */
const answers = new Map<number, number>();
async function send(action: string, change: object = {}, path = inlet.path): Promise<string> {
  sent += 1;
  const own = { secret: inlet.secret, action, symbol: SYMBOL, time: new Date().toISOString(), id: `signal-${sent}` };
  const body = { ...own, ...change };
  const answer = await fetch(`http://127.0.0.1:${stack.api.port}${path}`, {
    method: 'POST',
    body: JSON.stringify(body),
  });
  await answer.text();
  answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
  return body.id;
}
const listed = async () =>
  (await stack.call(listSignals, { params: { id: profileId }, query: { limit: '1000' } })).signals;
const stateOf = async (id: string) => (await listed()).find(({ key }) => key === id);
const ended = (id: string) =>
  until(`the answer to ${id}`, async () => {
    const row = await stateOf(id);
    return row !== undefined && row.state !== 'pending' && row;
  });
const orders = async () => {
  const { rows } = await stack.database.pool.query<{ side: string; reason: string; orders: number }>(
    'select side, reason, 1 as orders from orders order by created_at',
  );
  return rows;
};
const settled = () =>
  until('no live order', async () => {
    const { rows } = await stack.database.pool.query(
      "select from orders where state in ('intent', 'unknown', 'open', 'partially-filled')",
    );
    return rows.length === 0;
  });

test('a signal buys, a second buy ends without an order, and a close sells', async () => {
  const bought = await ended(await send('buy'));
  assert.deepEqual([bought.state, bought.reason], ['used', 'entry-signal']);
  await settled();
  const again = await ended(await send('buy'));
  assert.deepEqual([again.state, again.reason], ['ended', 'hold-held-already']);
  const sold = await ended(await send('close'));
  assert.deepEqual([sold.state, sold.reason], ['used', 'exit-signal-close']);
  await settled();
  assert.deepEqual(
    (await orders()).map(({ side, reason }) => `${side} ${reason}`),
    ['buy entry-signal', 'sell exit-signal-close'],
  );
});

test('a signal that arrives while no worker runs is carried out once by the next one', async () => {
  await stack.stopWorker();
  const id = await send('buy');
  assert.equal((await stateOf(id))?.state, 'pending');
  const before = (await orders()).length;
  await stack.startWorker();
  assert.equal((await ended(id)).state, 'used');
  await stack.stopWorker();
  await stack.startWorker();
  await settled();
  assert.equal((await orders()).length, before + 1);
  await ended(await send('close'));
  await settled();
});

test('a flood of repeated, late, reordered and forged signals makes at most one order of each, and none late', async () => {
  const before = (await orders()).length;
  answers.clear();
  const startMs = performance.now();
  for (let i = 0; i < 1_000; i += 20) {
    const now = Date.now();
    const iso = (ageMs: number): string => new Date(now - ageMs).toISOString();
    const action = i % 40 === 0 ? 'buy' : 'close';
    const id = `flood-${i}`;
    await Promise.all([
      ...Array.from({ length: 8 }, () => send(action, { id, time: iso(0) })),
      ...Array.from({ length: 4 }, (_, late) => send('buy', { id: `late-${i}-${late}`, time: iso(301_000 + late) })),
      ...Array.from({ length: 4 }, (_, older) => send('buy', { id: `older-${i}-${older}`, time: iso(60_000 + older) })),
      ...Array.from({ length: 4 }, () => send('buy', { secret: `tw_${'a'.repeat(49)}`, id: `forged-${i}` })),
    ]);
    // Each inlet takes 30 a minute: new ones keep the flood going.
    if (i % 100 === 0 && i < 900) await openInlet();
  }
  console.log(`1,000 messages in ${Math.round((performance.now() - startMs) / 1_000)} s, answers by status:`);
  console.table(Object.fromEntries(answers));
  assert.deepEqual(
    [...answers.keys()].filter((status) => ![202, 404, 422, 429].includes(status)),
    [],
  );
  assert.equal(
    [...answers.values()].reduce((sum, count) => sum + count),
    1_000,
  );
  await until('no pending signal', async () => (await listed()).every(({ state }) => state !== 'pending'), 320_000);
  await settled();
  const rows = await listed();
  const used = rows.filter(({ state, key }) => state === 'used' && /^(flood|late|older|forged)-/.test(key));
  const made = (await orders()).length - before;
  assert.equal(made, used.length, 'every order has its own signal');
  assert.equal(new Set(used.map(({ orderId }) => orderId)).size, used.length);
  assert.ok(used.length > 0);
  assert.deepEqual(
    used.filter(({ key }) => key.startsWith('late-') || key.startsWith('forged-')),
    [],
  );
  assert.ok(
    rows.every(({ key }) => !key.startsWith('forged-')),
    'a forged signal leaves nothing',
  );
  const { rows: late } = await stack.database.pool.query(
    `select from signals join orders on orders.id = order_id where ended_at > valid_until`,
  );
  assert.equal(late.length, 0);
});
