import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { saveChat } from '#api/contract/chat.ts';
import { signUp } from '#api/contract/session.ts';
import { TelegramServer } from '#test/api/telegram.ts';
import { createClient } from '#test/flow/client.ts';
import { openDice } from '#test/flow/random.ts';
import { until } from '#test/flow/until.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';

/** Each takes 5 s to 40 s; CHAT_SEEDS=200 is the long one. */
const SEEDS = Number(process.env['CHAT_SEEDS'] ?? 4);
const FIRST = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
const SIGNALS = { kill: 'SIGKILL', pause: 'SIGSTOP', stop: 'SIGTERM' } as const;
const CRASHES = ['kill', 'pause', 'kill', 'stop'] as const;

/** An api process. */
interface Replica extends AsyncDisposable {
  readonly process: ChildProcess;
  readonly url: string;
  /** Whether it has the lock of the chat, as its log says. */
  reads(): boolean;
}

let telegram: TelegramServer;
let held: TestDatabase;
const replicas = new Set<Replica>();
let haltsWritten = 0;

before(async () => {
  telegram = await TelegramServer.open();
  held = await openTestDatabase();
  const { url } = await openReplica();
  const client = createClient(`${url}/api`);
  await client.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
  const chat = { chatId: '42', userIds: ['7'], serverUrl: telegram.url };
  await client.call(saveChat, { body: { botToken: telegram.token, ...chat } });
});
after(async () => {
  for (const replica of replicas) await replica[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
  await held[Symbol.asyncDispose]();
});

async function openReplica(): Promise<Replica> {
  const env = { ...process.env, DATABASE_URL: held.url, PORT: '0', OUTGOING_PRIVATE: 'allow', LOG_LEVEL: 'info' };
  const child = spawn(process.execPath, ['api/main.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  const port = await until('the api to start', () => /"api_started".*?"port":(\d+)/.exec(output)?.[1]);
  const replica: Replica = {
    process: child,
    url: `http://127.0.0.1:${port}`,
    reads: () => output.lastIndexOf('"chat_taken"') > output.lastIndexOf('"chat_lost"'),
    async [Symbol.asyncDispose]() {
      replicas.delete(replica);
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
  replicas.add(replica);
  return replica;
}

const title = `${SEEDS} rounds of messages while the one of two apis that reads the chat dies (first seed ${FIRST})`;
test(`${title}: none is answered twice, and none is lost`, { timeout: 120_000 + SEEDS * 120_000 }, async () => {
  for (let i = 0; i < SEEDS; i++) await runRound(FIRST + i, CRASHES[i % CRASHES.length] ?? 'kill');
  const { rows } = await held.database.pool.query(
    `select count(*)::int as halts from audit_logs where action = 'kill-switch.engage'`,
  );
  assert.deepEqual(rows, [{ halts: SEEDS }], 'each /halt is carried out once');
});

test('an answer that arrived just before a pause is not sent again after it', { timeout: 240_000 }, async () => {
  while (replicas.size < 2) await openReplica();
  await held.database.pool.query('delete from cache_hits; delete from kill_switches');
  const paused = await reader();
  const sent = telegram.sent.length;
  telegram.isSilent = true;
  telegram.write('/halt');
  await until('the answer to arrive', () => haltsAnswered(sent) === 1);
  paused.process.kill('SIGSTOP');
  telegram.isSilent = false;
  const [other] = [...replicas].filter((replica) => replica !== paused);
  await until('the takeover', () => other?.reads() === true);
  paused.process.kill('SIGCONT');
  await until('the first api to lose the chat', () => !paused.reads());
  // Its request has ended without an answer: it would be sent again after two seconds.
  await delay(5_000);
  assert.equal(haltsAnswered(sent), 1);
});

/** The one replica that reads the chat. */
async function reader(): Promise<Replica> {
  const found = await until('an api to read the chat', () => [...replicas].find((replica) => replica.reads()));
  assert.equal([...replicas].filter((replica) => replica.reads()).length, 1, 'two apis read the chat');
  return found;
}

const haltsAnswered = (since: number): number =>
  telegram.sent.slice(since).filter(({ text }) => text.startsWith('Buying is stopped')).length;

async function runRound(seed: number, crash: (typeof CRASHES)[number]): Promise<void> {
  while (replicas.size < 2) await openReplica();
  const dice = openDice(seed);
  const name = `seed ${seed}, ${crash}`;
  const dying = await reader();
  const sent = telegram.sent.length;
  const { conflicts } = telegram;
  const coins: string[] = [];
  const ids: number[] = [];
  const write = (count: number): void => {
    for (let i = 0; i < count; i++) {
      const coin = `X${seed}N${coins.length}`;
      coins.push(coin);
      ids.push(telegram.write(`/why ${coin}`));
    }
  };
  // The messages of a minute are limited, and only a switch that is released can be engaged.
  await held.database.pool.query('delete from cache_hits; delete from kill_switches');
  write(Math.floor(dice.between(0, 3)));
  ids.push(telegram.write('/halt'));
  haltsWritten += 1;
  write(Math.floor(dice.between(0, 3)));
  await delay(dice.between(0, 150));
  dying.process.kill(SIGNALS[crash]);
  if (crash !== 'pause') {
    await until(`${name}: its end`, () => dying.process.exitCode !== null || dying.process.signalCode !== null);
    replicas.delete(dying);
  }
  write(1);
  const sinceMs = performance.now();
  const [other] = [...replicas].filter((replica) => replica !== dying);
  await until(`${name}: the takeover`, () => other?.reads() === true);
  console.log(`  ${name}: the other api reads the chat after ${Math.round(performance.now() - sinceMs)} ms`);
  await until(`${name}: the messages to be handled`, () => ids.every((id) => telegram.confirmed.includes(id)));
  dying.process.kill('SIGCONT');
  if (crash === 'pause') await until(`${name}: the first api to lose the chat`, () => !dying.reads());
  else assert.equal(telegram.conflicts, conflicts, `${name}: two apis polled at once`);
  write(1);
  const last = coins.at(-1) ?? '';
  const answersTo = (coin: string): number =>
    telegram.sent.slice(sent).filter(({ text }) => new RegExp(`\\b${coin}\\b`).test(text)).length;
  await until(`${name}: the answer to the last message`, () => answersTo(last) > 0);
  await until(`${name}: the last message to be handled`, () => telegram.confirmed.includes(ids.at(-1) ?? 0));
  const notes = telegram.sent.slice(sent).filter(({ text }) => text.startsWith('The service restarted')).length;
  const counts = [...coins.map(answersTo), haltsAnswered(sent)];
  // An api that was paused may answer the /halt of its round in a later one, after a note.
  assert.ok(haltsAnswered(0) <= haltsWritten, `${name}: ${haltsAnswered(0)} answers to ${haltsWritten} times /halt`);
  assert.ok(
    coins.every((coin) => answersTo(coin) <= 1),
    `${name}: answered twice: ${counts.join()}`,
  );
  const unanswered = counts.filter((count) => count === 0).length;
  assert.ok(unanswered === 0 || notes > 0, `${name}: ${unanswered} without an answer or a note`);
}
