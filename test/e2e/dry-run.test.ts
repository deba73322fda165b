// Dry runs of changed settings: started from the form, watched while the market runs, promoted, refused and dropped.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { PHONE, shoot, sidewaysScroll } from './browser.ts';
import { ask, refusedOnce, seriousFindings, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: string;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;

before(async () => {
  stack = await startStack();
  ({ page, profileId } = await settle(stack));
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');
const region = (name: string): Locator => page.getByRole('region', { name });
const heading = (name: RegExp, timeout = 60_000): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor({ timeout });

/** The saved settings of the profile. */
async function savedConfig(): Promise<Record<string, unknown>> {
  const profile = await ask(page, { method: 'GET', url: at('/api/profiles/:id') });
  return isObject(profile) && isObject(profile['config']) ? profile['config'] : {};
}

const part = (config: Record<string, unknown>, name: string): Record<string, unknown> => {
  const found = config[name];
  return isObject(found) ? found : {};
};

/** Both themes, wide and at 390 px: pictures, the findings of axe, and what scrolls sideways. */
async function problemsOf(name: string): Promise<string[]> {
  const wide = page.viewportSize();
  const found: string[] = [];
  for (const theme of ['dark', 'light'] as const) {
    const other = page.getByRole('button', { name: `Switch to the ${theme} theme` });
    if (await other.isVisible()) await other.click();
    await shoot(page, `${name}-${theme}`);
    found.push(...(await seriousFindings(page)));
    await page.setViewportSize({ width: 390, height: PHONE.viewport.height });
    found.push(...(await seriousFindings(page)), await sidewaysScroll(page));
    await shoot(page, `${name}-phone-${theme}`);
    if (wide !== null) await page.setViewportSize(wide);
  }
  await page.getByRole('button', { name: 'Switch to the dark theme' }).click();
  return found.filter((text) => text !== '').map((text) => `${name}: ${text}`);
}

/** The worker computes a dry run once a minute. */
const RESULT_MS = 150_000;

/** Changes a setting in the form, and starts a dry run of it over seven days of the market. */
async function tryInForm(label: string, value: string): Promise<void> {
  await page.goto(at('/profiles/:id/config'));
  await page.getByLabel(label, { exact: true }).fill(value);
  await page.getByRole('button', { name: 'Try without orders…' }).click();
  await dialog()
    .getByText(/Neither of them sends an order/)
    .waitFor();
  await dialog().getByRole('button', { name: '7 days' }).click();
  await shoot(page, 'dry-run-start-dark');
  await dialog().getByRole('button', { name: 'Start the dry run' }).click();
  await page.waitForURL(/\/dry-runs$/);
}

test('without a dry run the page says how to start one', async () => {
  await page.goto(at('/profiles/:id/dry-runs'));
  await heading(/^No dry runs of Dip ladder yet\./);
  assert.deepEqual(await problemsOf('dry-run-none'), []);
});

test('unsaved settings are tried without orders, and both sides are compared while the market runs', async () => {
  await tryInForm('Candles of the low', '45');
  await heading(/^The first result follows/);
  await heading(/^So far/, RESULT_MS);
  const differ = region('Settings that differ');
  await differ.getByRole('row', { name: /Candles of the low 60 candles 45 candles/ }).waitFor();
  await region('Coins')
    .getByRole('row', { name: /^BTCUSDT \d/ })
    .waitFor();
  await region('Money')
    .getByRole('row', { name: /^Net P&L/ })
    .waitFor();
  await page.getByRole('progressbar', { name: 'Progress of the dry run' }).waitFor();
  assert.deepEqual(await problemsOf('dry-run'), []);
  assert.equal(part(await savedConfig(), 'buy')['candleLimit'], 60);
});

test('the settings name the running one, and start no second one', async () => {
  await page.goto(at('/profiles/:id/config'));
  await page.getByText('A dry run is running.').waitFor();
  await page.getByLabel('Candles of the low', { exact: true }).fill('50');
  assert.equal(await page.getByRole('button', { name: 'Try without orders…' }).isDisabled(), true);
  assert.deepEqual(await problemsOf('dry-run-settings'), []);
  await page.getByRole('link', { name: 'See the result' }).click();
  await heading(/^So far/);
});

test('promoting saves the changed settings, and the history can restore the earlier ones', async () => {
  await page.getByRole('button', { name: 'Promote…' }).click();
  await dialog().getByText('Candles of the low: 45 candles instead of 60 candles').waitFor();
  await shoot(page, 'dry-run-promote-dark');
  await dialog().getByRole('button', { name: 'Promote 1 change' }).click();
  await heading(/^The changed settings were promoted/);
  assert.equal(part(await savedConfig(), 'buy')['candleLimit'], 45);
  assert.deepEqual(await problemsOf('dry-run-promoted'), []);
  await page.getByRole('link', { name: /^restore version \d+ in the history/ }).click();
  await region('History').getByText('Candles of the low 45 candles instead of 60 candles').waitFor();
  await region('History').getByRole('button', { name: 'Restore version 1…' }).waitFor();
  await page.goto(at('/changes'));
  await page.getByText('Promoted a dry run').waitFor();
});

test('settings that were changed meanwhile refuse a promotion with a sentence', async () => {
  await tryInForm('Stop loss', '4');
  await heading(/^The first result follows/);
  await page.getByRole('button', { name: 'Promote…' }).click();
  const config = await savedConfig();
  const changed = { ...config, buy: { ...part(config, 'buy'), candleLimit: 55 } };
  await ask(page, { method: 'PATCH', url: at('/api/profiles/:id'), data: { config: changed } });
  await dialog().getByRole('button', { name: 'Promote 1 change' }).click();
  await dialog()
    .getByRole('alert')
    .filter({ hasText: /Not promoted\. .*Candles of the low: promoting would undo that/ })
    .waitFor();
  refusedOnce(stack, 409);
  await shoot(page, 'dry-run-refused-dark');
  await page.keyboard.press('Escape');
  const conflict = /settings have changed since the start\. Candles of the low: promoting would undo that/;
  await page.getByRole('status').filter({ hasText: conflict }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Promote…' }).isDisabled(), true);
  assert.deepEqual(await problemsOf('dry-run-conflict'), []);
});

test('a dropped dry run leaves the settings as they are, and stays in the list', async () => {
  const before = await savedConfig();
  await page.getByRole('button', { name: 'Drop…' }).click();
  await dialog().getByRole('button', { name: 'Drop the dry run' }).click();
  await heading(/^The dry run was dropped/);
  assert.deepEqual(await savedConfig(), before);
  await region('Other dry runs')
    .getByText(/The changed settings were promoted/)
    .waitFor();
  await page.getByRole('link', { name: 'Open in settings' }).click();
  await page.getByRole('button', { name: 'Save settings' }).waitFor();
  assert.equal(await page.getByLabel('Stop loss', { exact: true }).inputValue(), '4');
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
