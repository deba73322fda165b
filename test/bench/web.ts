import { once } from 'node:events';
import { parseArgs } from 'node:util';
import type { CDPSession, Page } from 'playwright-core';
import { WebSocketServer } from 'ws';
import { isObject } from '#core/merge.ts';
import { DESKTOP } from '#test/e2e/browser.ts';
import { settle, type Stack, startStack } from '#test/e2e/stack.ts';
import { costOf, PAGES } from '#test/e2e/page-cost.ts';
import { findBrowser } from '#test/harness/programs.ts';
import { report, reportAbsent } from './report.ts';
import { type Traced, traced } from './web-trace.ts';

/**
 * The web app in Chromium: first paint of the overview, what a key press takes until it is seen, 500 coins whose prices
 * change ten times a second each, memory over minutes of that, and the preview of settings over a year of minutes.
 */
const COINS = 500;
const UPDATES_A_SECOND = 10;
const FRAME_SECONDS = 10;
const SEND_EVERY_MS = 20;
/** As many prices as the service puts into one message. */
const IN_A_MESSAGE = 40;

const PARTS = ['requests', 'paints', 'preview', 'coins'];
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { minutes: { type: 'string', default: '1' } },
});
/** Which parts are wanted: those that are named, else all. */
const wanted = new Set(positionals.length === 0 ? PARTS : positionals);
const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

