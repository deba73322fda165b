import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { until } from '#test/flow/until.ts';
import { DESKTOP, PHONE } from './browser.ts';
import { seriousFindings, settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: string;
before(async () => {
  stack = await startStack({ skipDays: 2 });
  ({ page, profileId } = await settle(stack));
  await openChart(page);
  // A whole trade, so that marks, levels and stops are there.
  await until('a sale', async () => ((await labelOf(page)).includes(' 0 sells') ? undefined : true), 120_000);
});
after(() => stack?.[Symbol.asyncDispose]());

const chartOf = (on: Page): Locator => on.getByRole('slider', { name: /candles/ });
const readoutOf = (on: Page): Locator => on.locator('.ro');
const labelOf = async (on: Page): Promise<string> => (await chartOf(on).getAttribute('aria-label')) ?? '';

async function openChart(on: Page): Promise<void> {
  await on.goto(`${stack.app.url}/profiles/${profileId}/coins/BTCUSDT`);
  await chartOf(on).locator('canvas').first().waitFor();
  await readoutOf(on).getByText('Vol').waitFor();
}

/** Time of the candle below the pointer, `share` of the way across the plot. */
async function timeAt(on: Page, share: number): Promise<string> {
  const box = await chartOf(on).boundingBox();
  assert.ok(box);
  await on.mouse.move(box.x + (box.width - 100) * share, box.y + box.height / 3);
  return (await readoutOf(on).locator('span').first().textContent()) ?? '';
}

test('no error is reported when the length of the candles changes again and again', async () => {
  await openChart(page);
  const lengths = page.getByRole('group', { name: 'Candles' });
  for (const length of ['1h', '1m', '5m', '1d', '15m', '4h', '1m', '1h', '15m', '1d', '1m']) {
    await lengths.getByRole('button', { name: length, exact: true }).click();
    await chartOf(page).hover();
  }
  await readoutOf(page).getByText('Vol').waitFor();
  assert.deepEqual(stack.faults, []);
});

test('the readout has open, high, low, close, change, volume and the lines in force at the cursor', async () => {
  await openChart(page);
  const texts: string[] = [];
  // A line is in force while the strategy waits for its price, or follows the price up.
  for (const share of [0.1, 0.25, 0.4, 0.55, 0.7, 0.85]) {
    await timeAt(page, share);
    texts.push(await readoutOf(page).innerText());
  }
  for (const part of ['O', 'H', 'L', 'C', 'Vol']) assert.match(texts[0] ?? '', new RegExp(`${part} [\\d,.]+`));
  assert.match(texts[0] ?? '', /\u202f%/);
  assert.match(texts.join('\n'), /(60-candle low|Trailing stop) [\d,.]+/);
});

test('the wheel zooms, and a drag to the right shows older candles until history begins', async () => {
  await openChart(page);
  await page.getByRole('button', { name: '5m', exact: true }).click();
  const near = await timeAt(page, 0);
  await page.mouse.wheel(0, 2_000);
  await until('an earlier candle at the left edge', async () => {
    await timeAt(page, 0.5);
    return (await timeAt(page, 0)) !== near || undefined;
  });
  const box = await chartOf(page).boundingBox();
  assert.ok(box);
  const begins = page.getByText('History begins 1 Jan');
  await until('the first candle', async () => {
    await page.mouse.move(box.x + 100, box.y + 100);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 200, box.y + 100, { steps: 4 });
    await page.mouse.up();
    return (await begins.isVisible()) || undefined;
  });
});

test('arrow keys step candle by candle, with Shift by a screenful', async () => {
  await openChart(page);
  await chartOf(page).focus();
  const minutes: number[] = [];
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Shift+ArrowLeft']) {
    await page.keyboard.press(key);
    const shown = (await readoutOf(page).locator('span').first().textContent()) ?? '';
    const [hour = 0, minute = 0] = (/(\d+):(\d+)$/.exec(shown) ?? []).slice(1).map(Number);
    minutes.push(hour * 60 + minute);
  }
  const [first = 0, second = 0, third = 0] = minutes;
  assert.equal((first - second + 1440) % 1440, 1);
  assert.ok((second - third + 1440) % 1440 > 30, `${minutes.join(', ')}`);
});

test('layers can be hidden, and shown again', async () => {
  await openChart(page);
  const legend = page.locator('.key').first();
  await legend.getByText('buy', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Orders', exact: true }).click();
  await legend.getByText('buy', { exact: true }).waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Orders', exact: true }).click();
  await legend.getByText('buy', { exact: true }).waitFor();
});

test('on a phone the readout is above the candles and nothing scrolls sideways', async () => {
  const phone = await stack.open({ ...PHONE, colorScheme: 'light' });
  await phone.context().addCookies((await page.context().storageState()).cookies);
  await openChart(phone);
  const [readout, chart] = [await readoutOf(phone).boundingBox(), await chartOf(phone).boundingBox()];
  assert.ok(readout && chart && readout.y + readout.height <= chart.y + 1);
  assert.equal(await phone.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true);
  await phone.context().close();
});

test('the chart has no serious finding of accessibility in either theme', async () => {
  for (const colorScheme of ['dark', 'light'] as const) {
    const themed = await stack.open({ ...DESKTOP, colorScheme });
    await themed.context().addCookies((await page.context().storageState()).cookies);
    await openChart(themed);
    assert.deepEqual(await seriousFindings(themed), []);
    await themed.context().close();
  }
  assert.deepEqual(stack.faults, []);
});
