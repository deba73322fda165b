import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { add, type Decimal, formatDecimal, requireDecimal as d, subtract, ZERO } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { outsideRowsOf } from '#core/position/ledger.ts';
import type { Answer, Call } from '#api/contract/operation.ts';
import { exportPerformance, listPerformanceTrades, readPerformance } from '#api/contract/performance.ts';
import { createProfile, listCoins } from '#api/contract/profiles.ts';
import { readDashboard } from '#api/contract/records.ts';
import { createAccount } from '#api/contract/accounts.ts';
import { changeSettings } from '#api/contract/session.ts';
import { listTradeArchive } from '#api/contract/trades.ts';
import { insertLedgerRows } from '#storage/trading/ledger.ts';
import { openTestApi, type TestApi } from '#test/api/test-api.ts';
import { priceAt, seedHistory } from '#test/api/test-history.ts';
import { cachePrice, cacheRules, rulesOf } from '#test/api/test-records.ts';

const DAY_MS = 86_400_000;
const ZONE = 'America/New_York';
const TRADED = ['BTC', 'ETH', 'SOL', 'LINK', 'ADA', 'AVAX'];

let api: TestApi;
let accountId: AccountId;
let ids: readonly [ProfileId, ProfileId];
before(async () => {
  api = await openTestApi();
  await api.signUp();
  await api.call(changeSettings, { body: { timezone: ZONE } });
  const rules = [...TRADED, 'XRP'].map((base) => rulesOf(`${base}USDT`, base));
  await cacheRules(api, [...rules, rulesOf('SOLBTC', 'SOL', 'BTC')]);
  for (const base of TRADED) await cachePrice(api, `${base}USDT`, formatDecimal(priceAt(base, api.now().getTime())));
  const { account, profile } = await api.addProfile('Dip ladder');
  accountId = account.id;
  const other = await api.call(createProfile, { body: { accountId, name: 'Trend', strategyName: 'momentum' } });
  ids = [profile.id, other.profile.id];
  const bases = [TRADED.slice(0, 4), TRADED.slice(4)] as const;
  await trade(
    accountId,
    [
      { profileId: ids[0], bases: bases[0] },
      { profileId: ids[1], bases: bases[1] },
    ],
    75,
  );
});
after(() => api[Symbol.asyncDispose]());

/** Trades of the last days; the wallet holds what they left of 16,000 USDT. */
async function trade(
  id: AccountId,
  traders: Parameters<typeof seedHistory>[1]['traders'],
  days: number,
): Promise<void> {
  const nowMs = api.now().getTime();
  const span = { fromMs: nowMs - days * DAY_MS, toMs: nowMs };
  await keepWallet(id, await seedHistory(api.database, { accountId: id, traders, ...span, chance: 0.35, seed: 7 }));
}

async function keepWallet(id: AccountId, wallet: ReadonlyMap<string, Decimal>): Promise<void> {
  const balances = [...wallet].map(([asset, free]) => [asset, { free: formatDecimal(free), locked: '0' }]);
  const at = api.now().toISOString();
  await api.cache.set(cacheKeys.wallet(id), JSON.stringify({ at, keptAt: at, balances: Object.fromEntries(balances) }));
}

/** An account of its own with trades of two coins in the last days. */
async function addTrader(name: string, days: number) {
  const { account, profile } = await api.addProfile(name);
  await trade(account.id, [{ profileId: profile.id, bases: ['BTC', 'ETH'] }], days);
  return { id: account.id, profileId: profile.id };
}

type Performance = Answer<typeof readPerformance>;
const read = (query: Call<typeof readPerformance>['query'] = {}, id = accountId): Promise<Performance> =>
  api.call(readPerformance, { params: { id }, query });
const sum = <Row>(rows: readonly Row[], pick: (row: Row) => string): string =>
  formatDecimal(rows.map((row) => d(pick(row))).reduce(add, ZERO));
const pnlOf = (rows: readonly { readonly pnl: string }[]): string => sum(rows, ({ pnl }) => pnl);
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