/** A server of frames that the page takes for the service's own; each coin has ten new prices a second. */
async function openPrices(venue: string): Promise<AsyncDisposable & { url: string }> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let [seq, next] = [0, 0];
  const frame = () => {
    seq += 1;
    next = (next + 1) % COINS;
    const data = {
      venue,
      symbol: nameOf(next),
      price: (100 + (seq % 997) / 100).toFixed(2),
      at: new Date().toISOString(),
    };
    return { seq, at: data.at, topic: 'price', id: data.symbol, data };
  };
  const timer = setInterval(() => {
    for (let left = (COINS * UPDATES_A_SECOND * SEND_EVERY_MS) / 1000; left > 0; left -= IN_A_MESSAGE) {
      const message = JSON.stringify(Array.from({ length: Math.min(left, IN_A_MESSAGE) }, frame));
      for (const client of server.clients) client.send(message);
    }
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

/** An answer with the coins of the overview: one of them as 500. Another answer as it is. */
function withMany(held: Record<string, unknown>): Record<string, unknown> {
  if (!Array.isArray(held['coins']) || !('blockers' in held)) return held;
  const coins: readonly unknown[] = held['coins'];
  const many = Array.from({ length: COINS }, (_, n) => ({
    ...partsOf(coins[0]),
    ...{ symbol: nameOf(n), baseAsset: nameOf(n).slice(0, 4), price: '100.00' },
  }));
  return { ...held, coins: many };
}

/** The overview as it is, but with one coin made into 500. */
async function withManyCoins(page: Page): Promise<void> {
  await page.route(/\/api\/(dashboard|reads)/, async (route) => {
    const answer = await route.fetch();
    const held = partsOf(await answer.json());
    const answers = Array.isArray(held['answers']) ? held['answers'].map(partsOf) : undefined;
    const json =
      answers === undefined
        ? withMany(held)
        : { answers: answers.map((read) => ({ ...read, body: withMany(partsOf(read['body'])) })) };
    await route.fulfill({ response: answer, json });
  });
}

interface Frames {
  readonly perSecond: number;
  readonly longestMs: number;
  /** How often the first row showed another price. */
  readonly changes: number;
}

/** Frames that the page has drawn, and how long the longest of them took. */
function framesOf(page: Page, seconds: number): Promise<Frames> {
  return page.evaluate(
    (ms) =>
      new Promise<Frames>((resolve) => {
        const price = document.querySelector('table.three tbody td.num');
        const begun = performance.now();
        let [frames, longestMs, last, changes, shown] = [0, 0, begun, 0, price?.textContent];
        const step = (now: number): void => {
          frames += 1;
          longestMs = Math.max(longestMs, now - last);
          last = now;
          if (price?.textContent !== shown) changes += 1;
          shown = price?.textContent;
          if (now - begun < ms) requestAnimationFrame(step);
          else resolve({ perSecond: (frames * 1000) / (now - begun), longestMs, changes });
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

interface Seen {
  readonly event: string;
  /** Condition on the page. */
  readonly selector: string;
  /** Whether it is there already, and what counts is that something inside it changes. */
  readonly changes?: boolean;
}

/** From the event that the act causes until what is looked for is on the screen, in ms of the page's own clock. */
async function seenMs(page: Page, seen: Seen, act: () => Promise<void>): Promise<number> {
  // The page listens before the act: a key that is sent before the script has arrived is missed, and the wait never ends.
  const listening = await page.evaluateHandle(
    ({ event, selector, changes = false }) => ({
      painted: new Promise<number>((resolve) => {
        const begin = ({ timeStamp }: Event): void => {
          const watch = new MutationObserver(() => {
            if (document.querySelector(selector) === null) return;
            watch.disconnect();
            const after = new MessageChannel();
            after.port1.onmessage = () => resolve(performance.now() - timeStamp);
            requestAnimationFrame(() => after.port2.postMessage(null));
          });
          const where = changes ? document.querySelector(selector) : document.body;
          if (where) watch.observe(where, { subtree: true, childList: true, characterData: true, attributes: true });
        };
        document.addEventListener(event, begin, { capture: true, once: true });
      }),
    }),
    seen,
  );
  await act();
  return listening.evaluate(({ painted }) => painted);
}

/** First paint of the overview, without and with what the browser has kept; and two interactions. */
async function paints(stack: Stack, page: Page): Promise<void> {
  const open = async (): Promise<void> => {
    await page.goto(stack.app.url);
    await page.locator('table tbody tr').first().waitFor();
  };
  const cold = await traced(page, open);
  const warm = await traced(page, open);
  console.table([row('overview, first visit', cold), row('overview, again', warm)]);
  const paint = 'web: first paint of the overview';
  report({ id: 'web.first-paint', what: paint, unit: 'ms', values: [cold.firstPaintMs ?? Number.NaN] });
  report({ id: 'web.again-paint', what: `${paint}, again`, unit: 'ms', values: [warm.firstPaintMs ?? Number.NaN] });
  const palette = await seenMs(page, { event: 'keydown', selector: 'dialog[open] [role=option]' }, () =>
    page.keyboard.press('Control+k'),
  );
  await page.keyboard.press('Escape');
  const coin = await seenMs(page, { event: 'click', selector: 'canvas' }, () =>
    page.getByRole('link', { name: /^BTC/ }).first().click(),
  );
  console.log(
    `From a key press to the palette ${shown(palette)} ms, from a click to a coin's chart ${shown(coin)} ms.`,
  );
  report({ id: 'web.palette', what: 'web: key press to the palette', unit: 'ms', values: [palette] });
  report({ id: 'web.coin-chart', what: "web: click to a coin's chart", unit: 'ms', values: [coin] });
}

/** Requests and bytes of the two pages that are opened most, on a market at its own speed. */
async function requests(): Promise<void> {
  await using stack = await startStack({ speed: 1 });
  const { page, profileId } = await settle(stack);
  page.setDefaultTimeout(60_000);
  for (const [id, name, opened] of [
    ['overview', 'the overview, one coin', PAGES.overview],
    ['coin', 'the page of a coin', PAGES.coin(profileId)],
  ] as const) {
    const cost = await costOf(page, stack.app.url, opened);
    console.log(`Opening ${name}: ${cost.requests.length} requests of the api, ${shown(cost.bytes / 1000)} kB.`);
    const what = `web: opening ${name}`;
    report({ id: `web.${id}-requests`, what: `${what}, of the api`, unit: 'requests', values: [cost.requests.length] });
    report({ id: `web.${id}-size`, what: `${what}, with headers`, unit: 'kB', values: [cost.bytes / 1000] });
  }
}

async function manyCoins(stack: Stack, signedIn: Page, minutes: number): Promise<void> {
  await using prices = await openPrices('paper');
  // The service's policy lets its pages connect to no other server.
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
  await page.getByText(/Live, price/).waitFor();
  const frames = await framesOf(page, FRAME_SECONDS);
  const what = `${COINS} coins, ${COINS * UPDATES_A_SECOND} prices a second`;
  console.log(
    `${what}: ${shown(frames.perSecond)} frames a second, the longest ${shown(frames.longestMs)} ms; ` +
      `a row showed ${shown(frames.changes / FRAME_SECONDS)} prices a second.`,
  );
  report({ id: 'web.frames', what: `web: ${what}`, unit: 'frames a second', values: [frames.perSecond] });
  await memory(page, minutes);
  await page.context().close();
}

/** The page's heap once a minute, and the slope of the straight line through all but the first minute. */
async function memory(page: Page, minutes: number): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const heap: number[] = [];
  for (let minute = 0; minute <= minutes; minute++) {
    if (minute > 0) await page.waitForTimeout(60_000);
    heap.push(await heapMb(session));
  }
  const later = heap.slice(1);
  const mean = later.reduce((sum, mb) => sum + mb, 0) / later.length;
  const middle = (later.length - 1) / 2;
  const slope = later.reduce((sum, mb, i) => sum + (i - middle) * (mb - mean), 0);
  const spread = later.reduce((sum, _, i) => sum + (i - middle) ** 2, 0);
  const grows = spread === 0 ? '' : `; it grows by ${((slope / spread) * 1000).toFixed(1)} kB a minute`;
  report({ id: 'web.heap', what: `web: heap of that page over ${minutes} min`, unit: 'MB', values: heap });
  console.log(`Heap after each of ${minutes} min of that, MB: ${heap.map((mb) => mb.toFixed(2)).join(' ')}${grows}.`);
}

const EDITS = ['1.0062', '1.0064', '1.0066', '1.0068', '1.007'] as const;

/** Time of an edit until its preview over a year of minutes is seen, for settings that decide on candles of each length. */
async function preview(stack: Stack, page: Page, profileId: string): Promise<void> {
  await page.goto(`${stack.app.url}/profiles/${profileId}/config`);
  // Each of these makes another number of sales, and none of them loses all there is.
  await page.getByLabel('Stop loss', { exact: true }).fill('0.965');
  const start = page.getByLabel('Trailing stop starts at', { exact: true });
  const note = page.locator('section', { hasText: 'What if' }).getByText(/replayed in/);
  for (const interval of ['1h', '1m']) {
    await page.getByLabel('Candles', { exact: true }).selectOption(interval);
    await start.fill('1.0059');
    await note.waitFor({ timeout: 240_000 });
    // The first answers are those to the two edits above.
    await page.waitForTimeout(2_000);
    const answer = { event: 'input', selector: 'section:has(> #what-if)', changes: true };
    const took: number[] = [];
    const alone: string[] = [];
    for (const value of EDITS) {
      took.push(await seenMs(page, answer, () => start.fill(value)));
      alone.push(/replayed in (.*) ms$/.exec((await note.textContent()) ?? '')?.[1] ?? '');
    }
    const past = (await note.textContent())?.split(',')[0];
    console.log(
      `From a change to its preview, settings on ${interval} candles, ${past}: ${took.map(shown).join(', ')} ms; ` +
        `of which the replay ${alone.join(', ')} ms.`,
    );
    const what = `web: change of a setting to its preview over a year of minutes, settings on ${interval} candles`;
    report({ id: `web.preview-${interval}`, what, unit: 'ms', values: took });
  }
}

const browser = findBrowser();
if (browser === undefined) {
  reportAbsent('There is no Chromium on this machine.');
} else {
  process.env['TEST_BROWSER'] = browser;
  if (wanted.has('requests')) await requests();
  // Only the preview needs a year that is over.
  const year = wanted.has('preview') ? { days: 375, skipDays: 370 } : {};
  await using stack = await startStack({ speed: 60, ...year });
  const { page, profileId } = await settle(stack);
  page.setDefaultTimeout(60_000);
  if (wanted.has('paints')) await paints(stack, page);
  if (wanted.has('preview')) await preview(stack, page, profileId);
  if (wanted.has('coins')) await manyCoins(stack, page, Number(values.minutes));
}
