import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { PaperOptions } from '#paper/options.ts';

/** The market of a data folder. The same market continues where it stopped. */
export interface StoredMarket {
  readonly source: string;
  readonly seed: number;
  /** When the synthetic market was first opened. */
  readonly anchorMs: number;
  readonly fromMs: number | null;
}

const stored = z.object({ source: z.string(), seed: z.number(), anchorMs: z.number(), fromMs: z.number().nullable() });
const DEFAULT_SEED = 1;

/**
 * The market of the options, and whether the folder already holds it. The market changes with its source, its start, or
 * a seed on the command line. Balances and orders stay either way.
 */
export function resolveMarket(options: PaperOptions): { readonly market: StoredMarket; readonly continues: boolean } {
  const path = options.dataDir === undefined ? undefined : join(options.dataDir, 'market.json');
  const known = path === undefined ? undefined : readStored(path);
  const source = nameOf(options.source);
  const fromMs = options.fromMs ?? (options.clock.kind === 'virtual' ? options.clock.startMs : null);
  const seed = options.seed ?? known?.seed ?? DEFAULT_SEED;
  if (known !== undefined && known.source === source && known.seed === seed && known.fromMs === fromMs) {
    return { market: known, continues: true };
  }
  const market = { source, seed, fromMs, anchorMs: fromMs ?? Date.now() };
  if (path !== undefined) writeFileSync(path, JSON.stringify(market));
  return { market, continues: false };
}

function nameOf(source: PaperOptions['source']): string {
  if (source.kind === 'replay') return `replay:${source.folder}`;
  return source.kind === 'relay' ? `relay:${source.restUrl}` : source.kind;
}

function readStored(path: string): StoredMarket | undefined {
  if (!existsSync(path)) return undefined;
  try {
    const parsed = stored.safeParse(JSON.parse(readFileSync(path, 'utf8')));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}
