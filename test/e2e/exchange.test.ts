// Answers of the exchange as the operator sees them: late ones, missing ones, and orders of others.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { type ProfileId, readId } from '#core/ids.ts';
import { UNKNOWN_OUTCOME } from '#paper/faults/faults.ts';
import { ownId } from '#test/flow/outside.ts';
import { shoot } from './browser.ts';
import { type Exchange, openExchange } from './exchange.ts';
import { settle, type Stack, startStack } from './stack.ts';

let stack: Stack;
let page: Page;
let profileId: ProfileId;
let exchange: Exchange;
const at = (path: string): string => `${stack.app.url}${path.replace(':id', profileId)}`;
const COIN = '/profiles/:id/coins/BTCUSDT';

before(async () => {
  stack = await startStack({ speed: 60 });
  // It only watches: whatever is bought and sold here is ordered by hand.
  const settled = await settle(stack, { strategyName: 'hold', config: {} });
  page = settled.page;
  profileId = readId<ProfileId>(settled.profileId) ?? assert.fail('no profile was made');
  exchange = openExchange(stack);
  page.setDefaultTimeout(30_000);
  await page.goto(at(COIN));
  await page.getByText(/Price [\d,.]+ USDT/).waitFor();
});
after(() => stack?.[Symbol.asyncDispose]());

const dialog = (): Locator => page.getByRole('dialog');

const ticket = (): Locator => page.getByRole('region', { name: 'Order ticket' });

/** Fills the order ticket and sends it. */
async function buyByHand(spend: string, limit = ''): Promise<void> {
  await page.goto(at(COIN));
  if (limit !== '') {
    await ticket().getByRole('button', { name: 'Limit' }).click();
    await ticket().getByLabel('Limit price').fill(limit);
  }
  await ticket().getByLabel('Spend').fill(spend);
  await ticket()
    .getByRole('button', { name: /^Buy [\d.]+ BTC for/ })
    .click();
}

/** The newest order of the coin, on the page of the coin; also behind a dialog, where it has no role. */
const newest = (): Locator => page.locator('table tbody tr').first();

test('a page that was opened before the listing of its coin is known shows it once it is', async () => {
  let isListed = false;
  await page.route(/\/api\/(reads|profiles\/[^/]+\/symbols\/BTCUSDT$)/, async (route) => {
    const response = await route.fetch();
    const text = await response.text();
    await route.fulfill({
      response,
      body: isListed ? text : text.replaceAll('"quoteAsset":"USDT"', '"quoteAsset":null'),
    });
  });
  await page.goto(at(COIN));
  const head = page.getByText(/^Price [\d,.]+/).first();
  await head.waitFor();
  assert.doesNotMatch(await head.innerText(), /USDT/);
  // At this speed frames with prices arrive all the time, and nothing else reads the coin again.
  isListed = true;
  await page.getByText(/Price [\d,.]+ USDT/).waitFor();
  await page.unrouteAll({ behavior: 'wait' });
});

test('an order without an answer is shown as unknown, never sent again, and named once it is certain', async () => {
  const order = { method: 'POST', path: '/api/v3/order' };
  await exchange.control('POST /faults', [{ match: order, kind: 'fail-before', body: UNKNOWN_OUTCOME }]);
  await buyByHand('40');
  await newest().getByText('not sent again until confirmed').waitFor();
  await newest().getByRole('link').click();
  await page.getByRole('heading', { name: /^Unconfirmed\./ }).waitFor();
  await page.getByText('Until that is confirmed the coin makes no new buys').waitFor();
  await shoot(page, 'order-unknown-dark');
  await page.getByRole('heading', { name: /^Not received\./ }).waitFor();
  await page.goto(at(COIN));
  await newest().getByText('Not received').waitFor();
  assert.equal(await page.getByRole('row', { name: /Manual buy/ }).count(), 1, 'it was sent again');
});

test('the kill switch during a fill: what was on its way is booked, nothing more is bought, what is held can be sold', async () => {
  const buy = { method: 'POST', path: '/api/v3/order', text: 'side=BUY' };
  await exchange.control('POST /faults', [{ match: buy, kind: 'late', delayMs: 9_000, body: UNKNOWN_OUTCOME }]);
  await buyByHand('50');
  await newest().getByText('not sent again until confirmed').waitFor();
  await page.getByRole('button', { name: 'Stop buying' }).click();
  await dialog()
    .getByText(/^Unconfirmed: a buy of [\d.]+ BTCUSDT\. Not cancelled\.$/)
    .waitFor();
  await shoot(page, 'kill-during-fill-dark');
  await dialog()
    .getByRole('button', { name: /^Stop buying on/ })
    .click();
  await page.getByRole('link', { name: /^Buying stopped/ }).waitFor();
  await newest().getByText('Filled').waitFor();
  await newest().getByRole('link').click();
  await page.getByRole('heading', { name: /^Verified\./ }).waitFor();

  await buyByHand('60');
  await ticket()
    .getByText(/kill switch/)
    .waitFor();
  assert.equal(await ticket().getByLabel('Spend').inputValue(), '60');
  assert.ok(
    await ticket()
      .getByRole('button', { name: /^Buy [\d.]+ BTC for/ })
      .isEnabled(),
  );
  await page.getByRole('button', { name: /^Sell all [\d.]+ BTC…$/ }).click();
  await dialog()
    .getByRole('button', { name: /^Sell [\d.]+ BTC$/ })
    .click();
  await dialog().getByText('Order sent.').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).click();
  await page.getByRole('heading', { name: /^BTC is not held\./ }).waitFor();
  await allowBuying();
});

