import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { crc32, deflateRawSync, gunzipSync, gzipSync } from 'node:zlib';
import { readFileSync } from 'node:fs';

const MAIN = resolve(import.meta.dirname, '..', 'main.ts');
const FOLDER = mkdtempSync(join(tmpdir(), 'candles-'));
after(() => rmSync(FOLDER, { recursive: true }));

const START = Date.UTC(2025, 0, 1);
/** A row of the public archive; times in microseconds, as it gives them since 2025. */
const archiveRow = (minute: number, close: string): string =>
  `${(START + minute * 60_000) * 1000},100.00000000,101.00000000,99.50000000,${close},12.34500000,${(START + minute * 60_000 + 59_999) * 1000},1234.5,7,6.1,610.5,0`;

/** A zip file with one entry, as `zip` writes it. */
function zipOf(name: string, text: string): Buffer {
  const [data, file] = [deflateRawSync(text), Buffer.from(name)];
  const fields = (signature: number, more: number, tail: number[]): Buffer => {
    const head = Buffer.alloc(30 + more);
    head.writeUInt32LE(signature);
    const at = more === 0 ? 4 : 6;
    head.writeUInt16LE(20, at);
    head.writeUInt16LE(8, at + 4);
    for (const [i, value] of [crc32(text), data.length, Buffer.byteLength(text)].entries())
      head.writeUInt32LE(value, at + 10 + 4 * i);
    head.writeUInt16LE(file.length, at + 22);
    if (more > 0) for (const [i, value] of tail.entries()) head.writeUInt32LE(value, 38 + 4 * i);
    return Buffer.concat([head, file]);
  };
  const local = Buffer.concat([fields(0x04034b50, 0, []), data]);
  const entry = fields(0x02014b50, 16, [0, 0]);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50);
  end.writeUInt16LE(1, 8);
  end.writeUInt16LE(1, 10);
  end.writeUInt32LE(entry.length, 12);
  end.writeUInt32LE(local.length, 16);
  return Buffer.concat([local, entry, end]);
}

function candles(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [MAIN, 'candles', ...args, '--data-dir', join(FOLDER, 'data')],
    {
      cwd: FOLDER,
      encoding: 'utf8',
    },
  );
  return { status, stdout: stdout.trim(), stderr: stderr.trim() };
}
const save = (name: string, bytes: Buffer | string): string => {
  writeFileSync(join(FOLDER, name), bytes);
  return name;
};

test('a zip file of the archive goes in, comes out as text, and feeds a backtest', () => {
  const text = [0, 1, 2, 4].map((minute) => archiveRow(minute, '100.25')).join('\n');
  const file = save('SOLUSDT-1m-2025-01.zip', zipOf('SOLUSDT-1m-2025-01.csv', text));
  const read = candles('import', '--file', file);
  assert.equal(read.stderr, '');
  assert.deepEqual(read.stdout.split('\n'), [
    'Read 1 file: 4 candles are new, 0 replaced others.',
    'SOLUSDT 1m  2025-01-01 00:00 to 2025-01-01 00:05 UTC  4 candles, 1 missing in one gap, 80.00 % covered',
  ]);
  const out = candles('export', '--symbol', 'SOLUSDT', '--interval', '1m', '--file', 'out.csv.gz');
  assert.equal(out.status, 0, out.stderr);
  const lines = gunzipSync(readFileSync(join(FOLDER, 'out.csv.gz')))
    .toString()
    .split('\n');
  assert.deepEqual(lines.slice(0, 2), ['openTime,open,high,low,close,volume', `${START},100,101,99.5,100.25,12.345`]);
  const args = [MAIN, 'backtest', '--candles', join('data', 'candles', 'live'), '--strategy', 'hold', '--json'];
  const run = spawnSync(process.execPath, args, { cwd: FOLDER, encoding: 'utf8' });
  assert.equal(JSON.parse(run.stdout).coverage.candles, 4, run.stderr);
});

const HEADER = 'openTime,open,high,low,close,volume';
const good = `${START},1,2,1,1.5,10`;
const whole = zipOf('x.csv', good);
for (const [name, bytes, says] of [
  ['a row twice', `${HEADER}\n${good}\n${good}\n`, /line 3: openTime \d+ does not come after/],
  ['rows out of order', `${HEADER}\n${good}\n${START - 60_000},1,2,1,1,1\n`, /line 3: openTime/],
  ['a word that is no number', `${HEADER}\n${START},1,NaN,1,1,1\n`, /line 2: "NaN" in column high is not a number/],
  ['a negative price', `${HEADER}\n${START},1,2,-1,1,1\n`, /line 2: low -1 is not above zero/],
  ['a time off the grid', `${HEADER}\n${START + 1},1,2,1,1,1\n`, /line 2: openTime \d+ is not a multiple of 60000 ms/],
  ['an archive row out of order', `${archiveRow(1, '100')}\n${archiveRow(0, '100')}`, /line 2: openTime/],
  ['a cut gzip file', gzipSync(`${HEADER}\n${good}\n`).subarray(0, 40), /cannot be read: unexpected end of file/],
  ['a cut zip file', whole.subarray(0, -30), /cannot be read: the zip file is broken: it has no end/],
  [
    'a zip file with a wrong byte',
    Buffer.concat([whole.subarray(0, 40), Buffer.from('!'), whole.subarray(41)]),
    /the zip file is broken|invalid/,
  ],
] as const) {
  test(`${name} is refused, and nothing of the folder is stored`, () => {
    const folder = mkdtempSync(join(FOLDER, 'bad-'));
    writeFileSync(join(folder, 'AAAUSDT-1m.csv'), `${HEADER}\n${good}\n`);
    const ending = name.includes('gzip') ? 'csv.gz' : name.includes('zip') ? 'zip' : 'csv';
    writeFileSync(join(folder, `BBBUSDT-1m.${ending}`), bytes);
    const read = candles('import', '--file', folder);
    assert.equal(read.status, 1);
    assert.match(read.stderr, says);
    assert.match(read.stderr, /BBBUSDT-1m/);
    assert.doesNotMatch(candles('list').stdout, /AAAUSDT/);
  });
}

test('wrong usage is one sentence', () => {
  assert.match(candles('sell').stderr, /^"tradewind candles" needs one of import, fetch, export, list, not "sell"\.$/);
  assert.match(candles('import').stderr, /^--file is missing/);
  assert.match(
    candles('list', '--market', 'moon').stderr,
    /^--market is "moon", but must be one of live, testnet, demo, paper\.$/,
  );
});