const QUERIES = [
  { period: '1w' },
  { period: '1m' },
  { period: 'ytd' },
  { period: 'all' },
  { period: 'custom', from: dayBefore(40), to: dayBefore(20) },
  { period: 'custom', from: dayBefore(3), to: dayBefore(3) },
] as const;
for (const query of QUERIES) {
  const name = query.period === 'custom' ? `from ${query.from} to ${query.to}` : query.period;
  test(`${name}: days, coins, profiles, strategies and exit reasons each add up to the net P&L`, async () => {
    for (const filter of [{}, { profileId: ids[0] }, { profileId: ids[1] }]) {
      const answer = await read({ ...query, ...filter });
      const { net, days, points, coins, byProfile, strategies, exits, equity } = answer;
      const sums = { days: pnlOf(days), coins: pnlOf(coins), profiles: pnlOf(byProfile), exits: pnlOf(exits) };
      assert.deepEqual(sums, { days: net.pnl, coins: net.pnl, profiles: net.pnl, exits: net.pnl });
      assert.deepEqual([pnlOf(strategies), pnlOf(answer.months)], [net.pnl, net.pnl]);
      assert.equal(formatDecimal(add(d(net.realised), d(net.unrealised))), net.pnl);
      assert.equal(
        sum(days, ({ realised }) => realised),
        net.realised,
      );
      assert.equal(points.at(-1)?.pnl, net.pnl);
      const curve = subtract(d(points.at(-1)?.equity ?? '0'), d(points[0]?.equity ?? '0'));
      assert.equal(formatDecimal(curve), net.pnl);
      assert.ok(equity !== null);
    }
  });

  test(`${name}: the fees of days, coins and profiles are those of the period, and P&L is what is left of the gross`, async () => {
    const { net, days, coins, byProfile } = await read(query);
    const feesOf = (rows: readonly { readonly fees: string }[]): string => sum(rows, ({ fees }) => fees);
    assert.deepEqual([feesOf(days), feesOf(coins), feesOf(byProfile)], [net.fees, net.fees, net.fees]);
    assert.equal(formatDecimal(subtract(d(net.gross), d(net.fees))), net.pnl);
  });

  test(`${name}: every closed trade is counted once in each breakdown`, async () => {
    const { trades, coins, byProfile, exits, distribution } = await read(query);
    const countOf = (rows: readonly { readonly trades: number }[]): number =>
      rows.reduce((all, row) => all + row.trades, 0);
    const closed = exits.filter(({ reason }) => reason !== null);
    const counts = [
      countOf(coins),
      countOf(byProfile),
      countOf(closed),
      distribution.counts.reduce((a, b) => a + b, 0),
    ];
    assert.deepEqual(
      counts,
      counts.map(() => trades.trades),
    );
    const { rows } = await api.call(listPerformanceTrades, {
      params: { id: accountId },
      query: { ...query, limit: 1000 },
    });
    assert.equal(rows.length, trades.trades);
    assert.equal(rows.filter(({ net }) => d(net) > 0n).length, trades.wins);
  });
}

test('two halves of a period add up to the whole', async () => {
  const whole = await read({ period: 'custom', from: dayBefore(30), to: dayBefore(10) });
  const first = await read({ period: 'custom', from: dayBefore(30), to: dayBefore(21) });
  const second = await read({ period: 'custom', from: dayBefore(20), to: dayBefore(10) });
  assert.equal(pnlOf([first.net, second.net]), whole.net.pnl);
  assert.equal(first.equity?.to, second.equity?.from);
});

test('all time agrees with the trade history, and with the unrealised P&L of the coins', async () => {
  const { net, trades, exits } = await read();
  const archives = await Promise.all(ids.map((id) => api.call(listTradeArchive, { params: { id }, query: {} })));
  const totals = archives.map((archive) => archive.totals);
  assert.equal(
    pnlOf(exits.filter(({ reason }) => reason !== null)),
    sum(totals, (total) => total.net),
  );
  assert.equal(
    trades.trades,
    totals.reduce((all, { count }) => all + count, 0),
  );
  assert.equal(
    trades.wins,
    totals.reduce((all, { wins }) => all + wins, 0),
  );
  const pages = await Promise.all(ids.map((id) => api.call(listCoins, { params: { id } })));
  const coins = pages.flatMap((page) => page.coins);
  assert.equal(
    net.unrealised,
    sum(coins, ({ position }) => position.unrealised ?? '0'),
  );
  assert.equal(
    net.realised,
    sum(coins, ({ position }) => position.realised),
  );
  assert.equal(
    net.fees,
    sum(coins, ({ position }) => position.fees),
  );
  assert.notEqual(net.unrealised, '0');
});

