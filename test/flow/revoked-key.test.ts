import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAccountHealth } from '#api/contract/account-state.ts';
import { listAccounts, verifyApiKey } from '#api/contract/accounts.ts';
import { startDiagnosis } from '#api/contract/diagnosis.ts';
import { control } from '#test/paper/test-server.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { startProfile } from './profile.ts';
import { openStack } from './stack.ts';
import { until } from './until.ts';

test('a key that the exchange revokes while the account runs is shown as refused, and works again once it is valid', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-revoked-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  writeSwingingCandles(folder, 24 * 60);
  const source = { kind: 'replay', folder } as const;
  const stack = resources.use(await openStack({ source, fromMs: MARKET_START + 3_600_000 }));
  const statusOf = async () =>
    (await stack.call(listAccounts, {})).accounts.find(({ id }) => id === stack.accountId)?.apiKey?.status;
  const healthOf = async () => stack.call(readAccountHealth, { params: { id: stack.accountId } });
  const id = await startProfile(stack, ['BTCUSDT']);
  await until('the account to run', async () => (await healthOf()).walletAt !== null);
  await until('a key that was checked', async () => (await statusOf()) === 'healthy');

  await control(stack.paper, 'POST /keys', { account: 'a', revoked: true });
  await until('the key to be shown as refused', async () => (await statusOf()) === 'error', 60_000);
  assert.equal((await healthOf()).apiKey?.status, 'error');
  const { report } = await stack.call(startDiagnosis, { params: { id }, query: {} });
  const key = report?.checks.find((check) => check.id === 'key');
  assert.equal(key?.status, 'fail', JSON.stringify(key));

  await control(stack.paper, 'POST /keys', { account: 'a', revoked: false });
  await stack.call(verifyApiKey, { params: { id: stack.accountId } });
  await until('the key to work again', async () => (await statusOf()) === 'healthy', 90_000);
});
