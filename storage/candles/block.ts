import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import type { CandleColumns, Interval } from '#core/market/candle.ts';
import {
  decodePlanes,
  encodePlanes,
  isPlanesHeader,
  type PlanesHeader,
  planesSize,
} from '#core/market/candle-planes.ts';

export type BlockHeader = PlanesHeader;

const MAGIC = 'TWC1';
const HEAD = 8;
/** Minimum chunk size of node:zlib. */
const SMALLEST_CHUNK = 64;

/** Packs candles of one series: planes under zstd with a checksum. */
export function encodeBlock(interval: Interval, columns: CandleColumns): Buffer {
  const { header, body } = encodePlanes(interval, columns);
  const head = Buffer.from(JSON.stringify(header));
  const size = Buffer.alloc(HEAD - MAGIC.length);
  size.writeUInt32LE(head.length);
  const params = { [constants.ZSTD_c_checksumFlag]: 1, [constants.ZSTD_c_compressionLevel]: 6 };
  return Buffer.concat([Buffer.from(MAGIC), size, head, zstdCompressSync(body, { params })]);
}

/** Reads the header of a block from its first bytes; undefined when they are not a block. */
export function readBlockHeader(bytes: Buffer): { header: BlockHeader; end: number } | undefined {
  if (bytes.length < HEAD || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const end = HEAD + bytes.readUInt32LE(MAGIC.length);
  if (end > bytes.length) return undefined;
  const header: unknown = JSON.parse(bytes.toString('utf8', HEAD, end));
  return isPlanesHeader(header) ? { header, end } : undefined;
}

/** Unpacks a block into `into`, its first candle at row `at`. Throws when the block is damaged. */
export function decodeBlock(bytes: Buffer, into: CandleColumns, at: number): void {
  const read = readBlockHeader(bytes);
  if (read === undefined) throw new Error('it is not a candle file');
  const { header, end } = read;
  const chunkSize = Math.max(planesSize(header), SMALLEST_CHUNK);
  const body = zstdDecompressSync(bytes.subarray(end), { chunkSize });
  decodePlanes({ header, body }, into, at);
  // Freed at once: otherwise the memory of many months would wait for the garbage collector.
  if (body.byteLength === body.buffer.byteLength && body.buffer instanceof ArrayBuffer) body.buffer.transfer(0);
}
