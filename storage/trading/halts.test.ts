import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engageHalt, listHalts, readHalt, releaseHalt } from './halts.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { seedUser } from '#test/harness/test-trading.ts';

const all = { scope: 'all', subject: 'all' } as const;

describe('kill switches', () => {
  it('engage once, keep their time when engaged again, and are released', async () => {
    await using test = await openTestDatabase();
    const userId = await seedUser(test.database);
    const first = await engageHalt(test.database, { ...all, reason: 'drill', freeze: false, userId });
    const again = await engageHalt(test.database, {
      ...all,
      reason: 'worse',
      freeze: true,
      cancelEntries: true,
      userId,
    });
    assert.deepEqual(again, { ...all, reason: 'worse', freeze: true, cancelEntries: true, since: first.since });
    const { by, ...read } = (await readHalt(test.database, all)) ?? { by: null };
    assert.deepEqual(read, again);
    assert.match(by ?? '', /@example.org$/);
    assert.deepEqual(await listHalts(test.database), [again]);
    assert.equal(await releaseHalt(test.database, all), true);
    assert.equal(await releaseHalt(test.database, all), false);
    assert.deepEqual(await listHalts(test.database), []);
  });

  it('are kept or dropped with the transaction they are engaged in', async () => {
    await using test = await openTestDatabase();
    const work = test.database.transaction(async (transaction) => {
      await engageHalt(transaction, { ...all, reason: '', freeze: false, userId: null });
      throw new Error('something else failed');
    });
    await assert.rejects(work, /something else failed/);
    assert.deepEqual(await listHalts(test.database), []);
  });
});
