import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { z } from 'zod';
import { readJson } from '#core/json.ts';
import { linesOf, type ReadOptions } from './lines.ts';
import { ALTERED, BackupRefused, CUT, requireClient } from './refused.ts';

const manifest = z.object({
  format: z.literal('tradewind-backup'),
  version: z.literal(1),
  at: z.iso.datetime(),
  migrations: z.array(z.object({ number: z.int(), name: z.string(), digest: z.string() })).min(1),
  /** Ordered for filling: referenced tables come first. */
  tables: z.array(z.string()),
  sequences: z.record(z.string(), z.string().regex(/^\d+$/)),
});
export type Manifest = z.output<typeof manifest>;
const ending = z.object({ sha256: z.string(), rows: z.record(z.string(), z.int()) });
export type Rows = z.output<typeof ending>['rows'];

/** Rows of one table as JSON text, which keeps numbers exact. */
export interface Batch {
  readonly table: string;
  readonly count: number;
  readonly json: string;
}

interface BackupContent {
  readonly manifest: Manifest;
  readonly batches: AsyncIterable<Batch>;
  /** Aborts when the client that waits for the file has gone. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Writes a backup to the disk: text compressed with gzip, one line for the manifest, one for each batch (table, tab,
 * count, tab, JSON array), one for the end, which holds the digest of every line before it.
 */
export async function writeBackupFile(file: FileHandle, content: BackupContent): Promise<Rows> {
  const digest = createHash('sha256');
  const rows: Rows = Object.fromEntries(content.manifest.tables.map((table) => [table, 0]));
  const line = (text: string): string => {
    digest.update(text).update('\n');
    return `${text}\n`;
  };
  async function* lines(): AsyncGenerator<string> {
    yield line(JSON.stringify(content.manifest));
    for await (const { table, count, json } of content.batches) {
      requireClient(content.signal);
      rows[table] = (rows[table] ?? 0) + count;
      yield line(`${table}\t${count}\t${json}`);
    }
    yield `end\t${JSON.stringify({ sha256: digest.digest('hex'), rows })}\n`;
  }
  await pipeline(Readable.from(lines()), createGzip({ chunkSize: 256 * 1024 }), (packed) => file.writeFile(packed));
  await file.sync();
  return rows;
}

type Part =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | ({ readonly kind: 'batch' } & Batch)
  | { readonly kind: 'end'; readonly rows: Rows };

/** Reads a backup part by part; throws BackupRefused at the first error. */
export async function* readBackupFile(file: string | FileHandle, options: ReadOptions = {}): AsyncGenerator<Part> {
  const digest = createHash('sha256');
  let [seen, ended] = [false, false];
  for await (const line of linesOf(file, options)) {
    if (ended) throw new BackupRefused(ALTERED);
    const [table, count, json] = fieldsOf(line);
    if (seen && table === 'end') {
      const end = ending.safeParse(readJson(count));
      if (end.data?.sha256 !== digest.digest('hex'))
        throw new BackupRefused('The file was altered: its checksum differs.');
      ended = true;
      yield { kind: 'end', rows: end.data.rows };
      continue;
    }
    digest.update(line).update('\n');
    if (seen) yield { kind: 'batch', table, count: Number(count), json };
    else yield { kind: 'manifest', manifest: requireManifest(line) };
    seen = true;
  }
  if (!ended) throw new BackupRefused(seen ? CUT : 'The file is not a Tradewind backup.');
}

/** Table, count and the rest, which may hold tabs. */
function fieldsOf(line: string): [string, string, string] {
  const first = line.indexOf('\t');
  if (first === -1) return [line, '', ''];
  const second = line.indexOf('\t', first + 1);
  const end = second === -1 ? line.length : second;
  return [line.slice(0, first), line.slice(first + 1, end), line.slice(end + 1)];
}

function requireManifest(line: string): Manifest {
  const parsed = manifest.safeParse(readJson(line));
  if (parsed.success) return parsed.data;
  throw new BackupRefused('The file is not a Tradewind backup that this version can read.');
}
