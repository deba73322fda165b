import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { AccountId } from '#core/ids.ts';
import { createAccount } from '#api/contract/accounts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { changeSettings } from '#api/contract/session.ts';
import { buildWebApp } from '#cli/start/web-build.ts';
import { EMAIL, openTestApi, PASSWORD, type TestApi } from '#test/api/test-api.ts';
import { priceAt, seedHistory } from '#test/api/test-history.ts';
import { cachePrice, cacheRules, rulesOf } from '#test/api/test-records.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { openBrowser } from './browser.ts';

const DAY_MS = 86_400_000;
const TRADED = ['BTC', 'ETH', 'SOL', 'LINK', 'ADA', 'AVAX'];

/** The web app over a history of trades, without a worker: every number stays as it is. `faults` are errors of its pages. */
export interface HistoryStage extends AsyncDisposable {
  readonly api: TestApi;
  readonly accountId: AccountId;
  /** Of an account without a trade. */
  readonly emptyAccountId: AccountId;
  readonly faults: string[];
  /** A page of a signed-in operator. */
  open(options: BrowserContextOptions): Promise<Page>;
}

/** Trades of six coins by two profiles in the last `days` days. */
export async function openHistoryStage(days: number): Promise<HistoryStage> {
  await using stack = new AsyncDisposableStack();
  const dataDir = mkdtempSync(join(tmpdir(), 'tradewind-history-'));
  stack.defer(() => rmSync(dataDir, { recursive: true, force: true }));
  const order = { root: ROOT, dataDir, inherited: process.env, signal: new AbortController().signal };
  const { folder } = await buildWebApp(order);
  const api = stack.use(await openTestApi({ webDir: folder, ownOrigin: true }));
  await api.signUp();
  await api.call(changeSettings, { body: { timezone: 'Europe/Lisbon' } });
  const { account, profile } = await api.addProfile('Dip ladder');
  const body = { accountId: account.id, name: 'Trend', strategyName: 'momentum' };
  const { profile: other } = await api.call(createProfile, { body });
  const empty = await api.call(createAccount, { body: { name: 'Empty', exchangeMode: 'testnet' } });
  const nowMs = api.now().getTime();
  const wallet = await seedHistory(api.database, {
    ...{ accountId: account.id, fromMs: nowMs - days * DAY_MS, toMs: nowMs, chance: 0.3, seed: 11 },
    traders: [
      { profileId: profile.id, bases: TRADED.slice(0, 4) },
      { profileId: other.id, bases: TRADED.slice(4) },
    ],
  });
  await cacheRules(
    api,
    TRADED.map((base) => rulesOf(`${base}USDT`, base)),
  );
  for (const base of TRADED) await cachePrice(api, `${base}USDT`, formatDecimal(priceAt(base, nowMs)));
  const at = api.now().toISOString();
  const balances: Record<string, { free: string; locked: string }> = {};
  for (const [asset, free] of wallet) balances[asset] = { free: formatDecimal(free), locked: '0' };
  const kept = { at, keptAt: at, balances };
  await api.cache.set(cacheKeys.wallet(account.id), JSON.stringify(kept));
  const browser = await openBrowser();
  stack.defer(() => browser.close());
  const faults: string[] = [];
  // One sign-in for all pages: more of them would be refused.
  const first = await browser.newContext();
  const [data, headers] = [{ email: EMAIL, password: PASSWORD }, { 'x-tradewind-client': '1' }];
  await first.request.post(`${api.url}/api/auth/sign-in`, { data, headers });
  const { cookies } = await first.storageState();
  const parts = stack.move();
  return {
    ...{ api, faults, accountId: account.id, emptyAccountId: empty.id },
    async open(options) {
      const context = await browser.newContext(options);
      await context.addCookies(cookies);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      return page;
    },
    [Symbol.asyncDispose]: () => parts.disposeAsync(),
  };
}
