import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '#test/flow/until.ts';
import { olderCommit } from './older-commit.ts';
import {
  cloneIt,
  FIRST_START_MS,
  fills,
  git,
  onboard,
  OPERATOR,
  skip,
  startService,
  statusOf,
  stopService,
  TRADE_MS,
  typed,
  useStranger,
  Visitor,
} from './stranger.ts';

useStranger();
const OPTIONS = { skip, timeout: 390_000 };

test('an installation of an older commit is upgraded where it stands', OPTIONS, async (context) => {
  const older = olderCommit();
  if (older === undefined) {
    const why = 'the history of this checkout is cut off, so there is no older version to upgrade from';
    console.log(`﹣ the upgrade of the stranger's path: ${why}`);
    context.skip(why);
    return;
  }
  await cloneIt(older);
  const first = startService('upgraded');
  const visitor = new Visitor(await first.url(FIRST_START_MS));
  const profile = await onboard(visitor);
  const old = await statusOf(visitor);
  assert.ok(old.shas.includes(older));
  await stopService(first);

  const commit = git('rev-parse', 'HEAD');
  await typed(`cd tradewind && git checkout --quiet ${commit}`);
  const start = startService('upgraded');
  const again = new Visitor(await start.url(FIRST_START_MS));
  await again.send('POST', '/auth/sign-in', OPERATOR);
  const kept = await fills(again, profile);
  assert.ok(kept > 0, 'the trades are still there');
  await until('it trades on', async () => (await fills(again, profile)) > kept, TRADE_MS);
  const { shas, migratedMs } = await statusOf(again);
  assert.deepEqual(shas, [commit, commit]);
  assert.ok(migratedMs > old.migratedMs, 'the new version migrated');
  await stopService(start);
});
