import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Freshness, isStale } from './freshness.ts';

const RETRY = { attempt: 0, atMs: null };

/** A page that opened at 0 with an open socket, and received a frame and a price at 1 s. */
function livePage(): Freshness {
  const page = new Freshness(0);
  page.socket('open', RETRY, 0);
  page.step(0, true);
  page.frame(1_000);
  page.price('paper:BTCUSDT', 1_000);
  page.step(1_000, true);
  return page;
}

test('a page is connecting until its first frame', () => {
  const page = new Freshness(0);
  page.socket('open', RETRY, 0);
  assert.equal(page.read().stream, 'connecting');
  page.frame(500);
  page.step(500, false);
  assert.equal(page.read().stream, 'live');
});

test('an open socket without a frame for 8 s is lost', () => {
  const page = livePage();
  page.step(8_999, true);
  assert.equal(page.read().stream, 'live');
  page.step(9_000, true);
  assert.equal(page.read().stream, 'lost');
});

test('a closed socket is lost at once', () => {
  const page = livePage();
  page.socket('lost', { attempt: 1, atMs: 2_500 }, 2_000);
  assert.equal(page.read().stream, 'lost');
  assert.deepEqual(page.read().retry, { attempt: 1, atMs: 2_500 });
});

test('a reopened socket is live again with its next frame', () => {
  const page = livePage();
  page.step(20_000, true);
  page.socket('open', RETRY, 20_100);
  assert.equal(page.read().stream, 'lost');
  page.frame(20_200);
  page.step(20_300, true);
  assert.equal(page.read().stream, 'live');
});

test('a price is stale after 5 s although other frames arrive', () => {
  const page = livePage();
  page.frame(5_999);
  page.step(5_999, true);
  assert.equal(isStale(page.read()), false);
  page.frame(6_000);
  page.step(6_000, true);
  assert.equal(page.read().stream, 'live');
  assert.equal(isStale(page.read()), true);
});

test('without a traded or held coin no price is expected', () => {
  const page = livePage();
  page.frame(60_000);
  page.step(60_000, false);
  assert.equal(page.read().priceAgeMs, null);
  assert.equal(isStale(page.read()), false);
});

test('a price that never arrives is as old as the expectation of it', () => {
  const page = livePage();
  page.step(4_000, true);
  assert.equal(page.priceAgeMs('paper:ETHUSDT'), 4_000);
  assert.equal(page.priceAgeMs('paper:BTCUSDT'), 3_000);
});
