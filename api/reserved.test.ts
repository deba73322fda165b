import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setKillSwitch } from '#api/contract/halts.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { currentSession, signIn, status } from '#api/contract/session.ts';
import { EMAIL, openTestApi, PASSWORD } from '#test/api/test-api.ts';

test('kill switch, session and status answer while no connection is left for anything else', async (context) => {
  await using api = await openTestApi();
  await api.signUp();
  const { pool } = api.context.database;
  const taken = await Promise.all(Array.from({ length: pool.options.max }, () => pool.connect()));
  let answered = false;
  const other = api.send(listProfiles, {}).finally(() => {
    answered = true;
  });
  try {
    const sinceMs = performance.now();
    const halt = await api.call(setKillSwitch, { body: { engaged: true, reason: 'now' } });
    assert.equal(halt.engaged, true);
    const session = await api.call(currentSession, {});
    await api.call(status, {});
    context.diagnostic(`three answers in ${Math.round(performance.now() - sinceMs)} ms`);
    const again = await api.call(signIn, { body: { email: EMAIL, password: PASSWORD } }, { cookie: null });
    assert.equal(again.user.email, session.user.email, 'also for an operator who is not signed in');
    assert.equal(answered, false, 'everything else waits for a connection');
  } finally {
    for (const client of taken) client.release();
  }
  assert.equal((await other).status, 200);
});
