// Takes a picture of every page of a filled installation, and renews those of the README: `npm run screenshots`.
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { z } from 'zod';
import { proposeOrder } from '#api/contract/proposals.ts';
import { createClient } from '#api/script-client.ts';
import { PRESETS, withEqualShares } from '#strategies/presets.ts';
import { DESKTOP, openBrowser } from '#test/e2e/browser.ts';
import { finishResearch } from '#test/e2e/research-runs.ts';
import { addressOf, SCREENS } from '#test/e2e/screens.ts';
import { ask, OPERATOR } from '#test/e2e/stack.ts';
import { type App, startApp } from '#test/faults/app.ts';
import { until } from '#test/flow/until.ts';
import { findBrowser } from '#test/harness/programs.ts';
import { ROOT } from '#test/harness/source-files.ts';

const { values } = parseArgs({
  options: {
    folder: { type: 'string', default: join(ROOT, 'screenshots') },
    /** Only pages whose name contains it. */
    only: { type: 'string', default: '' },
  },
});
const { folder, only } = values;

const WIDE = { ...DESKTOP, viewport: { width: 1440, height: 1000 } } as const;
const NARROW = { ...DESKTOP, viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true } as const;
const LOOKS = [
  ['1440-dark', { ...WIDE, colorScheme: 'dark' }],
  ['1440-light', { ...WIDE, colorScheme: 'light' }],
  ['390-dark', { ...NARROW, colorScheme: 'dark' }],
  ['390-light', { ...NARROW, colorScheme: 'light' }],
] as const;
/** The pictures of the README, by the page that they show. */
const README: Readonly<Record<string, string>> = {
  'overview-1440-dark': 'dashboard-dark',
  'overview-390-dark': 'dashboard-phone',
  'coin-1440-dark': 'coin-dark',
  'coin-1440-light': 'coin-light',
  'order-1440-dark': 'order-dark',
  'sweep-1440-dark': 'sweep-dark',
};

/** The coin that trades most is the one of the coin page. */
const LIVELY = 'SOLUSDT';
const COINS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT'];
/** The candles that come with Tradewind pass quickly up to this market time, and a minute a second while the pictures are taken. */
const ENOUGH = '2026-08-24T09';
const MARKET = ['--replay', join(ROOT, 'paper', 'history'), '--from', '2026-07-03T00:00:00.000Z'];
const [FAST, SLOW] = [28_800, 60];
const RESEARCH_WINDOW = { from: '2026-07-05T00:00:00.000Z', to: '2026-08-20T00:00:00.000Z', detailInterval: '1h' };
const REPLAY_MS = 400_000;
/** A page that polls is never without requests for long. */
const QUIET_MS = 3_000;
const LOAD_MS = 20_000;

const board = z.object({
  accounts: z.array(z.object({ id: z.string(), marketAt: z.string().nullable() })),
  orders: z.array(z.object({ id: z.string(), state: z.string() })),
});
const created = z.object({ profile: z.object({ id: z.string() }) });
const madeToken = z.object({ token: z.string() });

/** Signs up, and trades five coins until the market time of the pictures. */
async function fill({ url }: App, page: Page): Promise<string> {
  const at = (path: string): string => `${url}/api${path}`;
  await ask(page, { method: 'POST', url: at('/auth/sign-up'), data: OPERATOR });
  const dashboard = async () => board.parse(await ask(page, { method: 'GET', url: at('/dashboard') }));
  const accountId = (await dashboard()).accounts[0]?.id;
  const profile = async (name: string, strategyName: string, symbols: readonly string[]): Promise<string> => {
    const preset = PRESETS.get(strategyName)?.find((one) => one.name === 'Balanced');
    const config = withEqualShares(strategyName, { ...preset?.config }, symbols);
    const data = { accountId, name, strategyName, enabled: true, symbols, config };
    return created.parse(await ask(page, { method: 'POST', url: at('/profiles'), data })).profile.id;
  };
  const id = await profile('Dip buying', 'trailing-trade', COINS.slice(0, 3));
  await profile('Basket', 'rebalance', COINS.slice(3));
  for (const rule of [
    { kind: 'above', price: '70000' },
    { kind: 'move', percent: '5', minutes: 240 },
  ])
    await ask(page, {
      method: 'POST',
      url: at(`/accounts/${accountId}/price-alerts`),
      data: { symbol: 'BTCUSDT', rule },
    });
  const risk = { asset: 'USDT', dailyLoss: '200', drawdown: '800' };
  await ask(page, { method: 'PATCH', url: at(`/accounts/${accountId}/risk`), data: risk });
  await until(ENOUGH, async () => ((await dashboard()).accounts[0]?.marketAt ?? '') >= ENOUGH || undefined, REPLAY_MS);
  return id;
}

