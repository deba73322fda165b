import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { saveChat } from '#api/contract/chat.ts';
import { createProfile, readCoin } from '#api/contract/profiles.ts';
import { listProposals, proposeOrder } from '#api/contract/proposals.ts';
import { createToken } from '#api/contract/tokens.ts';
import { type Client, createClient } from '#api/script-client.ts';
import { TelegramServer } from '#test/api/telegram.ts';
import { rulesLoaded } from './profile.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
let stack: Stack;
let telegram: TelegramServer;
let profileId: ProfileId;
let program: Client;

before(async () => {
  telegram = await TelegramServer.open();
  stack = await openStack({ source: { kind: 'synthetic' }, outgoingPrivate: 'allow' });
  const { accountId } = stack;
  const profile = { accountId, name: 'Held', strategyName: 'hold', enabled: true, symbols: [SYMBOL] };
  profileId = (await stack.call(createProfile, { body: profile })).profile.id;
  const budget = { asset: 'USDT', perOrder: '100', perDay: '10000' };
  const { token } = await stack.call(createToken, { body: { name: 'Assistant', scopes: ['trade'], budget } });
  const url = `http://127.0.0.1:${stack.api.port}`;
  program = createClient({ url, token, credentials: () => assert.fail('a token needs no password') });
  const chat = { chatId: '42', userIds: ['7'], serverUrl: telegram.url };
  await stack.call(saveChat, { body: { botToken: telegram.token, ...chat } });
  await rulesLoaded(stack, params());
});
after(async () => {
  await stack[Symbol.asyncDispose]();
  await telegram[Symbol.asyncDispose]();
});

/** Writes a message and returns the answer of this form. */
async function ask(text: string, form: RegExp): Promise<string> {
  const count = telegram.sent.length;
  telegram.write(text);
  return until(`an answer to ${text}`, () => telegram.sent.slice(count).find((sent) => form.test(sent.text))?.text);
}
const first = (form: RegExp, text: string): string => form.exec(text)?.[1] ?? assert.fail(text);
const codeIn = (text: string): string => first(/Send (\d{6}) within/, text);
const params = () => ({ id: profileId, symbol: SYMBOL });
const orders = async () => (await stack.call(readCoin, { params: params() })).orders;

/** A program proposes to buy; returns the message about it in the chat. */
async function propose(): Promise<string> {
  const count = telegram.sent.length;
  const order = { side: 'buy', type: 'market', quoteAmount: '50' } as const;
  await program.call(proposeOrder, { params: params(), body: { order, reason: 'The dip is over' } });
  return until(
    'the proposal in the chat',
    () => telegram.sent.slice(count).find(({ text }) => text.startsWith('A program proposes'))?.text,
  );
}

test('a proposal arrives in the chat with its numbers, and its code places one order', async () => {
  const message = await propose();
  assert.match(
    message,
    /Buy [\d.]+ BTCUSDT for [45]\d\.\d\d USDT at [\d.]+\nFee .*\nWorst loss .*\nProposed by Assistant: The dip/s,
  );
  const answer = await ask(first(/(\/approve_\w+)/, message), /Send \d/);
  assert.match(answer, /Buy [\d.]+ BTCUSDT for [45]/);
  const code = codeIn(answer);
  assert.match(await ask(code, /./), /Approved/);
  await until('the order to fill', async () => (await orders()).find(({ state }) => state === 'filled'));
  assert.match(await ask(code, /./), /No command waits/);
  assert.equal((await orders()).length, 1);
  assert.match(await ask('/positions', /./), /BTCUSDT \(Held\): [\d.]+ bought at/);
});

test('a denied proposal places nothing', async () => {
  const message = await propose();
  assert.match(await ask(first(/(\/deny_\w+)/, message), /./), /^Denied/);
  assert.match(await ask(first(/(\/approve_\w+)/, message), /./), /No program proposes|No open proposal/);
  const { proposals } = await stack.call(listProposals, {});
  assert.equal(proposals[0]?.state, 'denied');
});

test('/sell sells the whole position with its code', async () => {
  const answer = await ask('/sell btc', /./);
  assert.match(answer, /Sell the whole position at the market:\nBTCUSDT \(Held\)/);
  assert.match(await ask(codeIn(answer), /./), /The worker sells BTCUSDT now/);
  await until('the sale to fill', async () =>
    (await orders()).find(({ side, state }) => side === 'sell' && state === 'filled'),
  );
});
