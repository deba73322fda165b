import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedAccount, seedProfile, seedUser } from '#test/harness/test-trading.ts';
import { loadAccountsToRun, loadProfilesToRun, saveKeyStatus } from './worker-profiles.ts';

describe('what the worker runs', () => {
  it('loads accounts with and without keys, and the status of a key that is still the same', async () => {
    await using test = await openTestDatabase();
    const userId = await seedUser(test.database);
    const paper = await seedAccount(test.database, userId, 'Paper');
    const other = await seedAccount(test.database, userId, 'Other');
    const key = { account_id: paper, label: 'k', api_key: 'public', secret: 'private' };
    await test.database.kysely.insertInto('api_keys').values(key).execute();
    await saveKeyStatus(test.database, { accountId: paper, apiKey: 'replaced' }, { status: 'error', cause: 'old' });
    const [withKey, withoutKey] = await loadAccountsToRun(test.database);
    const account = { id: paper, name: 'Paper', exchangeMode: 'testnet', endpoint: 'paper', epoch: 1 };
    const unchecked = { status: null, cause: null, checkedAt: null };
    assert.deepEqual(withKey?.account, account);
    assert.deepEqual(withKey?.key, { accountId: paper, label: 'k', apiKey: 'public', secret: 'private', ...unchecked });
    assert.deepEqual([withoutKey?.account.id, withoutKey?.key], [other, null]);
    await saveKeyStatus(test.database, { accountId: paper, apiKey: 'public' }, { status: 'healthy', cause: null });
    assert.equal((await loadAccountsToRun(test.database))[0]?.key?.status, 'healthy');
  });

  it('loads every profile of the account with its coins and the stored config untouched', async () => {
    await using test = await openTestDatabase();
    const userId = await seedUser(test.database);
    const accountId = await seedAccount(test.database, userId);
    const id = await seedProfile(test.database, accountId, 'One');
    const disabled = await seedProfile(test.database, accountId, 'Two');
    await test.database.kysely.updateTable('profiles').set({ enabled: false }).where('id', '=', disabled).execute();
    await seedProfile(test.database, await seedAccount(test.database, userId, 'Other'), 'Elsewhere');
    const coins = [
      { profile_id: id, symbol: 'ETHUSDT' },
      { profile_id: id, symbol: 'BTCUSDT', override_config: '{"b":[1,2],"c":null}' },
    ];
    for (const coin of coins) await test.database.kysely.insertInto('profile_symbols').values(coin).execute();
    const common = { accountId, strategyName: 'hold', config: { a: 1 }, captureUntil: null };
    assert.deepEqual(await loadProfilesToRun(test.database, accountId), [
      {
        ...{ ...common, id, name: 'One', enabled: true },
        symbols: [
          { symbol: 'BTCUSDT', overrideConfig: { b: [1, 2], c: null }, version: 0 },
          { symbol: 'ETHUSDT', overrideConfig: {}, version: 0 },
        ],
      },
      { ...common, id: disabled, name: 'Two', enabled: false, symbols: [] },
    ]);
  });
});
