import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { saveChat } from '#api/contract/chat.ts';
import { signUp } from '#api/contract/session.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { TelegramServer } from '#test/api/telegram.ts';
import { createClient } from '#test/flow/client.ts';
import { type Dice, openDice } from '#test/flow/random.ts';
import { until } from '#test/flow/until.ts';
import { type App, startApp } from './app.ts';

/** CHAT_SEEDS=200 is the long one. */
const SEEDS = Number(process.env['CHAT_SEEDS'] ?? 4);
const FIRST = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);

const folder = mkdtempSync(join(tmpdir(), 'tradewind-chat-'));
chmodSync(folder, 0o711);
after(() => rmSync(folder, { recursive: true, force: true }));

const title = `${SEEDS} rounds of commands in the chat while the api dies (first seed ${FIRST})`;
test(`${title}: each is carried out once, and none is lost`, { timeout: 120_000 + SEEDS * 60_000 }, async () => {
  await using telegram = await TelegramServer.open();
  await using app = await startApp({
    dataDir: join(folder, 'data'),
    args: ['--port', '0'],
    env: { OUTGOING_PRIVATE: 'allow' },
  });
  const client = createClient(`${app.url}/api`);
  await client.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
  const chat = { chatId: '42', userIds: ['7'], serverUrl: telegram.url };
  await client.call(saveChat, { body: { botToken: telegram.token, ...chat } });
  const read = (name: string): string => readFileSync(join(folder, 'data', 'postgres', name), 'utf8').trim();
  await using database = openDatabase(`postgres://tradewind:${read('password')}@127.0.0.1:${read('port')}/tradewind`);
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
    await runRound({ app, telegram, database, dice: openDice(seed), name: `seed ${seed}` });
  const { rows } = await database.pool.query(
    `select action, count(*)::int as count from audit_logs where actor ->> 'kind' = 'telegram' group by action order by action`,
  );
  assert.deepEqual(rows, [
    { action: 'kill-switch.engage', count: SEEDS },
    { action: 'kill-switch.release', count: SEEDS },
  ]);
});

interface Round {
  readonly app: App;
  readonly telegram: TelegramServer;
  readonly database: Database;
  readonly dice: Dice;
  readonly name: string;
}

/** Stops buying, allows it again with a code, and checks after each message what is stored. */
async function runRound({ app, telegram, database, dice, name }: Round): Promise<void> {
  const isHalted = async (): Promise<boolean> =>
    (await database.pool.query(`select from halts where scope = 'all'`)).rowCount === 1;
  /** Writes a message while the api may die, and waits until it is handled. Returns what was sent meanwhile. */
  const write = async (text: string): Promise<string[]> => {
    const count = telegram.sent.length;
    const id = telegram.write(text);
    if (dice.chance(0.5)) {
      await delay(dice.between(0, 200));
      process.kill(await until('the api to run', () => app.pidOf('api')), 'SIGKILL');
    }
    await until(`${name}: ${text} to be handled`, () => telegram.confirmed.includes(id));
    // Either the answer or the note of the restart: no message stays without one.
    await until(`${name}: an answer to ${text}`, () => telegram.sent.length > count);
    return telegram.sent.slice(count).map((sent) => sent.text);
  };
  await database.pool.query(`delete from cache_hits`);
  await write('/halt');
  assert.equal(await isHalted(), true, `${name}: /halt`);
  for (let i = 0; i < 12 && (await isHalted()); i++) {
    const codes = (await write('/resume')).flatMap((text) => /Send (\d{6}) within/.exec(text)?.[1] ?? []);
    assert.equal(await isHalted(), true, `${name}: /resume waits for its code`);
    const [code] = codes;
    if (code !== undefined) await write(code);
  }
  assert.equal(await isHalted(), false, `${name}: released with a code`);
  await write('/help');
  assert.equal(await isHalted(), false, `${name}: an earlier /halt was repeated`);
}
