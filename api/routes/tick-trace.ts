import { cacheKeys } from '#core/installation/cache-keys.ts';
import { readJson } from '#core/json.ts';
import { isObject } from '#core/merge.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import { readTickTrace } from '#api/contract/records.ts';
import type { Routes } from '#api/handle.ts';

const SCANNED_AT_ONCE = 500;

interface Wanted {
  readonly key: string;
  readonly symbol: string;
  readonly limit: number;
  readonly skip: number;
}

/** The text test comes first: parsing every entry of other coins would cost far more. */
function isOfSymbol(symbol: string, text: string): boolean {
  if (!text.includes(JSON.stringify(symbol))) return false;
  const entry = readJson(text);
  return isObject(entry) && entry['symbol'] === symbol;
}

/** Entries of one coin, newest first; `skip` counts entries of that coin. */
async function newestOf(cache: CacheStore, { key, symbol, limit, skip }: Wanted): Promise<string[]> {
  const found: string[] = [];
  for (let seen = 0; found.length < skip + limit; seen += SCANNED_AT_ONCE) {
    const texts = await cache.newest(key, SCANNED_AT_ONCE, seen);
    found.push(...texts.filter((text) => isOfSymbol(symbol, text)));
    if (texts.length < SCANNED_AT_ONCE) break;
  }
  return found.slice(skip, skip + limit);
}

export function mountTickTrace({ context, handle }: Routes): void {
  const { cache } = context;
  handle(readTickTrace, async ({ profile, query }) => {
    const key = cacheKeys.tickTrace(profile.id);
    const { symbol, limit, skip } = query;
    const entries =
      symbol === undefined ? await cache.newest(key, limit, skip) : await newestOf(cache, { key, symbol, limit, skip });
    // The stored texts are the response, without parsing and serializing them.
    return new Response(`{"entries":[${entries.join(',')}]}`, { headers: { 'content-type': 'application/json' } });
  });
}
