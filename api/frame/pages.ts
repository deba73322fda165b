import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, relative, sep } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { Hono } from 'hono';
import type { ApiEnv } from '#api/handle.ts';

interface Page {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly gzipped: Uint8Array<ArrayBuffer>;
  readonly type: string;
  readonly etag: string;
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.txt': 'text/plain; charset=utf-8',
};
/** Folder of files whose names carry a digest of their content. */
const HASHED = '/assets/';

const compress = promisify(gzip);

async function loadPage(path: string): Promise<Page> {
  const bytes = new Uint8Array(await readFile(path));
  return {
    bytes,
    gzipped: new Uint8Array(await compress(bytes)),
    type: TYPES[extname(path)] ?? 'application/octet-stream',
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
  };
}

/** The built web app in memory, by URL path: a request cannot reach a file outside of the folder. */
export async function loadPages(folder: string): Promise<ReadonlyMap<string, Page>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const urlOf = (file: string): string => `/${relative(folder, file).split(sep).join('/')}`;
  return new Map(await Promise.all(files.map(async (file) => [urlOf(file), await loadPage(file)] as const)));
}

function assetResponse(page: Page, path: string, request: Request): Response {
  const caching = path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache';
  const headers = { 'content-type': page.type, 'cache-control': caching, etag: page.etag };
  if (request.headers.get('if-none-match') === page.etag) return new Response(null, { status: 304, headers });
  if (!/\bgzip\b/.test(request.headers.get('accept-encoding') ?? '')) return new Response(page.bytes, { headers });
  return new Response(page.gzipped, { headers: { ...headers, 'content-encoding': 'gzip' } });
}

/** Never cached: it names the hashed files of the current version. */
const htmlResponse = (page: Page): Response =>
  new Response(page.bytes, { headers: { 'content-type': page.type, 'cache-control': 'no-store' } });

/** Serves the web app at `/`; addresses of its own routes get index.html, unknown files a 404. */
export function mountPages(app: Hono<ApiEnv>, pages: ReadonlyMap<string, Page>): void {
  const index = pages.get('/index.html');
  app.get('*', (c, next) => {
    const { path } = c.req;
    if (path === '/api' || path.startsWith('/api/')) return next();
    const page = pages.get(path);
    if (page !== undefined && page !== index) return Promise.resolve(assetResponse(page, path, c.req.raw));
    const isRoute = path === '/index.html' || extname(path) === '';
    return index !== undefined && isRoute ? Promise.resolve(htmlResponse(index)) : next();
  });
}
