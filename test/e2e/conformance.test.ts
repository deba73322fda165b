import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { ownSha } from '#integrations/git-sha.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { until } from '#test/flow/until.ts';
import { shoot } from './browser.ts';
import { openExchange } from './exchange.ts';
import { ask, settle, type Stack, startStack } from './stack.ts';

let store: TestDatabase;
let stack: Stack;
let page: Page;
let profileId: string;
let sha: string;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;

before(async () => {
  store = await openTestDatabase();
  // The revision when it starts: a commit may follow meanwhile.
  sha = ownSha(undefined);
  stack = await startStack({ env: { DATABASE_URL: store.url } });
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(async () => {
  await stack?.[Symbol.asyncDispose]();
  await store?.[Symbol.asyncDispose]();
});

const get = (path: string): Promise<unknown> => ask(page, { method: 'GET', url: at(`/api${path}`) });
async function newestTick(): Promise<unknown> {
  const trace = await get('/profiles/:id/tick-trace?limit=1');
  const entries: readonly unknown[] = isObject(trace) && Array.isArray(trace['entries']) ? trace['entries'] : [];
  return isObject(entries[0]) ? entries[0]['id'] : undefined;
}
/** Until the newest decision is another one. */
async function nextTick(): Promise<void> {
  const before_ = await newestTick();
  await until('a decision', async () => (await newestTick()) !== before_);
}

/** Replaces the later answers of the status, as the worker's part is changed. */
async function answerStatus(change: (told: Record<string, unknown>) => unknown): Promise<void> {
  await page.unrouteAll({ behavior: 'wait' });
  await page.route('**/api/status', async (route) => {
    const told: unknown = await (await route.fetch()).json();
    assert.ok(isObject(told));
    await route.fulfill({ json: change(told) });
  });
}

test('the status bar polls the status, and says when the worker is down or has to be restarted', async () => {
  let polls = 0;
  page.on('request', (request) => (polls += request.url().endsWith('/api/status') ? 1 : 0));
  await page.goto(at('/'));
  await until('three polls of one page', () => polls >= 3);
  const told = await get('/status');
  assert.ok(isObject(told) && isObject(told['api']) && isObject(told['worker']));
  assert.deepEqual([told['api']['sha'], told['worker']['sha']], [sha, sha]);
  assert.match(String(told['api']['sha']), /^[0-9a-f]{40}$/);
  await page.getByText(/^\s*Web and worker on/).waitFor();

  const health = page.locator('.troubles');
  await answerStatus((one) => ({ ...one, worker: null }));
  await health.getByText('Worker down.').waitFor();
  await health.getByText(/down or has not written status since its last restart/).waitFor();
  await shoot(page, 'worker-down-dark');
  await answerStatus((one) => ({ ...one, worker: { ...Object(one['worker']), sha: 'f'.repeat(40) } }));
  await health.getByText('Restart the worker:').waitFor();
  await health.getByText(/it runs fffffff, this page is/).waitFor();
  await answerStatus((one) => ({ ...one, worker: { ...Object(one['worker']), bootedAt: '2020-01-01T00:00:00.000Z' } }));
  await health.getByText('it started before the latest change of the database.').waitFor();
  await health.getByText('Restart the worker:').waitFor();
  await page.unrouteAll({ behavior: 'wait' });
  await health.waitFor({ state: 'detached' });
});

test('a profile is switched off and on in the dashboard, and decides again', async () => {
  await page.goto(at('/profiles'));
  const row = page.getByRole('row', { name: /Dip ladder/ });
  await row.getByRole('switch', { name: 'On' }).click();
  await row.getByRole('switch', { name: 'Off' }).waitFor();
  await page.getByRole('heading', { name: '0 profiles running.' }).waitFor();
  await row.getByRole('switch', { name: 'Off' }).click();
  await row.getByRole('switch', { name: 'On' }).waitFor();
  await nextTick();
});

/** Screens with moments on them. */
const TIMED = [
  '/',
  '/profiles/:id',
  '/profiles/:id/logs',
  '/profiles/:id/history',
  '/profiles/:id/coins/BTCUSDT',
  '/profiles/:id/coins/BTCUSDT?tab=logs',
  '/activity',
  '/changes',
  '/settings',
];
const ZONE = 'Australia/Melbourne';

test('every time on every screen is shown in the zone of the operator', async () => {
  await ask(page, { method: 'PATCH', url: at('/api/account/settings'), data: { timezone: ZONE } });
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: ZONE,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  let seen = 0;
  const wrong: string[] = [];
  for (const path of TIMED) {
    await page.goto(at(path));
    await page.getByRole('heading', { level: 1 }).waitFor();
    await page.locator('time').nth(1).waitFor();
    const shown = await page
      .locator('time[datetime]')
      .evaluateAll((all) =>
        all.map((one) => [one.getAttribute('datetime') ?? '', one.textContent ?? '', one.getAttribute('title') ?? '']),
      );
    for (const [iso = '', text = '', title = ''] of shown) {
      seen += 1;
      const [clock] = /\d\d:\d\d/.exec(text) ?? [];
      const utc = `${iso.slice(0, 19).replace('T', ' ')} UTC`;
      if (clock !== parts.format(Date.parse(iso)) || title !== utc)
        wrong.push(`${path}: ${iso} is "${text}", "${title}"`);
    }
    // A moment in words outside of such an element would be in no user's zone.
    const loose = await page.evaluate(() => {
      const found: string[] = [];
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      while (texts.nextNode()) {
        const { textContent, parentElement } = texts.currentNode;
        if (parentElement?.closest('time, pre, select, script, style') != null) continue;
        if (/\d{4}-\d\d-\d\dT\d\d|\bUTC\b|\bGMT\b/.test(textContent ?? '')) found.push(textContent ?? '');
      }
      return found;
    });
    wrong.push(...loose.map((text) => `${path}: "${text}"`));
  }
  assert.deepEqual(wrong, []);
  assert.ok(seen > 50, `only ${seen} moments were seen`);
  await ask(page, { method: 'PATCH', url: at('/api/account/settings'), data: { timezone: 'UTC' } });
});

test('an order that the exchange refuses shows its reason and payload under the Context of its row', async () => {
  const payload = { code: -1013, msg: 'Filter failure: NOTIONAL', data: { more: 1 } };
  const match = { method: 'POST', path: '/api/v3/order', text: 'side=BUY' };
  const faults = [{ match, kind: 'fail-before', status: 400, body: payload }];
  await openExchange(stack).control('POST /faults', faults);
  const order = { side: 'buy', type: 'market', quoteAmount: '40' };
  await ask(page, { method: 'POST', url: at('/api/profiles/:id/symbols/BTCUSDT/orders'), data: { order } });
  await page.goto(at('/profiles/:id/logs'));
  const row = page
    .getByRole('listitem')
    .filter({ hasText: /The exchange refused .*Filter failure: NOTIONAL/ })
    .filter({ hasText: '"order_rejected"' })
    .first();
  await row.getByText('Context').click();
  const text = (await row.locator('pre').textContent()) ?? '';
  assert.deepEqual(JSON.parse(text).payload, payload);
  await shoot(page, 'refused-order-dark');
});

test('a stored value above its maximum is repaired in the profile form, and one of a coin in its override editor', async () => {
  const { pool } = store.database;
  const set = (table: string, column: string) =>
    pool.query(
      `update ${table} set ${column} = jsonb_set(jsonb_set(${column}, '{buy}', coalesce(${column} -> 'buy', '{}')), '{buy,candleLimit}', '1500')`,
    );
  await set('profiles', 'config');
  await set('profile_symbols', 'override_config');
  const places = [
    ['', '999', '/profiles/:id/config'],
    ['BTCUSDT', '998', '/profiles/:id/config?coin=BTCUSDT'],
  ] as const;
  for (const [coin, legal, path] of places) {
    await page.goto(at(path));
    const field = page.getByLabel('Candles of the low', { exact: true });
    await field.waitFor();
    assert.equal(await field.inputValue(), '1500', coin);
    await page.getByLabel('Cool-down after a loss', { exact: true }).fill(coin === '' ? '7' : '8');
    await page.getByRole('button', { name: /^Save (settings|\d+ changes)$/ }).click();
    await page.getByRole('alert').getByText('at most 999').first().waitFor();
    await shoot(page, `above-maximum${coin}-dark`);
    await field.fill(legal);
    await page.getByRole('button', { name: /^Save (settings|\d+ changes)$/ }).click();
    await page.getByText('Nothing is changed.').waitFor();
    const warning = page.getByRole('status').filter({ hasText: 'Saved, but order sizing was not verified:' });
    // The coin's own setting is still above the maximum when the profile has been repaired.
    if (coin === '') await warning.getByText(/BTCUSDT: The saved settings cannot be parsed/).waitFor();
    else assert.equal(await warning.count(), 0);
  }
  const { rows } = await pool.query(
    `select config -> 'buy' ->> 'candleLimit' as profile, override_config -> 'buy' ->> 'candleLimit' as coin
     from profiles join profile_symbols on profile_id = id`,
  );
  assert.deepEqual(rows, [{ profile: '999', coin: '998' }]);
  stack.faults.splice(0, stack.faults.length, ...stack.faults.filter((fault) => !fault.includes('422')));
});

test('a session that ends in the page shows the login automatically', async () => {
  await page.goto(at('/'));
  await page.getByRole('heading', { level: 1 }).waitFor();
  await page.evaluate(() => Reflect.set(window, 'neverReloaded', true));
  await store.database.kysely.deleteFrom('sessions').execute();
  await page.getByRole('heading', { name: 'Sign in to see what your account does.' }).waitFor();
  assert.equal(await page.evaluate(() => Reflect.get(window, 'neverReloaded')), true);
  await shoot(page, 'signed-out-dark');
  stack.faults.splice(0, stack.faults.length, ...stack.faults.filter((fault) => !/401|WebSocket/.test(fault)));
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
