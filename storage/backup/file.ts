import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip, createGunzip } from 'node:zlib';
import { z } from 'zod';

/** A file that is no complete and unchanged backup of a version that can be restored; the message says why. */
export class BackupRefused extends Error {
  override readonly name = 'BackupRefused';
}

const manifest = z.object({
  format: z.literal('tradewind-backup'),
  version: z.literal(1),
  at: z.iso.datetime(),
  migrations: z.array(z.object({ number: z.int(), name: z.string(), digest: z.string() })).min(1),
  /** In an order in which they can be filled: what is referred to comes first. */
  tables: z.array(z.string()),
  sequences: z.record(z.string(), z.string().regex(/^\d+$/)),
});
export type Manifest = z.output<typeof manifest>;
const ending = z.object({ sha256: z.string(), rows: z.record(z.string(), z.int()) });
export type Rows = z.output<typeof ending>['rows'];

/** Rows of one table as JSON text: numbers stay as exact as the database wrote them. */
export interface Batch {
  readonly table: string;
  readonly count: number;
  readonly json: string;
}

/**
 * Writes a backup: text compressed with gzip, one line for the manifest, one for each batch (table, tab, count, tab, JSON
 * array), one for the end, which holds the digest of every line before it.
 */
export async function writeBackupFile(path: string, head: Manifest, batches: AsyncIterable<Batch>): Promise<Rows> {
  const digest = createHash('sha256');
  const rows: Rows = Object.fromEntries(head.tables.map((table) => [table, 0]));
  const line = (text: string): string => {
    digest.update(text).update('\n');
    return `${text}\n`;
  };
  async function* lines(): AsyncGenerator<string> {
    yield line(JSON.stringify(head));
    for await (const { table, count, json } of batches) {
      rows[table] = (rows[table] ?? 0) + count;
      yield line(`${table}\t${count}\t${json}`);
    }
    yield `end\t${JSON.stringify({ sha256: digest.digest('hex'), rows })}\n`;
  }
  await pipeline(Readable.from(lines()), createGzip(), createWriteStream(path, { mode: 0o600, flush: true }));
  return rows;
}

const ALTERED = 'The file was altered: it goes on after its end.';
const CUT = 'The file is cut off or damaged: it does not end like a backup.';

/** The lines of a backup file; a file that cannot be unpacked to its end is refused. */
async function* linesOf(path: string): AsyncGenerator<string> {
  const file = createReadStream(path);
  const text = createGunzip().setEncoding('utf8');
  file.on('error', (error) => text.destroy(error));
  let rest = '';
  try {
    for await (const chunk of file.pipe(text)) {
      const lines = `${rest}${String(chunk)}`.split('\n');
      rest = lines.pop() ?? '';
      yield* lines;
    }
  } catch (error) {
    const unpacking = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw unpacking ? new BackupRefused(CUT) : error;
  } finally {
    file.destroy();
  }
  if (rest !== '') throw new BackupRefused(CUT);
  // Whatever follows the packed text is passed over by the unpacking, but not by the file's length.
  if (text.bytesWritten !== (await stat(path)).size) throw new BackupRefused(ALTERED);
}

type Part =
  | { readonly kind: 'manifest'; readonly manifest: Manifest }
  | ({ readonly kind: 'batch' } & Batch)
  | { readonly kind: 'end'; readonly rows: Rows };

/** Reads a backup part by part; throws BackupRefused at the first thing that is wrong. */
export async function* readBackupFile(path: string): AsyncGenerator<Part> {
  const digest = createHash('sha256');
  let [seen, ended] = [false, false];
  for await (const line of linesOf(path)) {
    if (ended) throw new BackupRefused(ALTERED);
    const [table = '', count = '', ...rest] = line.split('\t');
    if (seen && table === 'end') {
      const end = ending.safeParse(parseJson(count));
      if (end.data?.sha256 !== digest.digest('hex'))
        throw new BackupRefused('The file was altered: its checksum differs.');
      ended = true;
      yield { kind: 'end', rows: end.data.rows };
      continue;
    }
    digest.update(line).update('\n');
    if (seen) yield { kind: 'batch', table, count: Number(count), json: rest.join('\t') };
    else yield { kind: 'manifest', manifest: requireManifest(line) };
    seen = true;
  }
  if (!ended) throw new BackupRefused(seen ? CUT : 'The file is no Tradewind backup.');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function requireManifest(line: string): Manifest {
  const parsed = manifest.safeParse(parseJson(line));
  if (parsed.success) return parsed.data;
  throw new BackupRefused('The file is no Tradewind backup that this version can read.');
}
