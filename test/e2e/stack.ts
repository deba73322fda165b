import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'node:test';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { isObject } from '#core/merge.ts';
import { type App, startApp } from '#test/faults/app.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { DESKTOP, openBrowser } from './browser.ts';

export const OPERATOR = { email: 'operator@example.org', password: 'a long enough password', timezone: 'UTC' };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** A started service on a replayed market, and a browser. `faults` are errors that the pages reported. */
export interface Stack extends AsyncDisposable {
  readonly app: App;
  readonly browser: Browser;
  readonly faults: string[];
  open(options: BrowserContextOptions): Promise<Page>;
  /** Where the service keeps what it has. */
  readonly dataDir: string;
  /** Stops the service and starts it again on the same data. */
  restart(env: Readonly<Record<string, string>>): Promise<void>;
}

interface Market {
  /** How many times as fast as the clock it runs. */
  readonly speed?: number;
  /** How much of it is recorded, and how much of that lies before the moment at which it begins. */
  readonly days?: number;
  readonly skipDays?: number;
  /** Coins in addition to BTCUSDT. */
  readonly others?: readonly string[];
  /** Environment of the service. */
  readonly env?: Readonly<Record<string, string>>;
}

const started = new Set<Stack>();

/** The texts of page and service are lost when they end, so they are kept here. */
afterEach(async (context) => {
  if (!('passed' in context) || context.passed) return;
  for (const { app, browser } of started) {
    for (const page of browser.contexts().flatMap((one) => one.pages())) {
      const shown = await page.locator('body').innerText({ timeout: 5_000 }).catch(String);
      console.log(`${page.url()} showed:\n${shown}\n`);
    }
    console.log(`The service said:\n${app.output()}`);
  }
});

export async function startStack({
  speed = 600,
  days = 30,
  skipDays = 0.25,
  others = [],
  env = {},
}: Market = {}): Promise<Stack> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-e2e-'));
  // Root runs the server as `nobody`, who must be able to pass: else its files are kept elsewhere and outlive the test.
  chmodSync(folder, 0o711);
  for (const symbol of ['BTCUSDT', ...others]) writeSwingingCandles(folder, 60 * 24 * days, { symbol });
  const from = new Date(MARKET_START + skipDays * 86_400_000).toISOString();
  const args = ['--port', '0', '--replay', folder, '--from', from, '--speed', String(speed)];
  const dataDir = join(folder, 'data');
  let app = await startApp({ dataDir, args, env });
  const browser = await openBrowser();
  const faults: string[] = [];
  const stack: Stack = {
    get app() {
      return app;
    },
    dataDir,
    browser,
    faults,
    async open(options) {
      const page = await (await browser.newContext(options)).newPage();
      page.on('pageerror', (error) => faults.push(error.message));
      page.on('console', (message) => {
        if (message.type() === 'error') faults.push(message.text());
      });
      return page;
    },
    async restart(changes) {
      await app[Symbol.asyncDispose]();
      app = await startApp({ dataDir, args, env: { ...env, ...changes } });
    },
    async [Symbol.asyncDispose]() {
      started.delete(stack);
      await browser.close();
      await app[Symbol.asyncDispose]();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  started.add(stack);
  return stack;
}

/** One call of the API with the cookies of the page; the answer's JSON. */
export async function ask(page: Page, call: { method: string; url: string; data?: unknown }): Promise<unknown> {
  const { method, url, data } = call;
  const answer = await page.request.fetch(url, { method, data, headers: { 'x-tradewind-client': '1' } });
  assert.ok(answer.ok(), `${method} ${url}: ${answer.status()} ${await answer.text()}`);
  return answer.status() === 204 ? undefined : answer.json();
}

/** The browser reports every refused request; removes the expected one from the list. */
export function refusedOnce({ faults }: Stack, status: number): void {
  const found = faults.findIndex((fault) => fault.includes(String(status)));
  assert.notEqual(found, -1, `no request was refused with ${status}: ${faults.join('; ')}`);
  faults.splice(found, 1);
}

export const idOf = (value: unknown): string => (isObject(value) ? String(value['id']) : '');

/** Creates the operator and a running profile on paper, `wanted` in the place of what it has else; the page is signed in. */
export async function settle(
  { app, open }: Stack,
  wanted: Readonly<Record<string, unknown>> = {},
): Promise<{ page: Page; profileId: string; accountId: string }> {
  const page = await open({ ...DESKTOP, colorScheme: 'dark' });
  const api = `${app.url}/api`;
  await ask(page, { method: 'POST', url: `${api}/auth/sign-up`, data: OPERATOR });
  const held = await ask(page, { method: 'GET', url: `${api}/accounts` });
  const accounts: readonly unknown[] = isObject(held) && Array.isArray(held['accounts']) ? held['accounts'] : [];
  const accountId = idOf(accounts[0]);
  const data = {
    accountId,
    name: 'Dip ladder',
    strategyName: 'trailing-trade',
    enabled: true,
    symbols: ['BTCUSDT'],
    config: {
      candleInterval: '1m',
      buy: { entrySizing: { amount: '150' }, candleLimit: 60, gridLevels: [{ triggerPercentage: '1.005' }] },
      sell: { stopLossPercentage: '0.97', triggerPercentage: '1.006', trailingStopPercentage: '0.997' },
    },
    ...wanted,
  };
  const made = await ask(page, { method: 'POST', url: `${api}/profiles`, data });
  return { page, accountId, profileId: isObject(made) ? idOf(made['profile']) : '' };
}

/** The serious findings of axe on the page, as sentences. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const found: unknown = await page.evaluate('axe.run(document, { resultTypes: ["violations"] })');
  const violations: readonly unknown[] =
    isObject(found) && Array.isArray(found['violations']) ? found['violations'] : [];
  return violations.filter(isObject).flatMap(({ id, impact, help, nodes }) => {
    if (impact !== 'serious' && impact !== 'critical') return [];
    const where = Array.isArray(nodes) ? nodes.filter(isObject).map((node) => String(node['target'])) : [];
    return [`${String(id)}: ${String(help)} at ${where.slice(0, 5).join(', ')}`];
  });
}
