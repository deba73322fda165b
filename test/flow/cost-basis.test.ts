import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { GATE_UNAVAILABLE, type GateCause, NO_SELLABLE_POSITION, NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import { type Decimal, floorToStep, formatDecimal, multiply, requireDecimal as d, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import type { OrderRecord } from '#core/order/order.ts';
import type { ActionLogRow } from '#core/ports/records.ts';
import type { TradingStore } from '#core/ports/store.ts';
import type { MarketPort, TradingPort } from '#core/ports/exchange.ts';
import type { SymbolInfo } from '#core/market/symbol-codec.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { createAccountContext } from '#engine/state/account-context.ts';
import { createCoin, liveOrderOf } from '#engine/state/coin.ts';
import { type CoinRunner, createCoinRunner } from '#engine/runner/coin-runner.ts';
import { applyCostBasis, type BasisDeps, type BasisInputs } from '#engine/runner/cost-basis.ts';
import { reconcilePositions, type Sweep } from '#engine/account/reconcile-positions.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { control } from '#test/paper/test-server.ts';
import { requestCostBasis, readLedgerRow } from '#storage/trading/cost-basis.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import {
  intentOf,
  type Owner,
  requireCommitted,
  seedNextOwner,
  seedOwner,
  SYMBOL,
} from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

/* The job over a real store and a real exchange; what the worker would read from the cache is given. */

interface Bench {
  readonly paper: PaperExchange;
  readonly base: TestDatabase;
  readonly store: TradingStore;
  readonly trading: TradingPort;
  readonly market: MarketPort;
  readonly rules: SymbolRules;
  account: Owner;
}
const resources = new AsyncDisposableStack();
let opened: Bench | undefined;
before(async () => {
  const accounts = parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '1000' } }], 'The accounts of the test');
  const quiet = { source: { kind: 'synthetic' }, clock: { kind: 'real' }, speed: 1 } as const;
  const paper = resources.use(await startPaper({ port: 0, controlPort: 0, accounts, ...quiet }));
  const base = resources.use(await openTestDatabase());
  const market = createMarketReader({ restUrl: paper.url });
  await market.clock.sync();
  const rules = (await market.rules()).find(({ symbol }) => symbol === SYMBOL);
  assert.ok(rules !== undefined);
  const trading = createTrading({ restUrl: paper.url, ...KEY, clock: market.clock });
  const store = createTradingStore(base.database);
  opened = { paper, base, store, trading, market, rules, account: await seedOwner(base.database) };
});
after(() => resources.disposeAsync());
const bench = (): Bench => {
  assert.ok(opened !== undefined);
  return opened;
};

let profileId: ProfileId;
beforeEach(async () => {
  const { base } = bench();
  bench().account = await seedNextOwner(base.database);
  profileId = bench().account.profileId;
});

async function hold(BTC: string): Promise<void> {
  await control(bench().paper, 'POST /balances', { account: 'a', balances: { BTC } });
}

const ask = (price: string, quantity: string): Promise<void> =>
  requestCostBasis(
    bench().base.database.kysely,
    { profileId, symbol: SYMBOL },
    { price: d(price), quantity: d(quantity) },
  );
const rowNow = async () => {
  const row = await readLedgerRow(bench().base.database.kysely, { profileId, symbol: SYMBOL });
  return row === undefined ? null : [formatDecimal(d(row.average_price)), formatDecimal(d(row.quantity)), row.note];
};
const heldNow = async (): Promise<boolean> =>
  (await bench().store.loadRunner(profileId, SYMBOL)).position.firstBuyAt !== null;

interface LogRows {
  readonly process: Record<string, unknown>[];
  readonly rows: ActionLogRow[];
}

function depsFor(told: LogRows): BasisDeps {
  const { store, account } = bench();
  const write = (fields: Readonly<Record<string, unknown>>): void => void told.process.push({ ...fields });
  return {
    account: { id: account.accountId, name: 'Paper', exchangeMode: 'testnet', endpoint: 'paper', epoch: 1 },
    fencing: account.fencing,
    store,
    records: {
      audit: () => undefined,
      log: (row) => void told.rows.push(row),
      evidence: () => undefined,
      flush: async () => undefined,
    },
    announce: () => undefined,
    log: { info: write, warn: write, error: write },
    now: () => new Date(),
  };
}

/** Runs the job and returns the new rows of both logs. */
async function apply(changes: Partial<BasisInputs> = {}): Promise<LogRows> {
  const { trading, rules } = bench();
  const told: LogRows = { process: [], rows: [] };
  const readWallet = async () => (await trading.wallet()).wallet;
  const given = {
    info: rules,
    price: d('50000'),
    readWallet,
    heldElsewhere: () => ZERO,
    isSettled: async () => true,
    ...changes,
  };
  await applyCostBasis(depsFor(told), { profileId, symbol: SYMBOL, ...given }, (change) => change(undefined));
  return told;
}

