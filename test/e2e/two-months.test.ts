import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { z } from 'zod';
import { startApp } from '#test/faults/app.ts';
import { until } from '#test/flow/until.ts';
import { DESKTOP, openBrowser, shoot } from './browser.ts';
import { ask, OPERATOR } from './stack.ts';

/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';
const SWITCH_MS = 120_000;
/** The replay takes three minutes of wall time. */
const REPLAY_MS = 360_000;
const [END, AFTER] = ['2026-08-31T12', '2026-09-30'];
const board = z.object({
  accounts: z.array(z.object({ marketAt: z.string().nullable() })),
  profiles: z.array(z.object({ id: z.string() })),
});

test('the wizard says why there are no live prices; one click replays two months, which end on filled pages', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-e2e-'));
  // Root runs the server as `nobody`, who must be able to pass: else its files are kept elsewhere and outlive the test.
  chmodSync(folder, 0o711);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const app = stack.use(
    await startApp({ dataDir: join(folder, 'data'), args: ['--port', '0'], env: { LIVE_REST_URL: NOWHERE } }),
  );
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const page = await (await browser.newContext({ ...DESKTOP, colorScheme: 'dark' })).newPage();
  page.setDefaultTimeout(SWITCH_MS);
  await page.goto(app.url);
  await page.getByLabel('E-mail').fill(OPERATOR.email);
  await page.getByLabel('Password').fill(OPERATOR.password);
  await page.getByRole('button', { name: 'Create your account' }).click();
  // It is refused, and the choice goes back at once.
  await page.getByRole('radio', { name: 'Live prices' }).click();
  await page.getByText(/The market was not changed\./).waitFor();
  await page.getByText(/The market data of http:\/\/127\.0\.0\.1:9 cannot be read/).waitFor();
  await page.getByRole('radio', { name: 'Invented market', checked: true }).waitFor();
  await page.getByRole('button', { name: 'Replay two months' }).click();
  const refused = page.getByText('The replay did not start.');
  await page.getByRole('region', { name: 'Activity' }).or(refused).first().waitFor();
  assert.equal(await refused.count(), 0, await page.locator('main').innerText());
  const read = async () => board.parse(await ask(page, { method: 'GET', url: `${app.url}/api/dashboard` }));
  // The time of the earlier market, which is that of today, may be shown for a moment.
  const ended = async (): Promise<boolean> => {
    const at = (await read()).accounts[0]?.marketAt ?? '';
    return at >= END && at < AFTER;
  };
  await until('the end of August', ended, REPLAY_MS);
  const { profiles } = await read();
  await page.goto(`${app.url}/profiles/${profiles[0]?.id}/history`);
  await page.getByRole('heading', { name: /^\d+ trades made/ }).waitFor();
  await page.getByRole('region', { name: 'Net P&L' }).getByRole('img').waitFor();
  await shoot(page, 'two-months-dark');
  await page.goto(`${app.url}/performance`);
  await page.getByRole('region', { name: 'Equity' }).first().getByRole('img').first().waitFor();
  assert.match(await page.locator('main').innerText(), /Win rate/);
  await page.goto(`${app.url}/profiles/${profiles[0]?.id}/config`);
  await page.getByText(/of 1h candles, replayed in/).waitFor();
  const url = `${app.url}/api/profiles/${profiles[0]?.id}`;
  const { totals } = z
    .object({ totals: z.object({ count: z.number() }) })
    .parse(await ask(page, { method: 'GET', url: `${url}/trade-archive` }));
  assert.ok(totals.count >= 20, `${totals.count} closed trades`);
  const { points } = z
    .object({ points: z.array(z.object({ at: z.string() })) })
    .parse(await ask(page, { method: 'GET', url: `${url}/equity` }));
  assert.ok((points[0]?.at ?? '') < '2026-07-10' && (points.at(-1)?.at ?? '') > '2026-08-25', 'in market time');
});
