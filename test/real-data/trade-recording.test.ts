import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, inflateRawSync } from 'node:zlib';
import { z } from 'zod';
import { formatFixed, requireDecimal } from '#core/amount/decimal.ts';
import { readFrame } from '#exchange/parse/frames.ts';

const folder = join(import.meta.dirname, '../../../shared/data/trades/freqtrade');
const skip = existsSync(folder) ? false : `needs recorded trades in ${folder}, and there are none`;

/** The first file of an archive. */
function unzip(archive: Buffer): string {
  const beginning = 30 + archive.readUInt16LE(26) + archive.readUInt16LE(28);
  return inflateRawSync(archive.subarray(beginning)).toString();
}

/** The event that the client reads from a frame with this payload; the price with as many decimals as it was written with. */
function readPrice(data: object, written: string): { symbol: string; price: string; order: number } {
  const frame = readFrame({ stream: 'recorded', data });
  assert.ok(frame.kind === 'event' && frame.event.kind === 'price', JSON.stringify(data));
  const { symbol, price } = frame.event;
  assert.equal(price, requireDecimal(written));
  return { symbol, price: formatFixed(price, written.split('.')[1]?.length ?? 0), order: frame.order };
}

test('a recorded day of aggregates becomes prices to the last digit, without a gap', { skip }, () => {
  const rows = unzip(readFileSync(join(folder, 'PEPEUSDT-aggTrades-2024-10-27.zip')))
    .trim()
    .split('\n');
  assert.equal(rows.length, 57_229);
  let last = { a: 0, l: 0 };
  for (const row of rows) {
    const [a, f, l, T] = [0, 3, 4, 5].map((column) => Number(row.split(',')[column]));
    const [, p = '', q = ''] = row.split(',');
    const read = readPrice({ e: 'aggTrade', s: 'PEPEUSDT', a, p, q, f, l, T }, p);
    assert.deepEqual(read, { symbol: 'PEPEUSDT', price: p, order: a });
    assert.ok(last.a === 0 || (a === last.a + 1 && f === last.l + 1), row);
    last = { a: a ?? 0, l: l ?? 0 };
  }
});

const trade = z.tuple([z.number(), z.string(), z.unknown(), z.string(), z.number(), z.number(), z.number()]);

test('recorded trades of a coin quoted in another coin become prices to the last digit', { skip }, () => {
  const body: unknown = JSON.parse(gunzipSync(readFileSync(join(folder, 'XRPETH-trades.json.gz'))).toString());
  const rows = z.array(trade).parse(body);
  assert.equal(rows.length, 12_477);
  for (const [T, t, , , price] of rows) {
    const p = price.toFixed(8);
    assert.deepEqual(readPrice({ e: 'trade', s: 'XRPETH', t, p, T }, p), {
      symbol: 'XRPETH',
      price: p,
      order: Number(t),
    });
  }
});