/** The line of one key: the same in the process log and as a warn row of the profile's log. */
function lineOf({ process, rows }: LogRows, key: string): Record<string, unknown> | undefined {
  const [line, ...more] = process.filter(({ event }) => event === key);
  const row = rows.find(({ ctx }) => JSON.stringify(ctx).includes(key));
  assert.deepEqual(more, []);
  if (line === undefined) assert.equal(row, undefined);
  else {
    assert.equal(row?.level, 'warn');
    assert.deepEqual({ profileId, ...Object(row.ctx) }, line);
  }
  return line;
}

const failing = () => Promise.reject(new Error('The exchange does not answer.'));
const UNJUDGED: readonly [words: string, cause: GateCause, inputs: Partial<BasisInputs>][] = [
  ['no API client', 'no-api-client', { readWallet: null }],
  ['no cached symbol info', 'no-cached-symbol-info', { info: 'absent' satisfies SymbolInfo }],
  ['malformed symbol info', 'malformed-symbol-info', { info: 'malformed' satisfies SymbolInfo }],
  ['failed balance read', 'failed-balance-read', { readWallet: failing }],
];

describe('the quantity falls back to the recorded ledger quantity outright when the wallet cannot be judged', () => {
  for (const [words, cause, inputs] of UNJUDGED) {
    test(`${words}: the log entry ${GATE_UNAVAILABLE} names it`, async () => {
      await hold('0');
      const { base } = bench();
      const held = { profile_id: profileId, symbol: SYMBOL, quantity: '0.3', average_price: '1' };
      await base.database.kysely.insertInto('runner_states').values(held).execute();
      await ask('40000', '0.3');
      const line = lineOf(await apply(inputs), GATE_UNAVAILABLE);
      const { cause: named, symbol, quantity, averagePrice } = line ?? {};
      assert.deepEqual([named, symbol, quantity, averagePrice], [cause, SYMBOL, '0.3', '40000']);
      assert.deepEqual(await rowNow(), ['40000', '0.3', null]);
      assert.equal(await heldNow(), true);
    });
  }

  test('a recorded quantity of zero stays a price marker with the note', async () => {
    await ask('40000', '0');
    const told = await apply({ readWallet: null });
    assert.ok(lineOf(told, GATE_UNAVAILABLE) !== undefined && lineOf(told, NO_SELLABLE_POSITION) !== undefined);
    assert.deepEqual(await rowNow(), ['40000', '0', NOT_HELD_NOTE]);
  });
});

test('a note stays when the price is saved again and the wallet cannot be judged', async () => {
  await hold('0.000009');
  await ask('40000', '0.000009');
  await apply();
  for (const [, , inputs] of UNJUDGED) {
    await ask('41000', '0.3');
    const told = await apply(inputs);
    assert.equal(lineOf(told, NO_SELLABLE_POSITION)?.['cause'], 'note-kept');
    assert.deepEqual([await rowNow(), await heldNow()], [['41000', '0.3', NOT_HELD_NOTE], false]);
  }
  await hold('0.3');
  await ask('41000', '0.3');
  await apply();
  assert.deepEqual([await rowNow(), await heldNow()], [['41000', '0.3', null], true]);
});

test('the log promises a price for nothing as long as nothing is held, and one for a remainder for two sweeps', async () => {
  const wordsFor = async (free: string) => {
    await hold(free);
    await ask('40000', free);
    return String((await apply()).rows.find(({ level }) => level === 'warn')?.msg);
  };
  assert.match(await wordsFor('0'), /holds none of it\. No position is managed until the wallet holds the coin\.$/);
  assert.match(await wordsFor('0.000009'), /The price is removed when two sweeps in a row find no more/);
});

describe('cost-basis note absent | average entry price set | wallet cannot back a position | note shown', () => {
  const CASES: readonly [why: string, free: string, price: Decimal | null, held: boolean][] = [
    ['nothing is held', '0', d('50000'), false],
    ["balance below the coin's smallest tradeable step", '0.000009', d('50000'), false],
    ['worth about one hundredth of the exchange minimum order value or less', '0.00001', d('1'), false],
    ['one step, worth more than that: no note', '0.00001', d('50000'), true],
    ['without a cached price the saved one judges the worth: no note', '0.00001', null, true],
  ];
  for (const [why, free, price, held] of CASES) {
    test(why, async () => {
      await hold(free);
      await ask('40000', '0.3');
      const told = await apply({ price });
      assert.equal(lineOf(told, GATE_UNAVAILABLE), undefined);
      const line = lineOf(told, NO_SELLABLE_POSITION);
      assert.deepEqual(
        [line?.['cause'], line?.['symbol']],
        held ? [undefined, undefined] : ['balance-not-sellable', SYMBOL],
      );
      assert.deepEqual(await rowNow(), ['40000', free, held ? null : NOT_HELD_NOTE], 'price still saved and unchanged');
      assert.equal(await heldNow(), held, 'no position handed to the strategy');
    });
  }
});

