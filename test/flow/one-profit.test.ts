import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readAccountHealth } from '#api/contract/account-state.ts';
import { readCoin } from '#api/contract/profiles.ts';
import { readPerformance } from '#api/contract/performance.ts';
import { readDashboard } from '#api/contract/records.ts';
import { listEquity, listTradeArchive } from '#api/contract/trades.ts';
import {
  add,
  type Decimal,
  formatDecimal,
  multiply,
  requireDecimal as d,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { control } from '#test/paper/test-server.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { recordEquity } from '#worker/equity.ts';
import { MARKET_START, writeSwingingCandles } from './candles.ts';
import { LIVELY, startProfile } from './profile.ts';
import { openDice } from './random.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const COINS = ['BTCUSDT', 'ETHUSDT', 'LTCUSDT'] as const;
const DAYS = Number(process.env['PROFIT_DAYS'] ?? 2);
const MOMENTS = Number(process.env['PROFIT_MOMENTS'] ?? 8);
const START_MS = MARKET_START + 3_600_000;
const DAY_MS = 86_400_000;
/** The BNB are taken away half way: later fees are taken in the coin or in quote. */
const START = { USDT: '1000', BNB: '1' };

const sum = (values: Iterable<Decimal>): Decimal => [...values].reduce(add, ZERO);
const amount = (value: unknown): Decimal => d(typeof value === 'string' && value !== '' ? value : '0');

async function rowsOf(answer: Promise<Response>): Promise<Record<string, unknown>[]> {
  const text = await (await answer).text();
  return text
    .trim()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}

/** Lets the market run until `atMs`, half an hour at a time, and waits until all that it set off is recorded. */
async function play(stack: Stack, fromMs: number, atMs: number): Promise<void> {
  for (let ms = fromMs; ms < atMs; ) {
    const step = Math.min(1_800_000, atMs - ms);
    ms += step;
    await control(stack.paper, 'POST /clock/advance', { ms: step });
    await settled(stack);
  }
}

/** Free and locked, as the exchange itself keeps it. */
function held({ paper }: Stack, asset: string): Decimal {
  const { free, locked } = paper.venue.engine.balances.balance('a', asset);
  return add(free, locked);
}
const priceOf = ({ paper }: Stack, symbol: string): Decimal => paper.venue.markets.get(symbol)?.lastPrice ?? ZERO;

/** Every execution that the exchange knows is recorded, and no order is on its way. */
const settled = (stack: Stack) =>
  until('every execution to be recorded', async () => {
    const { pool } = stack.database;
    const { rows } = await pool.query(
      `select symbol, sum(quantity) as held from runner_states group by 1
       union all select 'sent', count(*) from orders where state in ('intent', 'unknown')`,
    );
    const recorded = new Map(rows.map((row) => [row.symbol, amount(row.held)]));
    if (recorded.get('sent') !== ZERO) return false;
    return COINS.every((symbol) => (recorded.get(symbol) ?? ZERO) === held(stack, symbol.slice(0, -4)));
  });

/** Profit from the balances of the exchange: quote and coins at their prices, less the value of the third-asset fees. */
function earned(stack: Stack, thirdFees: Decimal): Decimal {
  const coins = sum(COINS.map((symbol) => multiply(held(stack, symbol.slice(0, -4)), priceOf(stack, symbol))));
  return subtract(subtract(add(held(stack, 'USDT'), coins), d(START.USDT)), thirdFees);
}

let recordedMs = Date.UTC(2100, 0, 1);

async function assertOneProfit(stack: Stack, id: ProfileId): Promise<void> {
  const coins = () => Promise.all(COINS.map((symbol) => stack.call(readCoin, { params: { id, symbol } })));
  await until('the prices of the exchange to be shown', async () => {
    for (const { coin } of await coins())
      if (coin.price === null || d(coin.price) !== priceOf(stack, coin.symbol)) return false;
    return true;
  });
  const fills = await rowsOf(stack.fetch(`/profiles/${id}/fills/export?format=ndjson`));
  const third = sum(fills.filter(({ feeAsset }) => feeAsset === 'BNB').map(({ feeQuote }) => amount(feeQuote)));
  const wanted = formatDecimal(earned(stack, third));
  const pages = (await coins()).map(({ coin }) => coin);
  const profitOf = (list: typeof pages): string =>
    formatDecimal(sum(list.map(({ position }) => add(amount(position.realised), amount(position.unrealised)))));
  assert.equal(profitOf(pages), wanted, 'the pages of the coins');
  const board = await stack.call(readDashboard, {});
  assert.equal(profitOf(board.coins), wanted, 'the dashboard');
  const unrealised = sum(pages.map(({ position }) => amount(position.unrealised)));
  const history = await stack.call(listTradeArchive, { params: { id }, query: {} });
  assert.equal(formatDecimal(add(amount(history.totals.net), unrealised)), wanted, 'the history');
  const whole = await stack.call(readPerformance, { params: { id: stack.accountId }, query: {} });
  assert.equal(whole.net.pnl, wanted, 'the performance of the account');
  for (const rows of [whole.days, whole.coins, whole.byProfile, whole.strategies, whole.exits])
    assert.equal(formatDecimal(sum(rows.map(({ pnl }) => d(pnl)))), wanted, 'each of its breakdowns');
  await using cache = await openCache({ cacheUrl: undefined, databaseUrl: stack.databaseUrl });
  // Later than any point that the worker or this test has recorded.
  recordedMs += 3_600_000;
  await recordEquity({ database: stack.database, cache }, new Map([[stack.accountId, 'paper']]), () => recordedMs);
  const { points } = await stack.call(listEquity, { params: { id }, query: {} });
  assert.equal(points.at(-1)?.net, wanted, 'the equity curve');
  for (const method of ['fifo', 'average'] as const) {
    const lots = await rowsOf(stack.fetch(`/profiles/${id}/tax-lots/export?format=ndjson&method=${method}`));
    const paid = fills
      .filter(({ side }) => side === 'buy')
      .map((row) => add(amount(row['quoteQuantity']), isOwn(row) ? ZERO : amount(row['feeQuote'])));
    const left = subtract(sum(paid), sum(lots.map(({ cost }) => amount(cost))));
    const value = sum(pages.map(({ position }) => amount(position.value)));
    const gain = sum(lots.map((lot) => amount(lot['gain'])));
    assert.equal(formatDecimal(add(gain, subtract(value, left))), wanted, `the tax lots, ${method}`);
  }
  const health = await stack.call(readAccountHealth, { params: { id: stack.accountId } });
  const today = board.accounts.find((account) => account.id === stack.accountId);
  const midnightOf = ({ accounts }: typeof board): number =>
    new Date(Date.parse(accounts.find((account) => account.id === stack.accountId)?.marketAt ?? '')).setUTCHours(
      0,
      0,
      0,
      0,
    );
  const midnight = midnightOf(board);
  // The market's clock continues: the day may have ended between the two answers.
  if (midnightOf(await stack.call(readDashboard, {})) !== midnight) return;
  const sinceMidnight = fills.filter(({ at }) => Date.parse(String(at)) >= midnight);
  const realised = formatDecimal(sum(sinceMidnight.map((row) => amount(row['realised']))));
  assert.equal(today?.realisedToday, realised, 'today on the dashboard');
  assert.equal(health.todayRealised[0]?.realised ?? '0', realised, 'today in the health');
}

/** Runs `check` while nothing is traded: on a busy machine the worker may still decide on the last prices meanwhile. */
async function atRest(stack: Stack, check: () => Promise<void>): Promise<void> {
  const balances = (): string =>
    ['USDT', 'BNB', ...COINS.map((one) => one.slice(0, -4))].map((asset) => held(stack, asset)).join();
  for (let attempt = 1; ; attempt++) {
    await settled(stack);
    const before = balances();
    try {
      return await check();
    } catch (error) {
      if (balances() === before || attempt === 5) throw error;
    }
  }
}

/** A fee that was taken in the bought coin. */
const isOwn = ({ symbol, feeAsset }: Record<string, unknown>): boolean => symbol === `${String(feeAsset)}USDT`;

test('at any moment every page says the same profit, and it is what the exchange says, also after a restart', async () => {
  await using resources = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-profit-'));
  resources.defer(() => rm(folder, { recursive: true, force: true }));
  for (const [seed, symbol] of [...COINS, 'BNBUSDT'].entries())
    writeSwingingCandles(folder, DAYS * 1440 + 120, { symbol, seed, period: 150 + 20 * seed });
  const stack = resources.use(
    await openStack({
      ...{ source: { kind: 'replay', folder }, fromMs: START_MS, clock: { kind: 'virtual', startMs: START_MS } },
      account: { balances: START, feesInBnb: true },
    }),
  );
  const id = await startProfile(stack, COINS, { config: LIVELY });
  const dice = openDice(11);
  const moments = Array.from({ length: MOMENTS }, () => START_MS + Math.floor(dice.next() * DAYS * DAY_MS)).toSorted(
    (a, b) => a - b,
  );
  let atMs = START_MS;
  for (const [index, momentMs] of moments.entries()) {
    await play(stack, atMs, momentMs);
    atMs = momentMs;
    if (index === moments.length / 2)
      await control(stack.paper, 'POST /balances', { account: 'a', balances: { BNB: '0' } });
    if (index % 5 === 4) {
      await stack.stopWorker();
      await stack.startWorker();
      await settled(stack);
    }
    await atRest(stack, () => assertOneProfit(stack, id));
  }
  const { rows } = await stack.database.pool.query('select fee_asset, count(*)::int from fills group by 1');
  assert.ok(rows.length >= 3, `fees in a third asset, in coins and in quote: ${JSON.stringify(rows)}`);
});
