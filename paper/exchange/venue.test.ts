import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { parseAccounts } from './accounts.ts';
import { BadInputError } from '#paper/bad-input.ts';
import { virtualClock } from './clock.ts';
import { openJournal } from './journal.ts';
import type { Report } from './matching-engine.ts';
import { placeList } from './list-placement.ts';
import { placeOrder } from './matching.ts';
import { wholeState } from './orders.ts';

import { NO_OPTIONS, RICH, TEST_START_MS, TEST_SYMBOL, testSource } from '#test/paper/test-exchange.ts';
import { catchUp, commit, openVenue, type Venue } from './venue.ts';

const folders: string[] = [];
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true });
});

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'paper-venue-'));
  folders.push(folder);
  return folder;
}

const MINUTE_MS = 60_000;
const source = testSource([
  [100, 100, 100, 100, 5],
  [100, 100, 95, 99, 5],
  [99, 101, 98, 100, 5],
]);

/** Opens the venue of a folder at `nowMs`. `reports` collects the events of its accounts. */
function open(folder: string, nowMs: number, reports: Report[] = []): Venue {
  const { journal, records, marketMs } = openJournal(folder);
  return openVenue({
    accounts: parseAccounts(RICH),
    clock: virtualClock(nowMs),
    source,
    tradesPerCandle: () => 4,
    listeners: {
      onTrade: () => undefined,
      onClose: () => undefined,
      onReport: (report) => reports.push(report),
      onList: () => undefined,
      onBalances: () => undefined,
      onSettled: () => undefined,
      onPause: () => undefined,
      watched: () => [],
    },
    stored: { journal, records, marketMs: marketMs ?? nowMs },
  });
}

function placeDip(venue: Venue): void {
  const order = {
    ...NO_OPTIONS,
    account: 'ann',
    symbol: TEST_SYMBOL,
    clientOrderId: 'dip',
    side: 'BUY',
    type: 'LIMIT',
    timeInForce: 'GTC',
    price: requireDecimal('96'),
    quantity: requireDecimal('1'),
  } as const;
  const atMs = catchUp(venue);
  assert.equal(placeOrder(venue.engine, order, atMs).kind, 'accepted');
  commit(venue, atMs);
}

test('an open order fills at trades during a shutdown, at the time of those trades', () => {
  const folder = newFolder();
  placeDip(open(folder, TEST_START_MS + 30_000));
  const reports: Report[] = [];
  const later = open(folder, TEST_START_MS + 3 * MINUTE_MS, reports);
  assert.equal(reports.length, 0);
  catchUp(later);
  assert.deepEqual(
    reports.map((report) => [report.execution, report.order.status]),
    [['TRADE', 'FILLED']],
  );
  const filledMs = reports[0]?.atMs ?? 0;
  assert.ok(filledMs >= TEST_START_MS + MINUTE_MS && filledMs < TEST_START_MS + 2 * MINUTE_MS);
});

test('a line cut short is dropped, the records before it stay', () => {
  const folder = newFolder();
  placeDip(open(folder, TEST_START_MS + 30_000));
  const path = join(folder, 'journal.jsonl');
  const whole = readFileSync(path, 'utf8');
  writeFileSync(path, `${whole}{"atMs":1,"ord`);
  const again = open(folder, TEST_START_MS + 30_000);
  assert.equal(again.engine.orders.open.size, 1);
  assert.equal(again.engine.orders.lastId, 1);
});

test('records that were compacted but not yet removed change nothing', () => {
  const folder = newFolder();
  placeDip(open(folder, TEST_START_MS + 30_000));
  const lines = readFileSync(join(folder, 'journal.jsonl'), 'utf8');
  catchUp(open(folder, TEST_START_MS + 3 * MINUTE_MS));
  const filled = readFileSync(join(folder, 'journal.jsonl'), 'utf8');
  open(folder, TEST_START_MS + 3 * MINUTE_MS);
  writeFileSync(join(folder, 'journal.jsonl'), lines + filled);
  const again = open(folder, TEST_START_MS + 3 * MINUTE_MS);
  assert.equal(again.engine.orders.open.size, 0);
  assert.deepEqual(
    [...again.engine.orders.fillsByOwner.values()].map((fills) => fills.length),
    [1],
  );
});

test('a broken record is refused with its file and line', () => {
  const folder = newFolder();
  open(folder, TEST_START_MS);
  writeFileSync(join(folder, 'journal.jsonl'), '{"atMs":"x"}\n');
  assert.throws(
    () => open(folder, TEST_START_MS),
    (error) => error instanceof BadInputError && error.message.includes('journal.jsonl line 1 is broken at atMs'),
  );
});

