import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { readAccountHealth } from '#api/contract/account-state.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { signIn } from '#api/contract/session.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { startProfile, UNGUARDED } from './profile.ts';
import { CREDENTIALS, openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const folder = mkdtempSync(join(tmpdir(), 'restore-live-'));
after(() => rmSync(folder, { recursive: true }));

/** Client ids of the orders that the exchange has ever taken, in their order. */
const taken = ({ paper }: Stack): string[] =>
  [...paper.venue.engine.orders.byId.values()].map((order) => order.clientOrderId);
const buysOf = (ids: readonly string[]): string[] => ids.filter((id) => /-e[0-9a-z]+$/.test(id));

const entries = async ({ database }: Stack): Promise<number> =>
  (await database.kysely.selectFrom('orders').select('id').where('purpose', '=', 'entry').execute()).length;

test('a backup is restored while a worker trades: it buys nothing until it is released, then it goes on', async () => {
  writeSwingingCandles(folder, 60 * 24 * 60);
  const source = { kind: 'replay', folder } as const;
  await using stack = await openStack({ source, fromMs: MARKET_START + 3_600_000, speed: 1800 });
  await startProfile(stack, ['BTCUSDT'], { config: UNGUARDED });
  await until('the first buy', async () => (await entries(stack)) >= 1, 120_000);
  const file = await (await stack.fetch('/backup')).arrayBuffer();
  const backedUp = await entries(stack);
  await until('another buy', async () => (await entries(stack)) > backedUp, 120_000);

  const restored = await fetch(`http://127.0.0.1:${stack.api.port}/api/restore`, {
    method: 'POST',
    headers: { 'x-tradewind-client': '1', 'content-type': 'application/octet-stream', cookie: stack.cookie() },
    body: file,
  });
  assert.equal(restored.status, 200, await restored.clone().text());
  const before = taken(stack);
  await stack.call(signIn, { body: CREDENTIALS });
  const health = async () => stack.call(readAccountHealth, { params: { id: stack.accountId } });
  await until('a worker holds the account again', async () => (await health()).worker !== null, 120_000);
  assert.deepEqual(
    (await health()).halts.map(({ scope }) => scope),
    ['all'],
  );
  const ticked = async () =>
    (await stack.database.pool.query(`select max(last_at) as at from action_logs where ctx->>'event' = 'decision'`))
      .rows[0].at;
  const sinceMs = Number(await ticked());
  const unread = () => stack.database.pool.query('select from runner_states where not compared');
  await until('the coin to be compared with the exchange', async () => (await unread()).rowCount === 0, 120_000);
  const { rows: booked } = await stack.database.pool.query<{ id: string }>(
    'select client_order_id as id from fills join orders on orders.id = order_id group by 1 order by min(runner_version)',
  );
  assert.deepEqual(
    booked.slice(0, before.length).map(({ id }) => id),
    before,
    'also what the backup does not know is booked, in its order and before anything else happens to the coin',
  );
  await until('ticks of a market day', async () => Number(await ticked()) - sinceMs > 24 * 3_600_000, 120_000);
  assert.deepEqual(buysOf(taken(stack)), buysOf(before), 'nothing was bought in a day full of swings');
  await stack.call(setKillSwitch, { body: { engaged: false } });
  await until('it buys again', async () => buysOf(taken(stack)).length > buysOf(before).length, 120_000);
  const ids = taken(stack);
  assert.deepEqual([...new Set(ids)], ids, 'no id is given again, also none that the backup does not know');
});
