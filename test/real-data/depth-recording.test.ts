import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { type Decimal, formatFixed, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { readExactJson } from '#exchange/json.ts';
import { readFrame } from '#exchange/parse/frames.ts';

const folder = join(import.meta.dirname, '../../../shared/data/trades/hftbacktest');
const skip = existsSync(folder) ? false : `needs the recorded streams in ${folder}, and there are none`;

const levels = z.array(z.tuple([z.string(), z.string()]));
const snapshot = z.object({ lastUpdateId: z.number(), bids: levels, asks: levels });
const update = z.object({ e: z.literal('depthUpdate'), U: z.number(), u: z.number(), b: levels, a: levels });
const ticker = z.object({ u: z.number(), b: z.string(), B: z.string(), a: z.string(), A: z.string() });
const trade = z.object({ e: z.literal('trade'), t: z.number(), p: z.string() });
const frame = z.union([z.object({ data: z.union([update, trade, ticker]) }).transform(({ data }) => data), snapshot]);

/** A line is the local time in ns and the frame as it came. */
const frames = (name: string): unknown[] =>
  gunzipSync(readFileSync(join(folder, name)))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => readExactJson(line.slice(line.indexOf(' ') + 1)));

type Side = Map<Decimal, Decimal>;

function set(side: Side, changes: z.infer<typeof levels>): void {
  for (const [price, quantity] of changes) {
    const amount = requireDecimal(quantity);
    if (amount === ZERO) side.delete(requireDecimal(price));
    else side.set(requireDecimal(price), amount);
  }
}

const best = (side: Side, better: (a: Decimal, b: Decimal) => boolean): Decimal =>
  [...side.keys()].reduce((found, price) => (better(price, found) ? price : found));

test('the recorded depth stream rebuilds the book without a gap, and agrees with the recorded best prices', {
  skip,
}, () => {
  const all = [...frames('btcusdt_20240808.gz'), ...frames('btcusdt_20240809.gz')].map((raw) => frame.parse(raw));
  const first = all.find((one) => 'lastUpdateId' in one);
  assert.ok(first !== undefined && 'lastUpdateId' in first);
  const [bids, asks]: [Side, Side] = [new Map(), new Map()];
  set(bids, first.bids);
  set(asks, first.asks);
  let at = first.lastUpdateId;
  const tickers = new Map(all.flatMap((one) => ('B' in one ? [[one.u, one] as const] : [])));
  let applied = 0;
  let compared = 0;
  for (const one of all) {
    if (!('U' in one) || one.u <= first.lastUpdateId) continue;
    assert.ok(applied === 0 ? one.U <= at + 1 && at + 1 <= one.u : one.U === at + 1, `gap: ${one.U} follows ${at}`);
    set(bids, one.b);
    set(asks, one.a);
    at = one.u;
    applied += 1;
    const told = tickers.get(at);
    if (told === undefined || applied % 10 !== 0) continue;
    const [bid, ask] = [best(bids, (a, b) => a > b), best(asks, (a, b) => a < b)];
    assert.deepEqual([bid, ask], [requireDecimal(told.b), requireDecimal(told.a)]);
    assert.deepEqual([bids.get(bid), asks.get(ask)], [requireDecimal(told.B), requireDecimal(told.A)]);
    compared += 1;
  }
  assert.ok(applied > 6_000 && compared > 100, `${applied} updates, ${compared} compared`);
});

test('every recorded trade becomes a price to the last digit, in the order of its ids', { skip }, () => {
  let last = 0;
  let count = 0;
  for (const raw of [...frames('btcusdt_20240808.gz'), ...frames('btcusdt_20240809.gz')]) {
    const recorded = z.object({ data: trade }).safeParse(raw).data?.data;
    const read = readFrame(raw);
    assert.equal(read.kind, recorded === undefined ? 'other' : 'event');
    if (recorded === undefined || read.kind !== 'event' || read.event.kind !== 'price') continue;
    assert.equal(formatFixed(read.event.price, 8), recorded.p);
    assert.ok(last === 0 || read.order === last + 1, `trade ${read.order} follows ${last}`);
    last = read.order;
    count += 1;
  }
  assert.ok(count > 19_000, `${count} trades`);
});
