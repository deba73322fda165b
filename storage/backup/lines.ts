import { type FileHandle, open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { ALTERED, BackupRefused, CUT, requireClient } from './refused.ts';

const MIB = 1024 ** 2;

/** Limits for unpacking: a small file can unpack to a thousand times its size. */
export interface ReadLimits {
  readonly lineBytes: number;
  readonly totalBytes: number;
  /** Unpacked bytes for each packed one. */
  readonly ratio: number;
}

/** For a file on the operator's disk. Earlier versions wrote lines of up to half a gibibyte. */
export const OWN_FILE: ReadLimits = { lineBytes: 512 * MIB, totalBytes: Infinity, ratio: Infinity };
/** For an uploaded file, so that it cannot block the api. */
export const UPLOADED_FILE: ReadLimits = { lineBytes: 64 * MIB, totalBytes: 65_536 * MIB, ratio: 200 };

/** Below this size the ratio is not checked: a short repetitive text exceeds any ratio and is harmless. */
const FREE_OF_RATIO_BYTES = 64 * MIB;
const NEWLINE = 0x0a;
const PIECE_BYTES = MIB / 4;

export interface ReadOptions {
  readonly limits?: ReadLimits;
  /** Aborts when the client that waits for the outcome has gone. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The lines of a packed file, in time proportional to its size. Refuses a file that cannot be unpacked completely or
 * that unpacks to more than the limits.
 */
export async function* linesOf(source: string | FileHandle, options: ReadOptions): AsyncGenerator<string> {
  if (typeof source === 'string') {
    await using file = await open(source);
    yield* linesIn(file, options);
  } else yield* linesIn(source, options);
}

async function* linesIn(file: FileHandle, { limits = OWN_FILE, signal }: ReadOptions): AsyncGenerator<string> {
  const packed = Readable.from(piecesOf(file));
  const text = createGunzip({ chunkSize: PIECE_BYTES });
  packed.on('error', (error) => text.destroy(error));
  const line = new LineCollector(limits.lineBytes);
  let bytes = 0;
  try {
    const unpacked: AsyncIterable<Buffer> = packed.pipe(text);
    for await (const piece of unpacked) {
      requireClient(signal);
      bytes += piece.length;
      requireWithin(limits, bytes, text.bytesWritten);
      yield* line.add(piece);
    }
  } catch (error) {
    const unpacking = error instanceof Error && 'code' in error && String(error.code).startsWith('Z_');
    throw unpacking ? new BackupRefused(CUT) : error;
  } finally {
    packed.destroy();
    text.destroy();
  }
  if (!line.isEmpty()) throw new BackupRefused(CUT);
  // Gunzip ignores bytes after the packed text; the file's length reveals them.
  if (text.bytesWritten !== (await file.stat()).size) throw new BackupRefused(ALTERED);
}

/** Reads from the start, independent of the file's position; a stream of the file would close it. */
async function* piecesOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(PIECE_BYTES), 0, PIECE_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function requireWithin({ totalBytes, ratio }: ReadLimits, unpacked: number, packed: number): void {
  const elsewhere = 'If it is yours, restore it on the command line: tradewind restore --from FILE.';
  if (unpacked > totalBytes)
    throw new BackupRefused(`The file unpacks to more than ${totalBytes / MIB / 1024} GiB. ${elsewhere}`);
  if (unpacked > FREE_OF_RATIO_BYTES && unpacked > packed * ratio)
    throw new BackupRefused(`The file unpacks to more than ${ratio} times its size. ${elsewhere}`);
}

/** Joins the chunks of a line once, when its end arrives. */
class LineCollector {
  readonly #mostBytes: number;
  #chunks: Buffer[] = [];
  #bytes = 0;

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  isEmpty(): boolean {
    return this.#bytes === 0;
  }

  *add(chunk: Buffer): Generator<string> {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, from)) {
      this.#keep(chunk.subarray(from, end));
      yield this.#join();
      from = end + 1;
    }
    this.#keep(chunk.subarray(from));
  }

  #keep(part: Buffer): void {
    if (part.length === 0) return;
    this.#bytes += part.length;
    if (this.#bytes > this.#mostBytes)
      throw new BackupRefused(
        `The file holds a line of more than ${this.#mostBytes / MIB} MiB, so it is not a backup.`,
      );
    this.#chunks.push(part);
  }

  #join(): string {
    const text = Buffer.concat(this.#chunks, this.#bytes).toString('utf8');
    this.#chunks = [];
    this.#bytes = 0;
    return text;
  }
}
