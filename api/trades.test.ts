import assert from 'node:assert/strict';
import { afterEach, beforeEach, test } from 'node:test';
import { newId, type AccountId, type OrderId, type ProfileId } from '#core/ids.ts';
import { saveEquity } from '#storage/history/equity.ts';
import { changeSettings } from '#api/contract/session.ts';
import {
  exportFills,
  exportTaxLots,
  exportTradeArchive,
  listClosedTrades,
  listEquity,
  listTradeArchive,
} from '#api/contract/trades.ts';
import { addOrder } from '#test/api/test-records.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';

let api: TestApi;
let profileId: ProfileId;
let accountId: AccountId;
let version = 0;
beforeEach(async () => {
  api = await openTestApi();
  await api.signUp();
  const added = await api.addProfile('Trader');
  profileId = added.profile.id;
  accountId = added.account.id;
});
afterEach(() => api[Symbol.asyncDispose]());

interface Seed {
  readonly side: 'buy' | 'sell';
  readonly quantity: string;
  readonly quote: string;
  readonly fee: readonly [string, string];
  readonly at: string;
  readonly feeQuote?: string | null;
  readonly symbol?: string;
}
/** With an order of its own, whose id is the answer. */
async function addFill(seed: Seed): Promise<OrderId> {
  const { side, quantity, quote, fee, at, feeQuote = '0', symbol = 'BTCUSDT' } = seed;
  const [feeAmount, feeAsset] = fee;
  const order = { accountId, profileId, symbol, side, quantity, state: 'filled' } as const;
  const orderId = await addOrder(api.database, order);
  const tradeId = newId<string>();
  await api.database.kysely
    .insertInto('fills')
    .values({
      account_id: accountId,
      epoch: 1,
      symbol,
      trade_id: tradeId,
      exchange_order_id: '1',
      order_id: orderId,
      profile_id: profileId,
      side,
      price: '1',
      quantity,
      quote_quantity: quote,
      fee_amount: feeAmount,
      fee_asset: feeAsset,
      fee_quote: feeQuote,
      maker: false,
      realised: side === 'sell' ? '-7.5' : '0',
      cycle: 1,
      runner_version: ++version,
      at,
    })
    .execute();
  const [into, out] = side === 'buy' ? ['', '-'] : ['-', ''];
  const row = { account_id: accountId, epoch: 1, symbol, profile_id: profileId, trade_id: tradeId, at };
  const rows = [`${into}${quantity}`, `${out}${quote}`].map((amount, index) => ({
    ...{ ...row, id: newId<string>(), amount },
    ...({ book: 'wallet', reason: 'fill' } as const),
    asset: index === 0 ? symbol.slice(0, -4) : symbol.slice(-4),
  }));
  await api.database.kysely.insertInto('ledger_entries').values(rows).execute();
  return orderId;
}
const close = (cycle: number, closedAt: string, net: string, exitReason: string | null = null) =>
  api.database.kysely
    .insertInto('closed_cycles')
    .values({
      ...{ profile_id: profileId, symbol: 'BTCUSDT', cycle, opened_at: closedAt, closed_at: closedAt, net },
      exit_reason: exitReason,
    })
    .execute();
const linesOf = (text: string): string[][] =>
  text
    .trimEnd()
    .split('\r\n')
    .map((line) => line.slice(1, -1).split('","'));

test('tax lots: fees count in the asset they were paid in, first in first out and by the average', async () => {
  await addFill({ side: 'buy', quantity: '1', quote: '100', fee: ['0.1', 'BTC'], at: '2026-01-01T00:00:00Z' });
  await addFill({ side: 'buy', quantity: '1', quote: '200', fee: ['2', 'USDT'], at: '2026-01-02T00:00:00Z' });
  const sale = { side: 'sell', quantity: '1.4', quote: '500', at: '2026-01-03T00:00:00Z' } as const;
  await addFill({ ...sale, fee: ['0.001', 'BNB'], feeQuote: '10' });
  const read = async (method: 'fifo' | 'average', from?: string) => {
    const query = { method, ...(from === undefined ? {} : { from }) };
    return linesOf((await api.send(exportTaxLots, { params: { id: profileId }, query })).text);
  };
  const [head, first, second, ...more] = await read('fifo');
  assert.deepEqual(head, [
    'symbol',
    'acquiredAt',
    'disposedAt',
    'quantity',
    'cost',
    'proceeds',
    'gain',
    'unvaluedFee',
    'tradeId',
  ]);
  assert.deepEqual(first?.slice(0, 7), [
    'BTCUSDT',
    '2026-01-01T00:00:00.000Z',
    '2026-01-03T00:00:00.000Z',
    '0.9',
    '100',
    '315',
    '215',
  ]);
  assert.deepEqual(second?.slice(3, 7), ['0.5', '101', '175', '74']);
  assert.deepEqual(more, []);
  const [, pooled] = await read('average');
  assert.deepEqual(pooled?.slice(1, 4), ['', '2026-01-03T00:00:00.000Z', '1.4']);
  assert.equal((await read('fifo', '2026-02-01T00:00:00Z')).length, 1, 'only the head: nothing was sold since');
});

