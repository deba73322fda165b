import { crc32, inflateRawSync } from 'node:zlib';

/*
 * Records of the zip format (PKWARE APPNOTE 4.3): end of the central directory, entry of the directory, local header.
 */
const END = 0x06054b50;
const ENTRY = 0x02014b50;
const LOCAL = 0x04034b50;
const END_BYTES = 22;
const DEFLATED = 8;
const LONGEST_COMMENT = 65_535;

const broken = (what: string): Error => new Error(`the zip file is broken: ${what}`);

function findEnd(bytes: Buffer): number {
  const lowest = Math.max(0, bytes.length - END_BYTES - LONGEST_COMMENT);
  for (let at = bytes.length - END_BYTES; at >= lowest; at--) if (bytes.readUInt32LE(at) === END) return at;
  throw broken('it has no end, so it is cut short or no zip file');
}

/** Reads the only file of a zip file and checks its checksum. Throws with the problem. */
export function unzipOnly(bytes: Buffer): Buffer {
  const end = findEnd(bytes);
  const files = bytes.readUInt16LE(end + 10);
  if (files !== 1) throw broken(`it holds ${files} files instead of one`);
  const entry = bytes.readUInt32LE(end + 16);
  if (entry + 46 > bytes.length || bytes.readUInt32LE(entry) !== ENTRY) throw broken('its directory is missing');
  const method = bytes.readUInt16LE(entry + 10);
  const [crc, packed, size, local] = [16, 20, 24, 42].map((offset) => bytes.readUInt32LE(entry + offset));
  if (crc === undefined || packed === undefined || size === undefined || local === undefined) throw broken('no sizes');
  if (local + 30 > bytes.length || bytes.readUInt32LE(local) !== LOCAL) throw broken('its file is missing');
  const start = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
  const data = bytes.subarray(start, start + packed);
  const text = method === DEFLATED ? inflateRawSync(data) : data;
  if (text.length !== size || crc32(text) !== crc) throw broken('its checksum does not fit');
  return text;
}
