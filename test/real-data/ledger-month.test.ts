import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { absolute, add, type Decimal, formatDecimal, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import { isSellable } from '#core/position/position.ts';
import type { BasisDeps } from '#engine/runner/cost-basis.ts';
import { checkIdentity, type IdentityResult } from '#engine/account/identity.ts';
import type { Database } from '#storage/postgres/database.ts';
import { refoldPosition } from '#storage/trading/fills.ts';
import { walletSums } from '#storage/trading/ledger.ts';
import type { Owner } from '#test/harness/test-trading.ts';
import { type AccountBench, openAccountBench } from '#test/flow/account-bench.ts';
import { until } from '#test/flow/until.ts';

const recorded = join(import.meta.dirname, '../../../shared/data/candles/wanderindev-freqtrade');
const skip = existsSync(recorded) ? false : `needs recorded candles in ${recorded}, and there are none`;
const FROM_MS = Date.UTC(2021, 4, 1);
const DAYS = 31;
const CANDLE_MS = 900_000;
const STEP_MS = 2 * CANDLE_MS;
const DAY_MS = 86_400_000;

const entrySizing = (amount: string) => ({ mode: 'fixed', amount });
/** Three profiles of one account; their buys are larger than what one maker offers. */
const PROFILES = [
  {
    ...{ symbol: 'BTCUSDT', strategyName: 'trailing-trade' },
    config: {
      candleInterval: '15m',
      buy: {
        candleLimit: 20,
        entrySizing: entrySizing('25000'),
        gridLevels: [{ triggerPercentage: '1.003' }, { triggerPercentage: '0.985' }],
      },
      sell: { stopLossPercentage: '0.94', triggerPercentage: '1.012', trailingStopPercentage: '0.995' },
    },
  },
  {
    ...{ symbol: 'ETHUSDT', strategyName: 'momentum' },
    config: { candleInterval: '15m', entrySizing: entrySizing('30000'), trailingStopPercentage: '0.97' },
  },
  {
    ...{ symbol: 'XRPUSDT', strategyName: 'trailing-trade' },
    config: {
      candleInterval: '15m',
      buy: { candleLimit: 12, entrySizing: entrySizing('9000.55'), gridLevels: [{ triggerPercentage: '1.004' }] },
      sell: {
        ...{ stopLossPercentage: '0.95', triggerPercentage: '1.02', trailingStopPercentage: '0.99' },
        protectiveStop: { enabled: false },
      },
    },
  },
] as const;

const folder = mkdtempSync(join(tmpdir(), 'tradewind-month-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** The recorded coins, and BNB at a price of its own: the recordings have none, and only commissions are paid in it. */
function writeMarket(): void {
  for (const { symbol } of PROFILES)
    symlinkSync(join(recorded, `${symbol}-15m.csv.gz`), join(folder, `${symbol}-15m.csv.gz`));
  const days = Array.from({ length: DAYS + 3 }, (_, day) => FROM_MS + (day - 2) * DAY_MS);
  const rows = days.map((openMs, day) => `${openMs},${600 - day},${605 - day},${590 - day},${600 - day},5000`);
  writeFileSync(join(folder, 'BNBUSDT-1d.csv'), `openTime,open,high,low,close,volume\n${rows.join('\n')}\n`);
}

async function prepare({ kysely }: Database, { accountId }: Owner): Promise<ProfileToRun[]> {
  const profiles = PROFILES.map(({ symbol, strategyName, config }) => {
    const symbols = [{ symbol, overrideConfig: {}, version: 0 }];
    const name = `${strategyName} ${symbol}`;
    const common = { accountId, enabled: true, captureUntil: null };
    return { ...common, id: newId<ProfileId>(), name, strategyName, config, symbols };
  });
  // A coin has one owner on an account.
  await kysely.deleteFrom('profile_symbols').execute();
  for (const { id, name, strategyName, config, symbols } of profiles) {
    const row = { id, account_id: accountId, name, strategy_name: strategyName, enabled: true };
    await kysely
      .insertInto('profiles')
      .values({ ...row, config: JSON.stringify(config) })
      .execute();
    await kysely
      .insertInto('profile_symbols')
      .values(symbols.map(({ symbol }) => ({ profile_id: id, symbol })))
      .execute();
  }
  return profiles;
}

let bench: AccountBench | undefined;
before(async () => {
  if (skip !== false) return;
  writeMarket();
  bench = await openAccountBench({
    ...{ source: { kind: 'replay', folder }, fromMs: FROM_MS, clock: { kind: 'virtual', startMs: FROM_MS }, prepare },
    account: { balances: { USDT: '100000', BNB: '1', XRP: '0.5' }, feesInBnb: true },
  });
});
after(() => bench?.[Symbol.asyncDispose]());

/** Half an hour further; the worker has seen it before the next one comes. */
async function step(on: AccountBench, toMs: number): Promise<void> {
  await on.control('POST', '/clock/advance', { toIso: new Date(toMs).toISOString() });
  const runners = [...on.running.coins.all()];
  const isFed = (): boolean =>
    runners.every(({ coin }) => coin.sources.every(({ lastOpenMs }) => lastOpenMs >= toMs - CANDLE_MS));
  while (!isFed()) await delay(1);
  await Promise.all(runners.map((runner) => runner.change(async () => undefined)));
}

function depsOf({ running: { context } }: AccountBench): BasisDeps {
  const { account, fencing, ports } = context;
  const { store, records, announce, log } = ports;
  return { account, fencing, store, records, announce, log, now: () => new Date() };
}

/** Repeats a check that says the account is being traded, until it has an answer. */
const identity = (on: AccountBench): Promise<IdentityResult> =>
  until('an answer of the identity check', async () => {
    const { context, coins } = on.running;
    const result = await checkIdentity(depsOf(on), context.ports.trading, [...coins.all()]);
    return result.kind !== 'undecided' && result;
  });

/** Ledger and untracked holdings against the balances of the exchange, without the engine's help. */
async function assertLedger({ database, paper, running }: AccountBench, day: string): Promise<void> {
  const sums = await walletSums(database.kysely, running.context.account, ['wallet', 'adjustments']);
  const booked = new Map(sums.map(({ asset, sum }) => [asset, sum]));
  for (const asset of ['USDT', 'BNB', 'BTC', 'ETH', 'XRP']) {
    const { free, locked } = paper.venue.engine.balances.balance('a', asset);
    const difference = absolute(subtract(booked.get(asset) ?? ZERO, add(free, locked)));
    const step = paper.venue.markets.get(`${asset}USDT`)?.listing.rules.lot.step ?? requireDecimal('0.00000001');
    assert.ok(difference < step, `${day}: ledger and wallet differ by ${formatDecimal(difference)} ${asset}`);
  }
}

async function assertPositions({ database, running }: AccountBench, day: string): Promise<void> {
  for (const { coin } of running.coins.all()) {
    const key = { profileId: coin.profile.id, symbol: coin.symbol };
    const { lossCooldownMs: cooldownMs } = coin.bound.shared;
    const folded = await refoldPosition(database.kysely, key, { rules: coin.rules, cooldownMs });
    assert.deepEqual(folded, coin.position, `${day}: ${coin.symbol}`);
  }
}

/** Asserts that enough happened in the month to test anything. */
async function assertEventful({ database, running }: AccountBench, dusty: ReadonlySet<string>): Promise<void> {
  const fills = await database.kysely.selectFrom('fills').selectAll().execute();
  const feesIn = (asset: string): number => fills.filter((fill) => fill.fee_asset === asset).length;
  for (const asset of ['BNB', 'BTC', 'ETH', 'XRP', 'USDT']) assert.ok(feesIn(asset) > 0, `fees in ${asset}`);
  const orders = Map.groupBy(fills, (fill) => fill.order_id);
  assert.ok(
    [...orders.values()].some((parts) => parts.length > 2),
    'an order was filled in parts',
  );
  const cycles = await database.kysely.selectFrom('closed_cycles').selectAll().execute();
  for (const { coin } of running.coins.all()) {
    const own = cycles.filter(({ symbol }) => symbol === coin.symbol).length;
    assert.ok(own >= 3, `${coin.symbol} closed ${own} cycles`);
  }
  assert.ok(dusty.size > 0, 'a cycle left dust');
}

const isDust = (quantity: Decimal, price: Decimal, rules: Parameters<typeof isSellable>[2]): boolean =>
  quantity > 0n && !isSellable(quantity, price, rules);

test('over a month of recorded candles ledger and untracked holdings are the wallet after each day, and positions are folds', {
  skip,
}, async (t) => {
  assert.ok(bench !== undefined);
  const on = bench;
  const dusty = new Set<string>();
  assert.equal((await identity(on)).kind, 'booked', 'what was there first counts as untracked');
  for (let day = 0; day < DAYS; day++) {
    for (let ms = STEP_MS; ms <= DAY_MS; ms += STEP_MS) await step(on, FROM_MS + day * DAY_MS + ms);
    const name = new Date(FROM_MS + day * DAY_MS).toISOString().slice(0, 10);
    assert.deepEqual(await identity(on), { kind: 'holds' }, name);
    await assertLedger(on, name);
    await assertPositions(on, name);
    for (const { coin } of on.running.coins.all())
      if (isDust(coin.position.quantity, coin.price ?? ZERO, coin.rules)) dusty.add(coin.symbol);
  }
  await assertEventful(on, dusty);
  const fills = await on.database.kysely.selectFrom('fills').select('order_id').execute();
  t.diagnostic(`${fills.length} fills of ${new Set(fills.map((fill) => fill.order_id)).size} orders`);
});
