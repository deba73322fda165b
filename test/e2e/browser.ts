import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The Chromium that the test run found on this machine. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env['TEST_BROWSER'];
  if (executablePath === undefined)
    throw new Error('TEST_BROWSER is missing: run npm test, which looks for a browser.');
  return chromium.launch({ executablePath, args: FLAGS });
}

/** Requests of a page that a service worker handles cannot be intercepted; test/e2e/offline.test.ts allows it. */
export const DESKTOP = {
  viewport: { width: 1440, height: 900 },
  serviceWorkers: 'block',
} as const satisfies BrowserContextOptions;
export const PHONE = {
  viewport: { width: 375, height: 667 },
  isMobile: true,
  hasTouch: true,
  serviceWorkers: 'block',
} as const satisfies BrowserContextOptions;

/** Keeps a picture where SCREENSHOT_DIR names a folder; else does nothing. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['SCREENSHOT_DIR'];
  if (folder === undefined || folder === '') return;
  mkdirSync(folder, { recursive: true });
  // Elements that stick to the top of the window would be in the middle of the picture.
  await page.evaluate(() => scrollTo(0, 0));
  await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
}

/** The elements that make the page scroll sideways, in words; empty when it does not. */
export const sidewaysScroll = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    if (scrollWidth <= clientWidth) return '';
    const out = [...document.querySelectorAll('body *')].filter(
      (one) => one.getBoundingClientRect().right > clientWidth + 0.5,
    );
    const names = out.map((one) => `${one.localName} "${one.getAttribute('class') ?? ''}"`);
    return `${scrollWidth - clientWidth} px: ${names.join(', ')}`;
  });
