import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { WebSocketServer } from 'ws';
import { isObject } from '#core/merge.ts';
import { DESKTOP } from '../e2e/browser.ts';
import { settle, type Stack, startStack } from '../e2e/stack.ts';
import { findBrowser } from '../harness/programs.ts';
import { type Traced, traced } from './web-trace.ts';

/**
 * The web app in Chromium: first paint of the overview, what a key press takes until it is seen, 500 coins whose prices
 * change ten times a second each, memory over minutes of that, and the preview of settings over a year of minutes.
 */
const COINS = 500;
const UPDATES_A_SECOND = 10;
const FRAME_SECONDS = 10;
const SEND_EVERY_MS = 20;

const { values } = parseArgs({ options: { minutes: { type: 'string', default: '1' } } });
const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** A server of frames that the page takes for the service's own; each coin has ten new prices a second. */
async function openPrices(venue: string): Promise<AsyncDisposable & { url: string }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let [seq, next] = [0, 0];
  const frame = (): string => {
    seq += 1;
    next = (next + 1) % COINS;
    const data = {
      venue,
      symbol: nameOf(next),
      price: (100 + (seq % 997) / 100).toFixed(2),
      at: new Date().toISOString(),
    };
    return JSON.stringify({ seq, topic: 'price', data });
  };
  const timer = setInterval(() => {
    const count = (COINS * UPDATES_A_SECOND * SEND_EVERY_MS) / 1000;
    for (const client of server.clients) for (let i = 0; i < count; i++) client.send(frame());
  }, SEND_EVERY_MS);
  const address = server.address();
  return {
    url: `ws://127.0.0.1:${isObject(address) ? String(address['port']) : ''}`,
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      for (const client of server.clients) client.terminate();
      server.close();
      await once(server, 'close');
    },
  };
}

const nameOf = (n: number): string => `C${String(n).padStart(3, '0')}USDT`;

const partsOf = (value: unknown): Record<string, unknown> => (isObject(value) ? value : {});

/** The overview as it is, but with one coin made into 500. */
async function withManyCoins(page: Page): Promise<void> {
  await page.route('**/api/dashboard', async (route) => {
    const answer = await route.fetch();
    const held: unknown = await answer.json();
    const coins: readonly unknown[] = isObject(held) && Array.isArray(held['coins']) ? held['coins'] : [];
    const many = Array.from({ length: COINS }, (_, n) => ({
      ...partsOf(coins[0]),
      ...{ symbol: nameOf(n), baseAsset: nameOf(n).slice(0, 4), price: '100.00' },
    }));
    await route.fulfill({ response: answer, json: { ...partsOf(held), coins: many } });
  });
}

/** Frames that the page has drawn, and how long the longest of them took. */
function framesOf(page: Page, seconds: number): Promise<{ perSecond: number; longestMs: number }> {
  return page.evaluate(
    (ms) =>
      new Promise<{ perSecond: number; longestMs: number }>((resolve) => {
        const begun = performance.now();
        let [frames, longestMs, last] = [0, 0, begun];
        const step = (now: number): void => {
          frames += 1;
          longestMs = Math.max(longestMs, now - last);
          last = now;
          if (now - begun < ms) requestAnimationFrame(step);
          else resolve({ perSecond: (frames * 1000) / (now - begun), longestMs });
        };
        requestAnimationFrame(step);
      }),
    seconds * 1000,
  );
}

async function heapMb(session: CDPSession): Promise<number> {
  await session.send('HeapProfiler.collectGarbage');
  return (await session.send('Runtime.getHeapUsage')).usedSize / 1e6;
}

const row = (what: string, { firstPaintMs, longestTaskMs, scriptMs }: Traced): Record<string, string> => ({
  what,
  'first contentful paint ms': firstPaintMs === undefined ? '' : shown(firstPaintMs),
  'script ms': shown(scriptMs),
  'longest task ms': shown(longestTaskMs),
});

