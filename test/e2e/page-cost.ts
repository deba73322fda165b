import type { Page, Request } from 'playwright-core';

interface Opened {
  readonly path: string;
  /** Reads after whose answers the page shows everything. */
  readonly lasts: readonly RegExp[];
}

/** Pages whose requests and bytes are counted. */
export const PAGES = {
  overview: { path: '/', lasts: [/^\/status$/, /\/price-alerts$/, /\/equity/, /\/day$/] },
  coin: (profileId: string): Opened => ({
    path: `/profiles/${profileId}/coins/BTCUSDT`,
    lasts: [/^\/status$/, /\/price-alerts$/, /\/chart\?/, /\/logs\?/],
  }),
} as const;

interface PageCost {
  /** Each with the addresses that it reads. */
  readonly requests: readonly string[];
  /** With headers. */
  readonly bytes: number;
}

/** The addresses that a request of the api reads. */
function addressesOf(request: Request): string[] {
  const { pathname, search, searchParams } = new URL(request.url());
  const path = pathname.replace(/^\/api/, '');
  return path === '/reads' ? (searchParams.get('paths') ?? '').split(',') : [path + search];
}

const NO_SIZES = { responseBodySize: 0, responseHeadersSize: 0 };

/** Opens a page by its address; the requests that read an address for the first time, and their bytes. */
export async function costOf(page: Page, url: string, { path, lasts }: Opened): Promise<PageCost> {
  const known = new Set<string>();
  const first: Request[] = [];
  const collect = (request: Request): void => {
    if (!new URL(request.url()).pathname.startsWith('/api/')) return;
    const addresses = addressesOf(request);
    if (addresses.some((address) => !known.has(address))) first.push(request);
    for (const address of addresses) known.add(address);
  };
  page.on('request', collect);
  const answered = lasts.map((last) =>
    page.waitForResponse((response) => addressesOf(response.request()).some((address) => last.test(address))),
  );
  await page.goto(`${url}${path}`);
  const responses = await Promise.all(answered);
  await Promise.all(responses.map((response) => response.finished()));
  page.off('request', collect);
  // A request that was cancelled has no sizes.
  const sizes = await Promise.all(first.map((request) => request.sizes().catch(() => NO_SIZES)));
  return {
    requests: first.map((request) => addressesOf(request).join(' ')),
    bytes: sizes.reduce((sum, size) => sum + size.responseBodySize + size.responseHeadersSize, 0),
  };
}