async function allowBuying(): Promise<void> {
  await page.goto(at('/'));
  await page.getByRole('button', { name: 'Allow buying again…' }).click();
  await dialog()
    .getByRole('button', { name: /^Allow buying on/ })
    .click();
  await page.getByRole('button', { name: 'Stop buying' }).waitFor();
}

/** The orphan order with that client id, on the page of them. */
const orphan = (clientOrderId: string): Locator => page.getByRole('listitem').filter({ hasText: clientOrderId });

async function lookForOrphans(): Promise<void> {
  await page.goto(at('/orphans'));
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('Exchange checked.').waitFor();
}

test('an orphan order is left, then cancelled; nothing happens to it by itself', async () => {
  await exchange.hands.restBuy('web_of_another');
  await lookForOrphans();
  const row = orphan('web_of_another');
  await row.getByText('Only an order with a proven owner can be adopted.').waitFor();
  assert.ok(await row.getByRole('button', { name: 'Adopt' }).isDisabled());
  await shoot(page, 'orphan-dark');
  await row.getByRole('button', { name: 'Ignore order' }).click();
  await dialog()
    .getByRole('button', { name: /^Ignore the order of BTCUSDT/ })
    .click();
  await row.getByText(/; ignored/).waitFor();
  await row.getByRole('button', { name: 'Cancel order' }).click();
  await dialog()
    .getByRole('button', { name: /^Cancel buy order: 0\.01 BTC at [\d,]+\.\d\d$/ })
    .click();
  await page.getByText('No orphan orders.').waitFor();
  await page.getByText('1 resolved').click();
  await page.getByText(/: cancelled, last seen/).waitFor();
});

test('an orphan order with a proven owner is adopted, and cancelled by hand like any other', async () => {
  const id = ownId(profileId, 'manual');
  await exchange.hands.restBuy(id);
  await lookForOrphans();
  await orphan(id).getByRole('button', { name: 'Adopt into Dip ladder' }).click();
  await page.getByText('No orphan orders.').waitFor();
  await page.goto(at(COIN));
  await page.getByRole('button', { name: /^Cancel the/ }).click();
  await dialog()
    .getByRole('button', { name: /^Cancel the .* BTC$/ })
    .click();
  await dialog().getByText('Cancelled.').waitFor();
  await dialog().getByRole('button', { name: 'Close' }).click();
  await newest().getByText('Cancelled').waitFor();
  assert.equal(await page.getByRole('button', { name: /^Cancel the/ }).count(), 0);
});

test('what is recorded is compared with the exchange’s own lists, and a trade made elsewhere is archived', async () => {
  await exchange.hands.send('order', { symbol: 'BTCUSDT', side: 'BUY', type: 'MARKET', quantity: '0.001' });
  await page.goto(at('/profiles/:id/history'));
  const lists = page.getByRole('region', { name: 'Reconcile with the exchange' });
  await lists.getByRole('button', { name: 'Check fees' }).click();
  await lists.getByText(/\d+ fees checked, all match the exchange\./).waitFor();
  await lists.getByRole('button', { name: 'Import external trades' }).click();
  await lists.getByText(/\d+ trades read, [1-9]\d* external trades archived\./).waitFor();
  await shoot(page, 'exchange-lists-dark');
  await lists.getByRole('button', { name: 'Import external trades' }).click();
  await lists.getByText('No new trades.').waitFor();
});

test('a coin with a live order is removed only together with it', async () => {
  await buyByHand('40', '20000');
  await newest().getByText('Open').waitFor();
  await page.goto(at('/profiles/:id'));
  await page.getByRole('button', { name: 'Remove BTC' }).click();
  await dialog().getByRole('button', { name: 'Cancel 1 order and remove BTCUSDT' }).click();
  await page.getByRole('heading', { name: 'Dip ladder trades 0 coins.' }).waitFor();
});

test('nothing failed in the pages meanwhile', () => {
  assert.deepEqual(stack.faults, []);
});
