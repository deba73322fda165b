// From nothing to a trading profile, and to the kill switch, without a mouse; and the kill switch on a phone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { DESKTOP, PHONE, shoot, sidewaysScroll } from './browser.ts';
import { type Stack, startStack } from './stack.ts';

/** More stops than any page has. */
const MOST_STOPS = 60;
let stack: Stack;
let page: Page;

before(async () => {
  stack = await startStack();
  page = await stack.open({ ...DESKTOP, colorScheme: 'dark' });
  page.setDefaultTimeout(60_000);
});
after(() => stack?.[Symbol.asyncDispose]());

/** The name of the focused element in a screen reader. */
const focused = (): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement;
    const label = element instanceof HTMLInputElement ? element.labels?.[0]?.textContent : undefined;
    return (element?.getAttribute('aria-label') ?? label ?? element?.textContent ?? '').trim();
  });

/** Presses Tab until an element of that name has the focus. */
async function tabTo(name: RegExp): Promise<void> {
  const passed: string[] = [];
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    const here = await focused();
    if (name.test(here)) return;
    passed.push(here.slice(0, 40));
    await page.keyboard.press('Tab');
  }
  assert.fail(`${name} cannot be reached with Tab; there were: ${passed.join(' | ')}`);
}

const heading = (name: RegExp): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();

test('the first profile trades, by keyboard alone', async () => {
  await page.goto(stack.app.url);
  await heading(/^Welcome\./);
  await tabTo(/^E-mail/);
  await page.keyboard.type('operator@example.org');
  await tabTo(/^Password/);
  await page.keyboard.type('a long enough password');
  await page.keyboard.press('Enter');
  await heading(/^Choose an account/);
  await tabTo(/^Continue to strategy$/);
  await page.keyboard.press('Enter');
  await heading(/^Trailing trade/);
  await tabTo(/^Continue to coins$/);
  await page.keyboard.press('Enter');
  await heading(/^1 coin chosen/);
  await tabTo(/^Continue to review$/);
  await page.keyboard.press('Enter');
  await heading(/^Trailing trade on 1 coin/);
  await tabTo(/^Start trading on paper$/);
  await page.keyboard.press('Enter');
  await heading(/^Total equity/);
});

test('the kill switch stops and is released by keyboard alone', async () => {
  await page.keyboard.press('Shift+Escape');
  await page.getByRole('dialog').waitFor();
  assert.match(await focused(), /^Stop buying on 1 account/);
  await page.keyboard.press('Enter');
  await heading(/^Buying is stopped since/);
  await tabTo(/^Allow buying again…$/);
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  assert.equal(await focused(), 'Keep stopped');
  await page.keyboard.press('Shift+Tab');
  assert.match(await focused(), /^Allow buying on 1 account/);
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop buying' }).waitFor();
});

test('on a phone the kill switch is in reach on every page, and its dialog fits', async () => {
  const phone = await stack.open({ ...PHONE, colorScheme: 'dark' });
  phone.setDefaultTimeout(60_000);
  await phone.context().addCookies((await page.context().storageState()).cookies);
  for (const path of ['/', '/profiles', '/activity', '/settings']) {
    await phone.goto(`${stack.app.url}${path}`);
    await phone.getByRole('heading', { level: 1 }).waitFor();
    await phone.evaluate(() => scrollTo(0, document.body.scrollHeight));
    const box = await phone.getByRole('button', { name: 'Stop buying' }).boundingBox();
    assert.ok(box !== null && box.y >= 0 && box.y < 60 && box.height >= 36, `it is out of reach on ${path}`);
  }
  await phone.getByRole('button', { name: 'Stop buying' }).tap();
  const dialog = phone.getByRole('dialog');
  const confirm = dialog.getByRole('button', { name: /^Stop buying on/ });
  await dialog.getByText(/No new buy from now on, on Paper/).waitFor();
  await shoot(phone, 'kill-phone');
  const { x, y, width, height } = (await confirm.boundingBox()) ?? assert.fail('it is not shown');
  assert.ok(x >= 0 && x + width <= 375 && y + height <= 667, `it does not fit: ${[x, y, width, height].join(', ')}`);
  assert.equal(await sidewaysScroll(phone), '');
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).tap();
  await phone.getByRole('navigation', { name: 'Main, phone' }).getByRole('link', { name: 'Profiles' }).tap();
  await phone.getByRole('heading', { level: 1, name: /profile/ }).waitFor();
  await phone.context().close();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
