import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { finishResearch, type Research } from './research-runs.ts';
import { addressOf, SCREENS } from './screens.ts';
import { ask, idOf, seriousFindings, settle, type Stack, startStack } from './stack.ts';

const LOOKS = [
  ['dark', { ...DESKTOP, colorScheme: 'dark' }],
  ['light', { ...DESKTOP, colorScheme: 'light' }],
  ['phone', { ...PHONE, colorScheme: 'dark' }],
] as const;
/** Widths of phones in addition to that of PHONE. */
const WIDTHS = [390, 360];

let stack: Stack;
let signedIn: Page;
let profileId: string;
let research: Research;
let orderId: string;

before(async () => {
  stack = await startStack();
  ({ page: signedIn, profileId } = await settle(stack));
  await signedIn.goto(stack.app.url);
  const feed = signedIn.getByRole('region', { name: 'Activity' });
  await feed
    .getByText(/Bought [\d.]+ BTC/)
    .first()
    .waitFor({ timeout: 120_000 });
  research = await finishResearch(stack, signedIn, { profileId });
  const told = await ask(signedIn, { method: 'GET', url: `${stack.app.url}/api/dashboard` });
  const [order]: readonly unknown[] = isObject(told) && Array.isArray(told['orders']) ? told['orders'] : [];
  orderId = idOf(order);
});
after(() => stack?.[Symbol.asyncDispose]());

for (const [look, options] of LOOKS) {
  test(`every screen can be used, and fits, in ${look}`, async () => {
    const page = await stack.open(options);
    await page.context().addCookies((await signedIn.context().storageState()).cookies);
    const wrong: string[] = [];
    for (const [name, path, ready] of SCREENS) {
      await page.goto(`${stack.app.url}${addressOf(path, { id: profileId, order: orderId, ...research })}`);
      await page.getByRole('heading', { level: 1 }).waitFor();
      await page.locator(ready).first().waitFor();
      const sideways = await sidewaysScroll(page);
      if (sideways !== '') wrong.push(`${name} scrolls sideways by ${sideways}`);
      if (look === 'phone') wrong.push(...(await narrowScroll(page)).map((text) => `${name} ${text}`));
      wrong.push(...(await seriousFindings(page)).map((finding) => `${name}: ${finding}`));
      await shoot(page, `${name}-${look}`);
    }
    await page.context().close();
    assert.deepEqual(wrong, []);
  });
}

/** The parts that scroll sideways at other widths of phones. */
async function narrowScroll(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: PHONE.viewport.height });
    const sideways = await sidewaysScroll(page);
    if (sideways !== '') found.push(`scrolls sideways at ${width} px by ${sideways}`);
  }
  await page.setViewportSize(PHONE.viewport);
  return found;
}

test('no page reports an error when all pages are opened one after the other without a pause', async () => {
  const page = await stack.open({ ...DESKTOP, colorScheme: 'dark' });
  await page.context().addCookies((await signedIn.context().storageState()).cookies);
  await page.goto(stack.app.url);
  await page.getByRole('heading', { level: 1 }).waitFor();
  const ids = { id: profileId, order: orderId, ...research };
  // Twice: the second time their scripts are loaded, so that pages are left while they fetch and draw.
  for (const path of [...SCREENS, ...SCREENS].map(([, to]) => addressOf(to, ids)))
    await page.evaluate((to) => {
      history.pushState({}, '', to);
      dispatchEvent(new PopStateEvent('popstate'));
    }, path);
  await page.getByRole('link', { name: 'Tradewind, overview' }).click();
  await page.locator('table tbody tr').first().waitFor();
  await page.context().close();
  assert.deepEqual(stack.faults, []);
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