test('the overview shows the P&L of the newest day and the drawdown of all time', async () => {
  const { days, maxDrawdown, from } = await read();
  const { accounts } = await api.call(readDashboard, {});
  const account = accounts.find(({ id }) => id === accountId);
  assert.deepEqual(
    [account?.pnlToday?.amount, account?.drawdown?.share, account?.drawdown?.since],
    [days.at(-1)?.pnl, maxDrawdown, from],
  );
});

test('what is not closed is what open trades have made so far, and the rests of closed ones', async () => {
  const { exits, net } = await read();
  const open = await api.database.pool.query<{ made: string }>(
    'select coalesce(sum(cycle_net), 0) as made from runner_states where profile_id = any($1)',
    [ids],
  );
  const rest = exits.find(({ reason }) => reason === null);
  assert.equal(rest?.pnl, formatDecimal(add(d(open.rows[0]?.made ?? '0'), d(net.unrealised))));
});

test('a day opens its trades, those of its midnights included', async () => {
  const inZone = new Intl.DateTimeFormat('en-CA', { timeZone: ZONE });
  const daysOf = (trades: readonly { readonly closedAt: string }[]): string[] =>
    trades.map(({ closedAt }) => inZone.format(new Date(closedAt)));
  const all = await api.call(listPerformanceTrades, { params: { id: accountId }, query: { limit: 1000 } });
  const day = daysOf(all.rows)[0] ?? '';
  const query = { period: 'custom', from: day, to: day } as const;
  const { rows } = await api.call(listPerformanceTrades, { params: { id: accountId }, query });
  assert.deepEqual(
    daysOf(rows),
    daysOf(all.rows).filter((other) => other === day),
  );
});

test('trades come page after page, newest first, none twice', async () => {
  const seen: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const query = { limit: 7, ...(cursor === undefined ? {} : { cursor }) };
    const page = await api.call(listPerformanceTrades, { params: { id: accountId }, query });
    seen.push(...page.rows.map(({ closedAt, symbol, cycle }) => `${closedAt} ${symbol} ${cycle}`));
    if (page.nextCursor === null) break;
    cursor = page.nextCursor;
  }
  assert.equal(seen.length, (await read()).trades.trades);
  assert.equal(new Set(seen).size, seen.length);
  assert.deepEqual(
    seen.map((text) => text.slice(0, 24)),
    seen
      .map((text) => text.slice(0, 24))
      .toSorted()
      .toReversed(),
  );
});

test('the days are a file', async () => {
  const { days, net } = await read({ period: '1m' });
  const file = await api.send(exportPerformance, {
    params: { id: accountId },
    query: { period: '1m', format: 'ndjson' },
  });
  const rows: Performance['days'] = file.text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.deepEqual(rows, days);
  assert.equal(pnlOf(rows), net.pnl);
  const csv = await api.send(exportPerformance, { params: { id: accountId }, query: { period: '1m' } });
  assert.equal(csv.text.split('\r\n')[0], '"day","pnl","realised","fees","share"');
});

test('a deposit is no profit: it changes neither P&L nor the return of the days before it', async () => {
  const { id } = await addTrader('Deposit', 30);
  const without = await read({}, id);
  const change = { asset: 'USDT', amount: d('5000'), reason: 'unexplained', wallet: d('1') } as const;
  const at = new Date(Date.parse(without.days.at(-15)?.day ?? '') + DAY_MS / 2);
  await insertLedgerRows(api.database.kysely, outsideRowsOf(change), { account: { id, epoch: 1 }, at });
  const wallet = JSON.parse((await api.cache.get(cacheKeys.wallet(id))) ?? '');
  wallet.balances.USDT.free = formatDecimal(add(d(wallet.balances.USDT.free), d('5000')));
  await api.cache.set(cacheKeys.wallet(id), JSON.stringify(wallet));
  const after = await read({}, id);
  assert.equal(after.equity?.deposits, '5000');
  assert.equal(after.equity?.from, without.equity?.from);
  assert.equal(after.net.pnl, without.net.pnl);
  assert.deepEqual(after.days.slice(0, -15), without.days.slice(0, -15));
  const later = without.days.slice(-14).findLast(({ pnl }) => pnl !== '0');
  const share = after.days.find(({ day }) => day === later?.day)?.share ?? 0;
  assert.ok(Math.abs(share) < Math.abs(later?.share ?? 0), 'a later day is judged by the larger equity');
});