test('executions as a file: every one, coin after coin, a loss stays a number', async () => {
  const sale = { side: 'sell', quantity: '0.50', quote: '50', fee: ['0', 'USDT'] } as const;
  const orderId = await addFill({ ...sale, at: '2026-01-01T00:00:00Z' });
  await addFill({ ...sale, at: '2026-01-02T00:00:00Z' });
  const unknown = { fee: ['0.001', 'BNB'], feeQuote: null } as const;
  await addFill({ side: 'buy', quantity: '1', quote: '1', ...unknown, at: '2026-01-03T00:00:00Z' });
  const text = (await api.send(exportFills, { params: { id: profileId } })).text;
  const [head, row, ...rest] = linesOf(text);
  assert.equal(rest.length, 2);
  assert.equal(rest[1]?.[head?.indexOf('feeQuote') ?? -1], '', 'what a fee is worth is not known');
  assert.equal(row?.[head?.indexOf('reason') ?? -1], 'buy-at-low', 'the reason of its order');
  assert.deepEqual([row?.[head?.indexOf('realised') ?? -1], row?.[head?.indexOf('quantity') ?? -1]], ['-7.5', '0.5']);
  const query = { format: 'ndjson', to: '2026-01-01T12:00:00Z' } as const;
  const lines = (await api.send(exportFills, { params: { id: profileId }, query })).text.trim().split('\n');
  assert.equal(lines.length, 1);
  assert.equal(JSON.parse(lines[0] ?? '').orderId, orderId);
});

test('closed positions page, add up, and are counted by days of the operator', async () => {
  await close(1, '2026-01-01T23:30:00Z', '10');
  await close(2, '2026-01-02T00:30:00Z', '-4', 'exit-stop-loss');
  await close(3, '2026-01-02T00:30:00Z', '0');
  const params = { id: profileId };
  const first = await api.call(listTradeArchive, { params, query: { limit: 2 } });
  assert.deepEqual(
    first.rows.map(({ cycle, net }) => [cycle, net]),
    [
      [3, '0'],
      [2, '-4'],
    ],
  );
  assert.deepEqual(
    first.rows.map(({ exitReason }) => exitReason),
    [null, 'exit-stop-loss'],
  );
  assert.deepEqual(first.totals, {
    from: null,
    count: 3,
    wins: 1,
    losses: 1,
    net: '6',
    grossProfit: '10',
    grossLoss: '-4',
  });
  const next = await api.call(listTradeArchive, { params, query: { limit: 2, cursor: first.nextCursor ?? '' } });
  assert.deepEqual([next.rows.map(({ cycle }) => cycle), next.nextCursor], [[1], null]);
  const days = await api.call(listClosedTrades, { params, query: { period: 'day' } });
  assert.deepEqual(
    days.periods.map(({ net }) => net),
    ['-4', '10'],
  );
  await api.call(changeSettings, { body: { timezone: 'America/New_York' } });
  const there = await api.call(listClosedTrades, { params, query: { period: 'day' } });
  assert.deepEqual(
    there.periods.map(({ from, net }) => [from, net]),
    [['2026-01-01T05:00:00.000Z', '6']],
  );
  const file = linesOf((await api.send(exportTradeArchive, { params })).text);
  assert.deepEqual(
    file.map((line) => line[file[0]?.indexOf('exitReason') ?? -1]),
    ['exitReason', '', 'exit-stop-loss', ''],
  );
});

test('equity is listed with buy and hold, evenly sampled', async () => {
  for (let i = 0; i < 10; i++) {
    const prices = { BTCUSDT: String(100 + i * 10), ETHUSDT: String(100 - i * 5) };
    const at = new Date(Date.UTC(2026, 0, 1, i));
    await saveEquity(api.database, { profileId, at, positionValue: String(50 + i), positionCost: '50', prices });
  }
  const params = { id: profileId };
  const all = await api.call(listEquity, { params });
  assert.equal(all.points.length, 10);
  assert.deepEqual([all.points[0]?.holding, all.points[2]?.holding, all.points[2]?.net], ['0', '0.05', '2']);
  const thin = await api.call(listEquity, { params, query: { limit: 4 } });
  assert.deepEqual(
    thin.points.map(({ at }) => new Date(at).getUTCHours()),
    [0, 3, 6, 9],
  );
});
