import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { acquireLease, releaseLease, renewLease } from './leases.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { AT, seedAccount, seedUser } from '#test/harness/test-trading.ts';

const ttlMs = 60_000;

describe('account leases', () => {
  it('one of several workers holds the lease until it is released', async () => {
    await using test = await openTestDatabase();
    const accountId = await seedAccount(test.database, await seedUser(test.database));
    const holders = Array.from({ length: 6 }, (_, index) => `worker-${index}`);
    const taken = await Promise.all(holders.map((holder) => acquireLease(test.database, { accountId, holder, ttlMs })));
    const [winner, ...rest] = taken.filter((lease) => lease !== undefined);
    assert.ok(winner !== undefined && rest.length === 0);
    await releaseLease(test.database, { accountId, fencing: winner.fencing });
    const next = await acquireLease(test.database, { accountId, holder: 'later', ttlMs });
    assert.ok(next !== undefined && next.fencing > winner.fencing);
  });

  it('give a restarted worker of the same slot a new number and cut off the old one', async () => {
    await using test = await openTestDatabase();
    const accountId = await seedAccount(test.database, await seedUser(test.database));
    const old = await acquireLease(test.database, { accountId, holder: 'slot', ttlMs });
    const restarted = await acquireLease(test.database, { accountId, holder: 'slot', ttlMs });
    assert.ok(old !== undefined && restarted !== undefined && restarted.fencing > old.fencing);
    assert.equal(await renewLease(test.database, { accountId, fencing: old.fencing, ttlMs }), false);
    await releaseLease(test.database, { accountId, fencing: old.fencing });
    assert.equal(await renewLease(test.database, { accountId, fencing: restarted.fencing, ttlMs }), true);
  });

  it('pass to another worker once expired', async () => {
    await using test = await openTestDatabase();
    const accountId = await seedAccount(test.database, await seedUser(test.database));
    const first = await acquireLease(test.database, { accountId, holder: 'first', ttlMs });
    assert.equal(await acquireLease(test.database, { accountId, holder: 'second', ttlMs }), undefined);
    await test.database.kysely.updateTable('account_leases').set({ expires_at: AT }).execute();
    const second = await acquireLease(test.database, { accountId, holder: 'second', ttlMs });
    assert.ok(first !== undefined && second !== undefined && second.fencing > first.fencing);
    assert.equal(await renewLease(test.database, { accountId, fencing: first.fencing, ttlMs }), false);
  });
});
