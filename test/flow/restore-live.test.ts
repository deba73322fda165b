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
  await stack.call(signIn, { body: CREDENTIALS });
  const health = async () => stack.call(readAccountHealth, { params: { id: stack.accountId } });
  await until('a worker holds the account again', async () => (await health()).worker !== null, 120_000);
  assert.deepEqual(
    (await health()).halts.map(({ scope }) => scope),
    ['all'],
  );
  const halted = await entries(stack);
  const ticked = async () =>
    (await stack.database.pool.query(`select max(last_at) as at from action_logs where ctx->>'event' = 'decision'`))
      .rows[0].at;
  const before = await ticked();
  await until('ticks of a market day', async () => Number(await ticked()) - Number(before) > 24 * 3_600_000, 120_000);
  assert.equal(await entries(stack), halted, 'nothing was bought in a day full of swings');
  await stack.call(setKillSwitch, { body: { engaged: false } });
  await until('it buys again', async () => (await entries(stack)) > halted, 120_000);
});