test('the written quantity never exceeds the wallet, whatever was recorded', async () => {
  await hold('0.2');
  await ask('40000', '0.9');
  await apply();
  assert.deepEqual(await rowNow(), ['40000', '0.2', null]);
});

test('what another coin of the same asset holds is not counted twice', async () => {
  await hold('0.2');
  await ask('40000', '0.2');
  await apply({ heldElsewhere: () => d('0.15') });
  assert.deepEqual(await rowNow(), ['40000', '0.05', null]);
});

test('a coin that was unbound meanwhile gets no position', async () => {
  await hold('0.2');
  await ask('40000', '0.2');
  const { kysely } = bench().base.database;
  await kysely.deleteFrom('profile_symbols').where('profile_id', '=', profileId).execute();
  await assert.rejects(apply(), /applied a little later/);
  assert.equal(await heldNow(), false);
});

test('a job that runs again changes nothing, and one without a row is done at once', async () => {
  await hold('0.2');
  await ask('40000', '0.2');
  await apply();
  const { version } = await bench().store.costBasis(profileId, SYMBOL);
  assert.deepEqual(await apply(), { process: [], rows: [] });
  assert.equal((await bench().store.costBasis(profileId, SYMBOL)).version, version);
});

test('while an order of the coin is executed the job waits for a later attempt', async () => {
  await ask('40000', '0.2');
  await assert.rejects(apply({ isSettled: async () => false }), /is being traded right now/);
  assert.notEqual((await bench().store.costBasis(profileId, SYMBOL)).asked, null);
});

test('a deleted price removes the row and its note without a look at the wallet', async () => {
  await ask('40000', '0');
  await apply({ readWallet: null });
  await ask(formatDecimal(ZERO), '0');
  const told = await apply({ readWallet: failing });
  assert.deepEqual(
    told.process.map(({ event }) => event),
    ['average-entry-price-deleted'],
  );
  assert.equal(await rowNow(), null);
});

/** The coin as the engine runs it, on the bench's store and exchange, without streams. */
async function openRunner(stored?: OrderRecord): Promise<CoinRunner> {
  const { paper, store, trading, rules, account, market } = bench();
  const stop = new AbortController();
  resources.defer(() => stop.abort());
  const { records, announce, log } = depsFor({ process: [], rows: [] });
  const streams = {
    openMarketStream: createMarketStream({ streamUrl: paper.wsUrl }),
    openAccountStream: createAccountStream({ wsApiUrl: paper.wsUrl, ...KEY, clock: market.clock }),
  };
  const context = createAccountContext({
    account: { id: account.accountId, name: 'Paper', exchangeMode: 'testnet', endpoint: 'paper', epoch: 1 },
    ...{ fencing: account.fencing, keyStatus: null, timing: ORDER_TIMING, signal: stop.signal },
    isKeyRefusal: () => false,
    fail: (error) => assert.fail(String(error)),
    ports: { store, trading, market, ...streams, records, announce, log },
  });
  const bound = STRATEGIES.get('hold')?.bind({});
  assert.ok(bound !== undefined);
  const symbols = [{ symbol: SYMBOL, overrideConfig: {}, version: 0 }];
  const profile = { id: profileId, accountId: account.accountId, name: 'p', strategyName: 'hold', config: {}, symbols };
  const runner = await store.loadRunner(profileId, SYMBOL);
  const idle = { ...profile, enabled: false, captureUntil: null };
  const input = { context, profile: idle, rules, bound, stored: runner, levels: [] };
  const coin = createCoin(input);
  if (stored !== undefined) coin.live.set(stored.clientOrderId, liveOrderOf(stored));
  return createCoinRunner(coin);
}

let sweeps = 0;
/** One pass over the coin with these inputs; `again` repeats the pass before it. */
function sweep(runner: CoinRunner, changes: Partial<Sweep> = {}, again = false): Promise<void> {
  if (!again) sweeps += 1;
  const given = { infoOf: () => bench().rules, priceOf: async () => d('50000'), hasTicked: async () => true };
  return reconcilePositions(depsFor({ process: [], rows: [] }), [runner], { id: String(sweeps), ...given, ...changes });
}

async function showNote(): Promise<CoinRunner> {
  await hold('0');
  await ask('40000', '0');
  await apply();
  return openRunner();
}