test('lists, trailing stops, icebergs and prevented matches survive a restart', () => {
  const folder = newFolder();
  const first = open(folder, TEST_START_MS + 30_000);
  const order = { ...NO_OPTIONS, account: 'ann', symbol: TEST_SYMBOL, side: 'SELL', timeInForce: 'GTC' } as const;
  const quantity = requireDecimal('2');
  const profit = {
    ...order,
    clientOrderId: 'profit',
    type: 'LIMIT_MAKER',
    price: requireDecimal('110'),
    quantity,
  } as const;
  const loss = { ...order, clientOrderId: 'loss', type: 'STOP_LOSS', trailingDelta: 100, quantity } as const;
  const atMs = catchUp(first);
  const request = { kind: 'OCO', clientListId: 'both', orders: [profit, loss] } as const;
  assert.equal(placeList(first.engine, request, atMs).kind, 'accepted');
  const near = requireDecimal('100.03');
  const iceberg = { ...profit, price: near, clientOrderId: 'ice', icebergQuantity: requireDecimal('0.5') };
  const placed = placeOrder(first.engine, iceberg, atMs);
  if (placed.kind === 'refused') assert.fail(placed.message);
  const buy = { ...order, side: 'BUY', clientOrderId: 'self', type: 'LIMIT', price: requireDecimal('120') } as const;
  placeOrder(first.engine, { ...buy, quantity: requireDecimal('700'), prevention: 'EXPIRE_TAKER' }, atMs);
  commit(first, atMs);
  assert.equal(wholeState(first.engine.orders).prevented.length, 1);
  const again = open(folder, TEST_START_MS + 30_000);
  assert.deepEqual(wholeState(again.engine.orders), wholeState(first.engine.orders));
  assert.deepEqual(again.engine.balances.rows(), first.engine.balances.rows());
  const later = open(folder, TEST_START_MS + 3 * MINUTE_MS);
  catchUp(later);
  const statuses = [...later.engine.orders.byId.values()].map((order) => `${order.clientOrderId} ${order.status}`);
  assert.ok(statuses.includes('profit EXPIRED') && statuses.includes('loss FILLED'), statuses.join(', '));
});

test('pegged orders, OPO lists and allocations of earlier versions are read; waiting orders are refused when they start', () => {
  const folder = newFolder();
  const first = open(folder, TEST_START_MS + 30_000);
  const atMs = catchUp(first);
  const order = { ...NO_OPTIONS, account: 'ann', symbol: TEST_SYMBOL, timeInForce: 'GTC' } as const;
  const [entryPrice, single] = [requireDecimal('96'), requireDecimal('1')];
  const entry = {
    ...order,
    clientOrderId: 'entry',
    side: 'BUY',
    type: 'LIMIT',
    price: entryPrice,
    quantity: single,
  } as const;
  const [exitPrice, unlikely] = [requireDecimal('110'), requireDecimal('7.5')];
  const sale = { ...order, clientOrderId: 'exit', side: 'SELL', type: 'LIMIT_MAKER' } as const;
  const exit = { ...sale, price: exitPrice, quantity: unlikely };
  placeList(first.engine, { kind: 'OTO', clientListId: 'both', orders: [entry, exit] }, atMs);
  const stopPrice = requireDecimal('100.5');
  const stop = {
    ...entry,
    clientOrderId: 'peg',
    type: 'STOP_LOSS_LIMIT',
    stopPrice,
    prevention: 'EXPIRE_TAKER',
  } as const;
  assert.equal(placeOrder(first.engine, stop, atMs).kind, 'accepted');
  commit(first, atMs);
  const path = join(folder, 'journal.jsonl');
  const allocation = {
    ...{ id: -1, allocationId: 0, account: 'ann', symbol: TEST_SYMBOL, orderId: 1, side: 'BUY', maker: false, atMs },
    ...{ price: '1', quantity: '1', quote: '1', commission: '0', commissionAsset: 'BTC' },
  };
  const older = readFileSync(path, 'utf8')
    .replace('"kind":"OTO"', '"kind":"OPO"')
    .replace('"quantity":"7.5"', '"quantity":"0"')
    .replace('"prevention":"EXPIRE_TAKER"', '"prevention":"TRANSFER"')
    .replace(
      '"clientOrderId":"peg"',
      '"clientOrderId":"peg","peg":{"priceType":"PRIMARY_PEG","offset":null,"sent":"96"}',
    )
    .replace('"fills":[]', `"fills":${JSON.stringify([allocation])}`);
  writeFileSync(path, older);
  const later = open(folder, TEST_START_MS + 3 * MINUTE_MS);
  const { orders, balances } = later.engine;
  assert.deepEqual([orders.fillsByOwner.size, orders.byId.get(3)?.prevention], [0, 'DECREMENT']);
  catchUp(later);
  assert.deepEqual(
    [...orders.byId.values()].map((order) => `${order.clientOrderId} ${order.status} ${order.expiryReason}`),
    ['entry FILLED NONE', 'exit EXPIRED REJECTED', 'peg EXPIRED REJECTED'],
  );
  for (const asset of ['USDT', 'BTC']) assert.equal(balances.balance('ann', asset).locked, 0n, asset);
});
