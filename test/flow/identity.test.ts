import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { add, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import { originalIdOf } from '#core/order/order.ts';
import type { ActionLogRow } from '#core/ports/records.ts';
import type { BasisDeps } from '#engine/runner/cost-basis.ts';
import { LeaseLost } from '#engine/state/ends-run.ts';
import { checkIdentity } from '#engine/account/identity.ts';
import { intentOf, requireCommitted } from '#test/harness/test-trading.ts';
import { enter, type Guarded, openGuarded, ordersOf, stopsOf, SYMBOL } from './guarded.ts';
import { until } from './until.ts';
import { closeWatching, ended, flow, openWatching } from './watching.ts';

let on: Guarded;
const lines: Record<string, unknown>[] = [];
const rows: ActionLogRow[] = [];
before(async () => {
  on = await openGuarded({ patient: true });
});
after(() => on[Symbol.asyncDispose]());

const line = (fields: Readonly<Record<string, unknown>>): void => void lines.push({ ...fields });
function deps(): BasisDeps {
  const { account, fencing, ports } = on.running().context;
  return {
    ...{ account, fencing, store: ports.store, announce: ports.announce, now: () => new Date() },
    records: { ...ports.records, log: (row) => void rows.push(row) },
    log: { info: line, warn: line, error: line },
  };
}
const check = (changes: Partial<BasisDeps> = {}) =>
  checkIdentity({ ...deps(), ...changes }, on.running().context.ports.trading, [...on.running().coins.all()]);
const ledger = async (): Promise<string[]> => {
  const entries = await on.database.kysely.selectFrom('ledger_entries').selectAll().execute();
  return entries
    .filter(({ book, reason }) => book === 'outside' || reason === 'unexplained')
    .map(({ book, asset, amount, reason }) => `${book} ${asset} ${formatDecimal(requireDecimal(amount))} ${reason}`)
    .toSorted();
};
const deposit = (balances: object): Promise<void> => on.control('/balances', { account: 'a', balances });

test('the first check takes what is there as untracked, silently; the next one finds nothing', async () => {
  const first = await check();
  assert.ok(first.kind === 'booked');
  assert.deepEqual(await ledger(), ['outside USDT -1000000 untracked']);
  assert.deepEqual(rows, []);
  assert.partialDeepStrictEqual(lines.at(-1), { event: 'ledger_untracked', asset: 'USDT', difference: '1000000' });
  assert.equal((await check()).kind, 'holds');
});

test('buying and selling with fees keeps ledger and wallet equal, also while a stop locks the position', async () => {
  await enter(on);
  assert.equal((await check()).kind, 'holds');
  on.wheel.want = 'sell';
  await on.tick();
  await until('everything to be sold', () => stopsOf(on).length === 0 && on.coin().live.size === 0);
  assert.equal((await check()).kind, 'holds');
});

test('a difference is a row with a reason and a warning with the numbers, and is not found again', async () => {
  const { free } = on.paper.venue.engine.balances.balance('a', 'BTC');
  await deposit({ BTC: formatDecimal(add(free, requireDecimal('0.5'))), XRP: '7' });
  const found = await check();
  assert.ok(found.kind === 'booked');
  const all = await ledger();
  for (const row of ['outside BTC -0.5 unexplained', 'adjustments BTC 0.5 unexplained', 'outside XRP -7 unexplained'])
    assert.ok(all.includes(row), `${row} in ${all.join('; ')}`);
  assert.equal(rows.length, 1, 'no profile trades XRP');
  assert.partialDeepStrictEqual(rows[0], {
    ...{ level: 'warn', symbol: SYMBOL, profileId: on.owner.profileId },
    ctx: { event: 'ledger_unexplained', asset: 'BTC', difference: '0.5' },
  });
  assert.ok(lines.some((one) => one['event'] === 'ledger_unexplained' && one['asset'] === 'XRP'));
  assert.equal((await check()).kind, 'holds');
  await deposit({ BTC: formatDecimal(add(free, requireDecimal('0.500009'))) });
  assert.equal((await check()).kind, 'holds', 'less than one step');
});

test('nothing is done without a wallet, a lease, or while an execution or an order is open', async () => {
  await deposit({ BTC: '3' });
  const before = await ledger();
  const same = async (kind: string, cause: RegExp): Promise<void> => {
    const result = await check();
    assert.equal(result.kind, kind);
    assert.match(result.kind === 'undecided' ? result.cause : '', cause);
    assert.deepEqual(await ledger(), before);
  };
  const fault = { match: { path: '/api/v3/account' }, kind: 'fail-before', status: 500, body: {}, times: 3 };
  await on.control('/faults', [fault]);
  await same('undecided', /wallet could not be read/);
  await assert.rejects(check({ fencing: on.owner.fencing - 1 }), LeaseLost);
  assert.deepEqual(await ledger(), before);

  const stop = await enter(on);
  await on.control('/faults/events', [{ kind: 'drop', times: 1000 }]);
  // The worker itself has no reason to ask.
  on.wheel.stop = 1;
  await on.trade('0.969', '5');
  await on.trade('1');
  const sold = () => on.paper.venue.engine.orders.byId.get(stop.id)?.status === 'FILLED';
  await until('the stop to sell', sold);
  await same('undecided', /executions of BTCUSDT are not recorded yet/);
  const [runner] = on.running().coins.all();
  runner?.watch(originalIdOf(stop.clientOrderId, stop.type));
  await until('the stop to be booked', () => on.coin().live.size === 0);

  const { store } = deps();
  const { version } = await store.loadRunner(on.owner.profileId, 'ETHUSDT');
  const intent = intentOf(on.owner, {
    order: { symbol: 'ETHUSDT', side: 'sell', purpose: 'exit' },
    expectedVersion: version,
  });
  // Of a coin that is bound only for as long as it takes to commit: nothing commits for another one.
  const { kysely } = on.database;
  await kysely.insertInto('profile_symbols').values({ profile_id: on.owner.profileId, symbol: 'ETHUSDT' }).execute();
  const { record } = requireCommitted(await store.commitIntent(intent));
  await kysely.deleteFrom('profile_symbols').where('symbol', '=', 'ETHUSDT').execute();
  await same('undecided', /is not watched/);
  await store.updateOrder(record.id, { state: 'cancelled' });
  assert.equal((await check()).kind, 'booked', 'now it can tell');
  assert.ok(ordersOf(on).length > 0);
});

test('the job checks every account in the worker that owns it', async () => {
  await openWatching();
  try {
    const { queue, stack } = flow();
    await ended(await queue.enqueue('identity-check', {}));
    const entries = stack.database.kysely.selectFrom('ledger_entries').select('asset').where('book', '=', 'outside');
    await until('what is there to count as untracked', async () => (await entries.execute()).length === 1);
  } finally {
    await closeWatching();
  }
});