/** Two tokens, an order that one of them proposes, and a channel for messages. Nothing is sent to it. */
async function fillPrograms({ url }: App, page: Page, id: string): Promise<void> {
  const at = (path: string): string => `${url}/api${path}`;
  const { accounts } = board.parse(await ask(page, { method: 'GET', url: at('/dashboard') }));
  const accountId = accounts[0]?.id ?? '';
  const createToken = async (data: object): Promise<string> =>
    madeToken.parse(await ask(page, { method: 'POST', url: at('/tokens'), data })).token;
  await createToken({ name: 'Notebook', scopes: ['read', 'research'], days: 30 });
  const budget = { asset: 'USDT', perOrder: '100', perDay: '250' };
  const token = await createToken({ name: 'Assistant', scopes: ['read', 'trade'], accountIds: [accountId], budget });
  await createClient({ url, token }).call(proposeOrder, {
    params: { id, symbol: LIVELY },
    body: {
      order: { side: 'buy', type: 'market', quoteAmount: '60' },
      reason: 'SOL has come back to 3 % above its buy price, and 60 USDT are within the budget.',
      validSeconds: 3600,
    },
  });
  const data = { secrets: { url: 'https://hooks.example.com/tradewind' } };
  await ask(page, { method: 'PUT', url: at(`/accounts/${accountId}/notifiers/webhook`), data });
}

interface Shot {
  readonly page: Page;
  readonly look: string;
  readonly name: string;
}

async function take({ page, look, name }: Shot): Promise<void> {
  await page.evaluate(() => document.fonts.ready);
  await page.evaluate(() => scrollTo(0, 0));
  const path = join(folder, `${name}-${look}.png`);
  await page.screenshot({ path, fullPage: true });
  const shown = README[`${name}-${look}`];
  // The README has what a window shows: a whole page would be large.
  if (shown !== undefined) await page.screenshot({ path: join(ROOT, 'docs', 'screenshots', `${shown}.png`) });
  console.log(path);
}

/** The pages before sign-in. */
async function takeFirst(browser: Browser, url: string): Promise<void> {
  for (const [look, options] of LOOKS) {
    const page = await (await browser.newContext(options)).newPage();
    await page.goto(url);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await take({ page, look, name: 'welcome' });
    await page.context().close();
  }
}

type Cookies = Awaited<ReturnType<ReturnType<Page['context']>['cookies']>>;

async function takeAll(
  browser: Browser,
  options: BrowserContextOptions,
  {
    look,
    cookies,
    addresses,
  }: { look: string; cookies: Cookies; addresses: readonly (readonly [string, string, string])[] },
): Promise<void> {
  const context = await browser.newContext(options);
  await context.addCookies(cookies);
  const page = await context.newPage();
  for (const [name, address, ready] of addresses) {
    await page.goto(address);
    await page
      .locator(ready)
      .first()
      .waitFor()
      .catch(() => console.log(`${name}: ${ready} did not appear`));
    await page
      .getByText(/^Live/)
      .first()
      .waitFor({ timeout: QUIET_MS })
      .catch(() => undefined);
    await page.waitForLoadState('networkidle', { timeout: QUIET_MS }).catch(() => undefined);
    // Candles of a what-if, and prices right after the start.
    for (const pending of [/^Loading/, /is not known yet/])
      await page
        .getByText(pending)
        .first()
        .waitFor({ state: 'hidden', timeout: LOAD_MS })
        .catch(() => console.log(`${name}: ${pending} stays`));
    await take({ page, look, name });
  }
  await context.close();
}

async function run(): Promise<void> {
  process.env['TEST_BROWSER'] ??= findBrowser() ?? '';
  mkdirSync(folder, { recursive: true });
  const dataDir = mkdtempSync(join(tmpdir(), 'tradewind-screenshots-'));
  // Root runs the server as another user, who must be able to pass.
  chmodSync(dataDir, 0o711);
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const start = (speed: number): Promise<App> =>
    startApp({ dataDir: join(dataDir, 'data'), args: ['--port', '0', ...MARKET, '--speed', String(speed)] });
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const page = await (await browser.newContext(DESKTOP)).newPage();
  let id: string;
  {
    await using fast = await start(FAST);
    await takeFirst(browser, fast.url);
    id = await fill(fast, page);
  }
  cpSync(join(ROOT, 'authoring', 'examples', 'rsi-reversion.ts'), join(dataDir, 'data', 'strategies', 'my-rsi.ts'));
  const app = stack.use(await start(SLOW));
  const { email, password } = OPERATOR;
  await ask(page, { method: 'POST', url: `${app.url}/api/auth/sign-in`, data: { email, password } });
  const research = await finishResearch({ app }, page, { profileId: id, window: RESEARCH_WINDOW });
  await fillPrograms(app, page, id);
  const { orders } = board.parse(await ask(page, { method: 'GET', url: `${app.url}/api/dashboard` }));
  const ids = { id, order: (orders.find(({ state }) => state === 'filled') ?? orders[0])?.id ?? '' };
  const cookies = await page.context().cookies();
  const addresses = SCREENS.filter(([name]) => name.includes(only)).map(
    ([name, path, ready]) =>
      [
        name,
        `${app.url}${addressOf(path.replace('/coins/BTCUSDT', `/coins/${LIVELY}`), { ...ids, ...research })}`,
        ready,
      ] as const,
  );
  for (const [look, options] of LOOKS) await takeAll(browser, options, { look, cookies, addresses });
}

await run();
