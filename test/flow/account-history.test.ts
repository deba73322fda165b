import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, multiply, requireDecimal as d } from '#core/amount/decimal.ts';
import { newId } from '#core/ids.ts';
import { execute } from '#engine/tick/execute.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { createRun, pageArchived, recordedFees } from '#storage/history/account-history.ts';
import { walletSums } from '#storage/trading/ledger.ts';
import { everyFill } from '#storage/history/trades.ts';
import { archiveTrades, checkFees, type HistoryDeps } from '#worker/jobs/account-history.ts';
import { type AccountBench, openAccountBench, SYMBOL } from './account-bench.ts';
import { until } from './until.ts';

const START_MS = Date.UTC(2026, 0, 5);

const runnerOf = ({ running }: AccountBench) => {
  const [runner] = running.coins.of(SYMBOL);
  assert.ok(runner !== undefined);
  return runner;
};

const buyOf = (on: AccountBench) => {
  const { profile, context, symbol } = runnerOf(on).coin;
  const owner = { accountId: context.account.id, profileId: profile.id, symbol };
  return orderOf({ ...owner, side: 'buy', purpose: 'entry', quantity: d('0.01') });
};

/** A buy of the service, booked. */
async function buy(on: AccountBench): Promise<void> {
  const { coin, change } = { coin: runnerOf(on).coin, change: runnerOf(on).change.bind(runnerOf(on)) };
  await change(async () => void (await execute(coin, { reason: 'test', numbers: {}, order: buyOf(on) })));
  await until('the order is filled', () => coin.live.size === 0);
}

/** A manual buy on the exchange, which the service has not recorded. */
async function buyByHand({ trading, market, ...on }: AccountBench): Promise<void> {
  await market.clock.sync();
  const request = { order: buyOf({ trading, market, ...on }), clientOrderId: `hand-${newId()}`.slice(0, 36) };
  const placed = await trading.place({
    ...request,
    sendBeforeMs: market.clock.protocolMs() + 60_000,
    halted: () => false,
  });
  assert.equal(placed.kind, 'accepted');
}

async function depsOf(on: AccountBench): Promise<HistoryDeps> {
  const { database, running, trading, market } = on;
  const { account } = running.context;
  const profileId = runnerOf(on).coin.profile.id;
  const runId = await createRun(database.kysely, { profileId, kind: 'fees', request: {} });
  return { database, account, profileId, runId, trading, market, signal: new AbortController().signal };
}

test('fees are compared with the exchange: corrections stand beside the fills, in the ledger, once', async () => {
  await using on = await openAccountBench({
    clock: { kind: 'virtual', startMs: START_MS },
    account: { balances: { USDT: '100000', BNB: '10' }, feesInBnb: true },
  });
  const { kysely } = on.database;
  await buy(on);
  await buy(on);
  const deps = await depsOf(on);
  const { account, profileId } = deps;
  const clean = await checkFees(deps);
  assert.deepEqual([clean.differing, clean.notListed, clean.byAsset.map(({ asset }) => asset)], [0, [], ['BNB']]);
  assert.ok(clean.checked >= 2 && clean.byAsset[0]?.recorded === clean.byAsset[0]?.exchange);

  const [first, last] = [...(await recordedFees(kysely, account, { profileId, symbol: SYMBOL }))].flatMap(
    (fee, i, all) => (i === 0 || i === all.length - 1 ? [fee] : []),
  );
  assert.ok(first !== undefined && last !== undefined);
  // Fills are immutable: this simulates a version that booked another fee.
  await on.database.pool.query('alter table fills disable trigger fill_stays');
  const set = (tradeId: string, values: object) =>
    kysely.updateTable('fills').set(values).where('trade_id', '=', tradeId).execute();
  await set(first.tradeId, { fee_amount: '0.5', fee_asset: 'USDT', fee_quote: '0' });
  await set(last.tradeId, { fee_quote: null });
  const before = await walletSums(kysely, account, ['fees']);
  // The minute of the fills closes: only then it has a price.
  await on.control('POST', '/clock/advance', { ms: 120_000 });
  await on.market.clock.sync();
  const found = await checkFees(deps);
  assert.equal(found.differing, 1);
  assert.deepEqual(found.differences, [
    {
      ...{ symbol: SYMBOL, tradeId: first.tradeId, at: first.at.toISOString(), adjusted: true },
      recorded: { amount: '0.5', asset: 'USDT' },
      exchange: { amount: formatDecimal(first.feeAmount), asset: 'BNB' },
    },
  ]);
  const sums = (asset: string, of: typeof before) => of.find((one) => one.asset === asset)?.sum ?? 0n;
  const after = await walletSums(kysely, account, ['fees']);
  assert.equal(sums('USDT', after) - sums('USDT', before), -d('0.5'), 'what was never paid comes back');
  assert.equal(sums('BNB', after) - sums('BNB', before), first.feeAmount);

  const exported = [];
  for await (const rows of everyFill(kysely, { profileId })) exported.push(...rows);
  const shown = exported.find(({ tradeId }) => tradeId === first.tradeId);
  assert.deepEqual([shown?.feeAsset, shown?.feeCorrected], ['BNB', true]);
  const [stored] = await kysely.selectFrom('fills').selectAll().where('trade_id', '=', first.tradeId).execute();
  assert.equal(stored?.fee_asset, 'USDT', 'the fill stays as it was booked');
  assert.deepEqual([found.valued + found.unvalued, found.unvalued], [first.tradeId === last.tradeId ? 1 : 2, 0]);
  const worth = exported.find(({ tradeId }) => tradeId === last.tradeId)?.feeQuote ?? '0';
  assert.ok(d(worth) > 0n && d(worth) < multiply(d('1'), d('10')), `the fee is worth ${worth}`);

  const again = await checkFees(deps);
  assert.deepEqual([again.differing, again.valued], [0, 0], 'what is corrected is corrected once');
  assert.deepEqual(await walletSums(kysely, account, ['fees']), after);
});

test('trades that no order of the service made go to the archive once, and nowhere else', async () => {
  await using on = await openAccountBench({ clock: { kind: 'virtual', startMs: START_MS } });
  const { kysely } = on.database;
  await buyByHand(on);
  await buy(on);
  await buyByHand(on);
  const deps = await depsOf(on);
  const position = { ...runnerOf(on).coin.position };
  const { coins } = await archiveTrades(deps, [SYMBOL, 'ETHUSDT']);
  const [btc, eth] = coins;
  const own = await kysely.selectFrom('fills').select('trade_id').execute();
  assert.ok(btc !== undefined && eth !== undefined && own.length > 0 && btc.archived >= 2);
  assert.deepEqual([btc.listed, btc.known], [btc.archived + own.length, own.length]);
  assert.deepEqual([eth.listed, eth.from], [0, null]);
  const archived = await pageArchived(kysely, { account: deps.account, symbols: [SYMBOL] }, { limit: 100 });
  assert.equal(archived.rows.length, btc.archived);
  const ids = new Set(own.map((row) => row.trade_id));
  assert.ok(archived.rows.every(({ tradeId }) => !ids.has(tradeId)));
  const again = await archiveTrades(deps, [SYMBOL]);
  assert.equal(again.coins[0]?.archived, 0);
  assert.deepEqual({ ...runnerOf(on).coin.position }, position);
  assert.equal((await kysely.selectFrom('fills').select('trade_id').execute()).length, own.length);
});
