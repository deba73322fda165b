// A search of a log that is longer than one answer looks at.
import { after, before, test } from 'node:test';
import assert from 'node:assert/strict';
import { sql } from 'kysely';
import { DESKTOP } from './browser.ts';
import { type HistoryStage, openHistoryStage } from './history-stage.ts';

/** Longer than what is searched without a click: 5 pages of 10,000 rows. */
const ROWS = 70_000;
const [NEAR, FAR] = [24_000, 65_000];
let stage: HistoryStage;
let profileId: string;

before(async () => {
  stage = await openHistoryStage(2);
  ({ id: profileId } = (await stage.api.addProfile('Searched')).profile);
  await sql`insert into action_logs (id, profile_id, level, msg, first_at, last_at)
    select gen_random_uuid(), ${profileId}, 'info',
      case n when ${NEAR} then 'The near needle' when ${FAR} then 'The far needle' else 'Hay' end, at, at
    from (select n, now() - n * interval '1 second' as at from generate_series(1, ${ROWS}) n) made`.execute(
    stage.api.database.kysely,
  );
});
after(() => stage?.[Symbol.asyncDispose]());

test('a search continues over empty pages, says how far back it is, and goes on at a click', async () => {
  const page = await stage.open({ ...DESKTOP, colorScheme: 'dark' });
  page.setDefaultTimeout(60_000);
  await page.goto(`${stage.api.url}/profiles/${profileId}/logs`);
  await page.getByText('Hay').first().waitFor();
  await page.getByRole('searchbox', { name: 'Search' }).fill('needle');
  await page.getByText('The near needle').waitFor();
  await page.getByText(/^Searched back to .*\d\d:\d\d\.$/).waitFor();
  assert.equal(await page.getByText('The far needle').count(), 0);
  await page.getByRole('button', { name: 'Search older rows' }).click();
  await page.getByText('The far needle').waitFor();
  await page.getByText(/^Searched back to/).waitFor({ state: 'hidden' });
  assert.equal(await page.getByRole('button', { name: 'Search older rows' }).count(), 0);
});

test('a search without a match says so once every row was looked at', async () => {
  const page = await stage.open({ ...DESKTOP, colorScheme: 'dark' });
  page.setDefaultTimeout(60_000);
  await page.goto(`${stage.api.url}/profiles/${profileId}/logs`);
  await page.getByRole('searchbox', { name: 'Search' }).fill('nothing like it');
  await page.getByText('No rows match so far.').waitFor();
  await page.getByRole('button', { name: 'Search older rows', disabled: false }).click();
  await page.getByText('No rows match the filters.').waitFor();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stage.faults, []);
});