/** First paint of the overview, without and with what the browser has kept; and two interactions. */
async function paints(stack: Stack, page: Page): Promise<void> {
  const open = async (): Promise<void> => {
    await page.goto(stack.app.url);
    await page.locator('table tbody tr').first().waitFor();
  };
  const cold = await traced(page, open);
  const warm = await traced(page, open);
  const seenMs = async (press: () => Promise<void>, selector: string): Promise<number> => {
    const begun = performance.now();
    await press();
    await page.locator(selector).first().waitFor();
    return performance.now() - begun;
  };
  console.table([row('overview, first visit', cold), row('overview, again', warm)]);
  const palette = await seenMs(() => page.keyboard.press('Control+k'), 'dialog[open] [role=option]');
  await page.keyboard.press('Escape');
  const coin = await seenMs(() => page.getByRole('link', { name: /^BTC/ }).first().click(), 'canvas');
  console.log(
    `From a key press to the palette ${shown(palette)} ms, from a click to a coin's chart ${shown(coin)} ms.`,
  );
}

async function manyCoins(stack: Stack, signedIn: Page, minutes: number): Promise<void> {
  await using prices = await openPrices('paper');
  // The service's policy lets its pages connect to nobody else.
  const page = await stack.open({ ...DESKTOP, bypassCSP: true });
  await page.context().addCookies((await signedIn.context().storageState()).cookies);
  await page.addInitScript((url) => {
    const Real = WebSocket;
    class Prices extends Real {
      constructor() {
        super(url);
      }
    }
    Reflect.set(globalThis, 'WebSocket', Prices);
  }, prices.url);
  await withManyCoins(page);
  await page.goto(stack.app.url);
  await page
    .getByText(nameOf(COINS - 1).slice(0, 4))
    .first()
    .waitFor();
  await page.getByText('Live updates connected').waitFor();
  const frames = await framesOf(page, FRAME_SECONDS);
  const what = `${COINS} coins, ${COINS * UPDATES_A_SECOND} prices a second`;
  console.log(`${what}: ${shown(frames.perSecond)} frames a second, the longest ${shown(frames.longestMs)} ms.`);
  const session = await page.context().newCDPSession(page);
  const before = await heapMb(session);
  await framesOf(page, minutes * 60);
  const after = await heapMb(session);
  console.log(`Heap over ${minutes} min of that: ${shown(before)} MB, then ${shown(after)} MB.`);
  await page.context().close();
}

const EDITS = ['0.96', '0.955', '0.95', '0.945', '0.94'] as const;

/** What the preview says that it took over a year of minutes, for settings that decide on candles of each length. */
async function preview(stack: Stack, page: Page, profileId: string): Promise<void> {
  await page.goto(`${stack.app.url}/profiles/${profileId}/config`);
  const stop = page.getByLabel('Stop loss', { exact: true });
  const note = page.locator('section', { hasText: 'What if' }).getByText(/replayed in/);
  const told = async (act: () => Promise<unknown>): Promise<string> => {
    const before = (await note.count()) === 0 ? null : await note.textContent();
    await act();
    await note.waitFor({ timeout: 240_000 });
    while ((await note.textContent()) === before) await page.waitForTimeout(20);
    return (await note.textContent()) ?? '';
  };
  for (const interval of ['1h', '1m']) {
    await told(async () => {
      await page.getByLabel('Candles', { exact: true }).selectOption(interval);
      await stop.fill('0.965');
    });
    const words: string[] = [];
    for (const value of EDITS) words.push(await told(() => stop.fill(value)));
    const took = words.map((text) => /replayed in (.*)$/.exec(text)?.[1]).join(', ');
    console.log(`The preview of settings on ${interval} candles, ${words[0]?.split(',')[0]}: ${took}.`);
  }
}

const browser = findBrowser();
if (browser === undefined) {
  console.log('There is no Chromium on this machine, so the web app is not measured here.');
} else {
  process.env['TEST_BROWSER'] = browser;
  await using stack = await startStack({ days: 375, speed: 60, skipDays: 370 });
  const { page, profileId } = await settle(stack);
  page.setDefaultTimeout(60_000);
  await paints(stack, page);
  await preview(stack, page, profileId);
  await manyCoins(stack, page, Number(values.minutes));
}