describe('note shown | 15-minute position-reconcile sweep | the sweep can positively confirm', () => {
  const noPrice = { priceOf: async () => null };
  const neverTicked = { hasTicked: async () => false };
  const CASES: readonly [why: string, free: string, inputs: Partial<Sweep>, note: string | null][] = [
    ['a cached price exists and the symbol has ticked before', '0.2', {}, null],
    ['no cached price', '0.2', noPrice, NOT_HELD_NOTE],
    ['never ticked', '0.2', neverTicked, NOT_HELD_NOTE],
    ['neither', '0.2', { ...noPrice, ...neverTicked }, NOT_HELD_NOTE],
    ['no cached symbol info', '0.2', { infoOf: () => 'absent' }, NOT_HELD_NOTE],
    ['the balance does not back it', '0.000001', {}, NOT_HELD_NOTE],
  ];
  for (const [why, free, inputs, note] of CASES) {
    test(`${why}: ${note === null ? 'note absent' : 'when it cannot confirm it changes nothing'}`, async () => {
      const runner = await showNote();
      await hold(free);
      await sweep(runner, inputs);
      assert.deepEqual(await rowNow(), ['40000', note === null ? free : '0', note]);
      assert.equal(await heldNow(), note === null);
      assert.equal(formatDecimal(runner.coin.position.quantity), note === null ? free : '0');
    });
  }
});

test('note shown | phantom holding pruned | row removed | note absent', async () => {
  const runner = await showNote();
  await hold('0.000009');
  await ask('40000', '0');
  await apply();
  assert.deepEqual(await rowNow(), ['40000', '0.000009', NOT_HELD_NOTE]);
  await sweep(runner);
  await sweep(runner, {}, true);
  assert.deepEqual(await rowNow(), ['40000', '0.000009', NOT_HELD_NOTE], 'a repeated pass is no second sweep');
  await sweep(runner);
  assert.equal(await rowNow(), null);
});

describe('missing inputs mean do nothing, and break the row of two sweeps', () => {
  const CASES: readonly [what: string, inputs: Partial<Sweep>, faulty: boolean][] = [
    ['no cached price', { priceOf: async () => null }, false],
    ['malformed symbol info', { infoOf: () => 'malformed' }, false],
    ['no answer of the exchange', {}, true],
  ];
  for (const [what, inputs, faulty] of CASES) {
    test(what, async () => {
      await hold('0.2');
      await ask('40000', '0.2');
      await apply();
      const runner = await openRunner();
      await hold('0');
      await sweep(runner);
      const fault = { match: { path: '/api/v3/openOrders' }, kind: 'fail-before', status: 502, times: 9 };
      if (faulty) await control(bench().paper, 'POST /faults', [fault]);
      await sweep(runner, inputs);
      await control(bench().paper, 'DELETE /faults');
      await sweep(runner);
      assert.deepEqual(await rowNow(), ['40000', '0.2', null]);
      await sweep(runner);
      assert.equal(await rowNow(), null);
    });
  }
});

test('a price marker is never pruned', async () => {
  const runner = await showNote();
  for (let times = 0; times < 4; times++) await sweep(runner);
  assert.deepEqual(await rowNow(), ['40000', '0', NOT_HELD_NOTE]);
});

test('a local row whose order has left the book is closed', async () => {
  const { store, trading, account, market, rules } = bench();
  const price = floorToStep(multiply(await market.price(SYMBOL), d('0.5')), rules.price.tick);
  const quantity = d('0.001');
  const owner = { ...account, profileId };
  const request = intentOf(owner, { order: { form: { type: 'limit', price }, quantity } });
  const { record } = requireCommitted(await store.commitIntent(request));
  const sendBeforeMs = market.clock.protocolMs() + 10_000;
  const { clientOrderId } = record;
  const placed = await trading.place({ order: request.order, clientOrderId, sendBeforeMs, halted: () => false });
  assert.equal(
    placed.kind,
    'accepted',
    JSON.stringify(placed, (_key, value) => String(value)),
  );
  const exchangeOrderId = placed.kind === 'accepted' ? placed.order.exchangeOrderId : '';
  const runner = await openRunner(await store.updateOrder(record.id, { state: 'open', exchangeOrderId }));
  const state = async () => (await store.findOrderByClientId(account.accountId, clientOrderId))?.state;
  await sweep(runner);
  assert.equal(await state(), 'open', 'it rests');
  assert.equal((await trading.cancel(SYMBOL, clientOrderId, `${clientOrderId}-c`)).kind, 'accepted');
  assert.equal(await state(), 'open', 'nobody has told');
  await sweep(runner);
  await until('the row to be closed', async () => (await state()) === 'cancelled');
});