test('below 30 trades no ratio is shown', async () => {
  const { id } = await addTrader('Few', 6);
  const { trades, sharpe, coins } = await read({}, id);
  assert.ok(trades.trades > 0 && trades.trades < 30);
  assert.deepEqual([trades.winRate, trades.profitFactor, sharpe], [null, null, null]);
  assert.ok(coins.every(({ winRate, profitFactor }) => winRate === null && profitFactor === null));
});

test('without a wallet the P&L is shown, but nothing that needs the equity', async () => {
  const { id } = await addTrader('Unknown', 10);
  await api.cache.delete(cacheKeys.wallet(id));
  const { net, equity, maxDrawdown, points, exposure } = await read({}, id);
  assert.notEqual(net.pnl, '0');
  assert.deepEqual(
    [equity, net.share, maxDrawdown, points.at(-1)?.equity, exposure.average],
    [null, null, null, null, null],
  );
  assert.equal(points.at(-1)?.pnl, net.pnl);
});

test('a deleted profile counts with what it has realised, without a name', async () => {
  const { id, profileId } = await addTrader('Deleted', 30);
  const realised = (await read({}, id)).net.realised;
  await api.database.pool.query('delete from profiles where id = $1', [profileId]);
  const { net, byProfile, exits, trades } = await read({}, id);
  assert.deepEqual([net.pnl, net.realised, net.unrealised], [realised, realised, '0']);
  assert.deepEqual(
    byProfile.map(({ name, pnl }) => [name, pnl]),
    [[null, realised]],
  );
  assert.equal(pnlOf(exits), realised);
  assert.ok(trades.trades > 0);
});

test('accounts never join: each has its own money, of its own kind', async () => {
  const { id } = await addTrader('Own', 10);
  const body = { name: 'Live', exchangeMode: 'live' } as const;
  const live = await api.call(createAccount, { body });
  const [own, empty] = [await read({}, id), await read({}, live.id)];
  assert.equal(own.kind, 'testnet');
  assert.notEqual(own.net.pnl, '0');
  assert.deepEqual([empty.kind, empty.net.pnl, empty.trades.trades, empty.firstAt], ['live', '0', 0, null]);
});

test('coins with another quote asset are named and left out', async () => {
  const { id, profileId } = await addTrader('Other', 10);
  const before = await read({}, id);
  await api.database.pool.query(
    `insert into position_history select account_id, profile_id, 'SOLBTC', at, version, quantity, cost, cost_change, cycle,
       is_open, open_change, cycle_net, realised + 7, fees + 7, unvalued_fees
     from position_history where profile_id = $1 and symbol = 'BTCUSDT'`,
    [profileId],
  );
  await api.database.pool.query(
    `insert into closed_cycles select profile_id, 'SOLBTC', cycle, opened_at, closed_at, net, exit_reason
     from closed_cycles where profile_id = $1 and symbol = 'BTCUSDT'`,
    [profileId],
  );
  const after = await read({}, id);
  assert.deepEqual(after.otherAssets, ['SOLBTC']);
  assert.deepEqual([after.net, after.trades.trades, after.exits], [before.net, before.trades.trades, before.exits]);
});

test('a held coin without a price counts at its cost and is named', async () => {
  const { id, profileId } = await addTrader('Unpriced', 5);
  await api.database.pool.query(
    `insert into position_history values ($1, $2, 'XRPUSDT', now(), 1, 10, 20, 20, 1, true, 1, 0, 0, 0, 0)`,
    [id, profileId],
  );
  const { unpriced, coins } = await read({}, id);
  assert.deepEqual(unpriced, ['XRPUSDT']);
  assert.equal(
    coins.find(({ symbol }) => symbol === 'XRPUSDT'),
    undefined,
    'neither gained nor lost',
  );
});

test('a profile of another account is not found, and a period needs its days', async () => {
  const { profileId } = await addTrader('Elsewhere', 5);
  const params = { id: accountId };
  assert.equal((await api.refusal(readPerformance, { params, query: { profileId } })).code, 'not_found');
  const missing = await api.refusal(readPerformance, { params, query: { period: 'custom', from: '2026-01-01' } });
  assert.deepEqual(
    missing.errors?.map(({ path }) => path),
    ['to'],
  );
});
