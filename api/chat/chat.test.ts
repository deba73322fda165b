import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { deleteChat, readChat, saveChat } from '#api/contract/chat.ts';
import { readKillSwitch, setKillSwitch } from '#api/contract/halts.ts';
import { listAuditLogs } from '#api/contract/upkeep.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { TelegramServer } from '#test/api/telegram.ts';
import { until } from '#test/flow/until.ts';

const lines: string[] = [];
let api: TestApi;
let telegram: TelegramServer;
before(async () => {
  telegram = await TelegramServer.open();
  api = await openTestApi({ logTo: { write: (line) => void lines.push(line) } });
  await api.signUp();
  await api.addProfile('Dips', { symbols: ['SOLUSDT'] });
  await save();
});
after(async () => {
  await api[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});

const save = (change: object = {}) =>
  api.call(saveChat, {
    body: { botToken: telegram.token, chatId: '42', userIds: ['7'], serverUrl: telegram.url, ...change },
  });

/** Writes a message and returns the answer to it. */
async function ask(text: string, from: Parameters<TelegramServer['write']>[1] = {}): Promise<string> {
  const count = telegram.sent.length;
  telegram.write(text, from);
  return until(`an answer to ${text}`, () => telegram.sent[count]?.text);
}
const codeIn = (text: string): string => /Send (\d{6}) within/.exec(text)?.[1] ?? assert.fail(text);
const isHalted = async (): Promise<boolean> => (await api.call(readKillSwitch, {})).engaged;
const audits = async () => (await api.call(listAuditLogs, { query: { limit: '200' } })).rows;
/** The commands of a minute are limited: each test starts without earlier ones. */
const forgetCount = () => api.database.pool.query('delete from cache_hits');

for (const [text, answer] of [
  ['/help', /\/halt: stops buying at once/],
  ['/start', /Commands:/],
  ['/status', /The kill switch is released\..*0 of 1 profiles run/s],
  ['/positions', /There is no open position/],
  ['/profit', /Dips account: P&L today/],
  ['/profit week', /Dips account, last week: P&L 0/],
  ['/profit year', /Choose \/profit/],
  ['/why SOL', /No profile trades SOL|SOLUSDT \(Dips\), last 24 h: 0 decisions/],
  ['/why SOLUSDT 3d', /SOLUSDT \(Dips\), last 72 h: 0 decisions/],
  ['/why', /Name the coin/],
  ['/why SOLUSDT soon', /Give the time as/],
  ['/why XYZ', /No profile trades XYZ/],
  ['/proposals', /No program proposes an order/],
  ['/approve', /No program proposes an order/],
  ['/deny_12345678', /No program proposes an order/],
  ['/sell', /Name the coin/],
  ['/sell SOL', /No profile holds SOL/],
  ['/resume', /is not engaged/],
  ['/resume Nothing', /There is no Nothing: Dips/],
  ['/halt Nothing', /Nothing is stopped\./],
  ['/buy SOL', /There is no such command/],
  ['123456', /No command waits for a code/],
] as const)
  test(`${text} is answered`, async () => {
    await forgetCount();
    assert.match(await ask(text), answer);
  });

test('/halt stops buying at once, and the audit log names the user of Telegram', async () => {
  assert.match(await ask('/halt'), /Buying is stopped everywhere/);
  assert.equal(await isHalted(), true);
  const row = (await audits()).find(({ action }) => action === 'kill-switch.engage');
  assert.deepEqual(row?.actor, { kind: 'telegram', id: '7', name: 'Ann' });
});

test('/resume allows buying again only with its code', async () => {
  await ask('/halt');
  const code = codeIn(await ask('/resume'));
  assert.equal(await isHalted(), true);
  assert.match(await ask(code), /allowed again/);
  assert.equal(await isHalted(), false);
});

test('a code works once', async () => {
  await ask('/halt');
  const code = codeIn(await ask('/resume'));
  await ask(code);
  await ask('/halt');
  assert.match(await ask(code), /No command waits/);
  assert.equal(await isHalted(), true);
});

test('the third wrong code voids the command', async () => {
  await forgetCount();
  await ask('/halt');
  const code = codeIn(await ask('/resume'));
  const wrong = code === '000000' ? '000001' : '000000';
  assert.match(await ask(wrong), /not the code/);
  assert.match(await ask(wrong), /not the code/);
  assert.match(await ask(wrong), /third time/);
  assert.match(await ask(code), /No command waits/);
  assert.equal(await isHalted(), true);
});

test('only the newest code is valid', async () => {
  await forgetCount();
  await ask('/halt');
  const first = codeIn(await ask('/resume'));
  const second = codeIn(await ask('/resume'));
  if (first !== second) assert.match(await ask(first), /not the code/);
  assert.match(await ask(second), /allowed again/);
});

test('a command that changes something voids the code that waits', async () => {
  await forgetCount();
  await ask('/halt');
  const code = codeIn(await ask('/resume'));
  await ask('/halt');
  assert.match(await ask(code), /No command waits/);
});

test('an expired code does nothing', async () => {
  await forgetCount();
  await ask('/halt');
  const code = codeIn(await ask('/resume'));
  await api.database.pool.query(`update chat set code_expires_at = clock_timestamp() - interval '1 second'`);
  assert.match(await ask(code), /has expired/);
  assert.match(await ask(code), /No command waits/);
  assert.equal(await isHalted(), true);
});

test('/halt of the chat does not weaken a switch that also stops exits', async () => {
  await forgetCount();
  await api.call(setKillSwitch, { body: { engaged: true, freeze: true } });
  await ask('/halt');
  assert.equal((await api.call(readKillSwitch, {})).freeze, true);
});

test('a profile is stopped and released alone', async () => {
  await forgetCount();
  await api.call(setKillSwitch, { body: { engaged: false } });
  assert.match(await ask('/halt dips'), /Buying of Dips is stopped/);
  assert.equal(await isHalted(), false);
  assert.match(await ask(codeIn(await ask('/resume dips'))), /allowed again/);
});

test('messages of other chats and users are counted, and get no answer', async () => {
  await forgetCount();
  const { chat: before } = await api.call(readChat, {});
  const count = telegram.sent.length;
  for (let i = 0; i < 150; i++) telegram.write('/halt', { chat: 43 });
  telegram.write('/halt', { user: 8 });
  const last = telegram.write('/halt', { chat: 43, user: 8 });
  await until('the messages to be confirmed', () => telegram.confirmed.includes(last));
  assert.equal(telegram.sent.length, count);
  assert.equal(await isHalted(), false);
  const { chat } = await api.call(readChat, {});
  assert.equal((chat?.ignored ?? 0) - (before?.ignored ?? 0), 152);
});

test('a flood is dropped after 20 messages a minute with one answer, and /halt still works', async () => {
  await forgetCount();
  const count = telegram.sent.length;
  for (let i = 0; i < 60; i++) telegram.write('/help');
  telegram.write('/halt');
  await until('the answer to /halt', () => telegram.sent.find(({ text }, i) => i >= count && /is stopped/.test(text)));
  const answers = telegram.sent.slice(count).map(({ text }) => text.split('\n')[0]?.slice(0, 20));
  assert.deepEqual(answers, [...Array<string>(20).fill('Commands:'), 'More than 20 message', 'Buying is stopped ev']);
  assert.equal(await isHalted(), true);
});

test('a late message is dropped, but /halt is not', async () => {
  await forgetCount();
  // Messages from before the setup are ignored.
  await api.database.pool.query(`update chat set since = clock_timestamp() - interval '1 day'`);
  await api.call(setKillSwitch, { body: { engaged: false } });
  assert.match(await ask('/status', { ageSeconds: 3600 }), /a minute late/);
  assert.match(await ask('/halt', { ageSeconds: 3600 }), /is stopped/);
});

test('a message from before the setup is ignored, /halt too', async () => {
  await forgetCount();
  await api.call(setKillSwitch, { body: { engaged: false } });
  await save();
  telegram.write('/halt', { ageSeconds: 30 });
  await ask('/help');
  assert.equal(await isHalted(), false);
});

test('a conflict with another program is reported and waited out', async () => {
  await forgetCount();
  telegram.refusals.getUpdates.push({ status: 409 });
  // The message ends the poll that waits, and the next one is refused.
  assert.match(await ask('/help'), /Commands/);
  await until('the conflict in the log', () => lines.some((line) => line.includes('answered 409')));
  assert.match(await ask('/help'), /Commands/);
  await until('the end of the problem', async () => (await api.call(readChat, {})).chat?.problem === null);
});

test('limits of Telegram delay an answer and lose none', async () => {
  await forgetCount();
  telegram.refusals.sendMessage.push({ status: 429, retryAfter: 1 }, { status: 500 });
  telegram.refusals.getUpdates.push({ status: 429, retryAfter: 1 });
  assert.match(await ask('/help'), /Commands/);
});

test('updates that are numbered from the start again after a quiet week are read', async () => {
  await forgetCount();
  await api.database.pool.query(`update chat set handled_at = clock_timestamp() - interval '8 days'`);
  telegram.renumber(10);
  await save();
  assert.match(await ask('/help'), /Commands/);
});

test('the bot token is in no answer, log or audit row', async () => {
  telegram.refusals.getUpdates.push({ status: 500 });
  await ask('/help');
  const shown = [...lines, JSON.stringify(await api.call(readChat, {})), JSON.stringify(await audits())].join('\n');
  assert.ok(lines.length > 0 && !shown.includes('CANARY'));
});

test('the stored token is not sent to another server', async () => {
  const body = { chatId: '42', userIds: ['7'], serverUrl: 'https://example.org' };
  const refusal = await api.refusal(saveChat, { body });
  assert.deepEqual(
    refusal.errors?.map(({ path }) => path),
    ['botToken'],
  );
});

test('a chat that is switched off or removed carries nothing out', async () => {
  await api.call(setKillSwitch, { body: { engaged: false } });
  const { chat } = await save({ botToken: undefined, enabled: false });
  assert.equal(chat?.enabled, false);
  const polls = telegram.polls;
  telegram.write('/halt');
  await api.call(deleteChat, {});
  assert.equal((await api.call(readChat, {})).chat, null);
  assert.equal((await api.send(deleteChat, {})).status, 404);
  assert.equal(await isHalted(), false);
  assert.ok(telegram.polls <= polls + 1);
});
