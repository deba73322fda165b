import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listAccounts } from '#api/contract/accounts.ts';
import { setKillSwitch } from '#api/contract/halts.ts';
import { signUp } from '#api/contract/session.ts';
import { add, type Decimal, requireDecimal, subtract } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { isLiveOrder } from '#core/order/order.ts';
import type { TradingPort } from '#core/ports/exchange.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { controlHeaders } from '#paper/drills/control-guard.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { LISTED, startProfile, UNGUARDED } from '#test/flow/profile.ts';
import { openDice } from '#test/flow/random.ts';
import { until } from '#test/flow/until.ts';
import { type App, type Part, startApp } from './app.ts';

/** FAULT_KILLS=100 is the long one. */
const KILLS = Number(process.env['FAULT_KILLS'] ?? 20);
/** Kills while an order list rests on the exchange. */
const LIST_KILLS = Number(process.env['FAULT_KILLS'] ?? 5);
const SYMBOL = 'BTCUSDT';

let folder = '';
function openFolder(): void {
  const opened = mkdtempSync(join(tmpdir(), 'tradewind-kill-'));
  // Root runs the server as a user of its own, who must be able to pass: else its files are kept elsewhere and outlive the test.
  chmodSync(opened, 0o711);
  after(() => rmSync(opened, { recursive: true, force: true }));
  folder = opened;
}

const seed = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
const dice = openDice(seed);

const title = `worker, api and PostgreSQL are killed ${KILLS} times (seed ${seed})`;
test(`${title}: it goes on, nothing is doubled, nothing lost`, { timeout: 120_000 + KILLS * 15_000 }, () =>
  killMany(UNGUARDED, KILLS, async () => {
    await delay(dice.between(200, 1_700));
    if (dice.chance(0.5)) await orderOnItsWay();
    return true;
  }),
);

const listTitle = `worker, api and PostgreSQL are killed ${LIST_KILLS} times while an order list rests (seed ${seed})`;
test(`${listTitle}: nothing is doubled, nothing lost`, { timeout: 120_000 + LIST_KILLS * 45_000 }, () =>
  killMany(LISTED, LIST_KILLS, async () => {
    // At this speed the price may pass a list that is on its way: after a refusal the worker that runs tries none.
    const rests = await until('an order list to rest', listRests, 20_000).catch(() => false);
    await delay(dice.between(0, 300));
    return rests && (await listRests());
  }),
);

/** `ready` waits for the moment of the next kill; a kill counts when it returns true. */
async function killMany(config: object, kills: number, ready: () => Promise<boolean>): Promise<void> {
  openFolder();
  took.length = 0;
  writeSwingingCandles(folder, 60 * 24 * 30);
  const from = new Date(MARKET_START + 3_600_000).toISOString();
  const args = ['--port', '0', '--replay', folder, '--from', from, '--speed', '1800'];
  await using app = await startApp({ dataDir: join(folder, 'data'), args });
  const client = createClient(`${app.url}/api`);
  await client.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
  const { accounts } = await client.call(listAccounts, {});
  const [account] = accounts;
  assert.ok(account !== undefined);
  const profileId = await startProfile({ ...client, accountId: account.id }, [SYMBOL], { config });
  await until('the first decision', () => ticked(client, profileId, 0));

  await slowOrders();

  for (let kill = 1, counted = 0; counted < kills; kill++) {
    assert.ok(kill <= 3 * kills, `${counted} of ${kill - 1} kills came at their moment`);
    const counts = await ready();
    if (counts) counted += 1;
    const part = counts ? dice.pick<Part>(['worker', 'worker', 'api', 'postgres']) : 'worker';
    await killAndRecover(app, client, { profileId, part, kill });
  }
  console.table(PARTS.map(spreadOf));
  // The number of trades between two kills is random: it depends on the seconds of each swing that the worker saw.
  const before = await until('fills to be read', fillsStored);
  await until('a buy and a sale after the last kill', async () => {
    const sides = (await fillsStored())?.slice(before.length);
    return sides?.includes('buy') === true && sides.includes('sell');
  });
  await assertConsistent(client);
}

/** Both legs of one list rest on the exchange, as far as the worker has stored it. */
const listRests = (): Promise<boolean> =>
  withDatabase(async ({ kysely }) => {
    const legs = kysely.selectFrom('orders').select('id').where('list_id', 'is not', null).where('state', '=', 'open');
    return (await legs.execute()).length === 2;
  }).catch(() => false);

const PARTS: readonly Part[] = ['worker', 'api', 'postgres'];
/** Milliseconds from each kill to the next decision, and to the proof of every order where the test waited for it. */
const took: { readonly part: Part; readonly decidingMs: number; readonly provenMs: number | null }[] = [];

function spreadOf(part: Part): Record<string, unknown> {
  const mine = took.filter((each) => each.part === part);
  const row = (name: string, times: readonly number[]) => {
    const sorted = times.toSorted((a, b) => a - b);
    const at = (share: number): number => Math.round(sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN);
    return { [`${name}: p50 ms`]: at(0.5), [`${name}: p90`]: at(0.9), [`${name}: worst`]: at(1) };
  };
  return {
    ...{ part, kills: mine.length, 'above 10 s': mine.filter(({ decidingMs }) => decidingMs > 10_000).length },
    ...row(
      'deciding',
      mine.map(({ decidingMs }) => decidingMs),
    ),
    ...row(
      'proven',
      mine.flatMap(({ provenMs }) => provenMs ?? []),
    ),
  };
}

const stored = (name: string): string => readFileSync(join(folder, 'data', name), 'utf8').trim();

/** Delays each order by half a second, so that many kills fall between a send and its response. */
async function slowOrders(): Promise<void> {
  const fault = { match: { method: 'POST', path: '/api/v3/order' }, kind: 'delay', delayMs: 500, times: 100_000 };
  const headers = controlHeaders(stored('paper-control-token'));
  const url = `http://127.0.0.1:${stored('paper-control-port')}/faults`;
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify([fault]) });
  assert.equal(answer.status, 200);
}

/** Waits up to three seconds for an intent without a response; the market decides whether one appears. */
async function orderOnItsWay(): Promise<void> {
  for (let look = 0; look < 60; look++) {
    if (!(await noneUnknown())) return;
    await delay(50);
  }
}

interface Kill {
  readonly profileId: ProfileId;
  readonly part: Part;
  readonly kill: number;
}

async function killAndRecover(app: App, client: ApiClient, { profileId, part, kill }: Kill): Promise<void> {
  const pid = await until(`${part} to run`, () => app.pidOf(part));
  process.kill(pid, 'SIGKILL');
  const killedAt = performance.now();
  const wallMs = Date.now();
  await until(`decisions after kill ${kill} of ${part}`, () => ticked(client, profileId, wallMs));
  const decidingMs = performance.now() - killedAt;
  // Often the next kill comes before all orders are proven.
  const patient = dice.chance(0.3);
  if (patient) assert.ok(await until(`orders to be proven after kill ${kill} of ${part}`, noneUnknown));
  took.push({ part, decidingMs, provenMs: patient ? performance.now() - killedAt : null });
}

/** A tick recorded after `wallMs`: ids of audits carry their wall time. */
async function ticked(client: ApiClient, profileId: ProfileId, wallMs: number): Promise<boolean> {
  try {
    const answer = await client.fetch(`/profiles/${profileId}/tick-trace?limit=1`);
    if (!answer.ok) return false;
    const id = /"id":"([0-9a-f-]+)"/.exec(await answer.text())?.[1];
    return id !== undefined && Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16) > wallMs;
  } catch {
    return false;
  }
}

let kept: { readonly url: string; readonly database: Database } | undefined;
after(() => kept?.database[Symbol.asyncDispose]());

/** On connections that are kept for as long as the database stays where it is. */
async function withDatabase<Result>(work: (database: Database) => Promise<Result>): Promise<Result> {
  const dataDir = join(folder, 'data', 'postgres');
  const read = (name: string): string => readFileSync(join(dataDir, name), 'utf8').trim();
  const url = `postgres://tradewind:${read('password')}@127.0.0.1:${read('port')}/tradewind`;
  if (kept?.url !== url) {
    await kept?.database[Symbol.asyncDispose]();
    kept = { url, database: openDatabase(url, { max: 2 }) };
  }
  return await work(kept.database);
}

const noneUnknown = (): Promise<boolean> =>
  withDatabase(async ({ kysely }) => {
    const rows = await kysely.selectFrom('orders').select('id').where('state', 'in', ['intent', 'unknown']).execute();
    return rows.length === 0;
  }).catch(() => false);

/** Sides of all fills in the order in which they were booked; undefined while the database does not answer. */
const fillsStored = (): Promise<readonly string[] | undefined> =>
  withDatabase(async ({ kysely }) => {
    const rows = await kysely.selectFrom('fills').select('side').orderBy('runner_version').execute();
    return rows.map(({ side }) => side);
  }).catch(() => undefined);

/**
 * With the worker paused: every execution of the exchange is stored and every stored one is the exchange's, each order of
 * the exchange belongs to one intent, and position and wallet agree within one step.
 */
async function assertConsistent(client: ApiClient): Promise<void> {
  const [account] = JSON.parse(readFileSync(join(folder, 'data', 'paper-accounts.json'), 'utf8'));
  const restUrl = `http://127.0.0.1:${readFileSync(join(folder, 'data', 'paper-port'), 'utf8').trim()}`;
  const market = createMarketReader({ restUrl });
  await market.clock.sync();
  const trading = createTrading({ restUrl, apiKey: account.apiKey, secret: account.secret, clock: market.clock });
  await client.call(setKillSwitch, { body: { engaged: true } });
  const sides = await until('both sides to agree', () => agreed(trading));
  const rules = (await market.rules()).find((each) => each.symbol === SYMBOL);
  assert.ok(rules !== undefined);
  const difference = subtract(sides.position, sides.wallet);
  assert.ok(difference < rules.lot.step && -difference < rules.lot.step);
}

interface Sides {
  readonly position: Decimal;
  readonly wallet: Decimal;
}

/** Reads both sides; undefined while an order is still on its way from one to the other. */
async function agreed(trading: TradingPort): Promise<Sides | undefined> {
  const [exchange, balances] = [(await trading.recentOrders(SYMBOL)).orders, (await trading.wallet()).wallet.balances];
  const stored = await withDatabase(async ({ kysely }) => ({
    fills: await kysely.selectFrom('fills').select(['trade_id', 'exchange_order_id']).execute(),
    orders: await kysely.selectFrom('orders').select(['client_order_id', 'exchange_order_id', 'state']).execute(),
    runner: await kysely.selectFrom('runner_states').select('quantity').executeTakeFirstOrThrow(),
  }));
  const known = new Set(stored.fills.map((fill) => `${fill.trade_id}:${fill.exchange_order_id}`));
  const intents = new Map(stored.orders.map((order) => [order.client_order_id, order]));
  let seen = 0;
  for (const order of exchange) {
    if (intents.get(order.clientOrderId)?.exchange_order_id !== order.exchangeOrderId) return undefined;
    for (const fill of await trading.fillsOf(SYMBOL, order.exchangeOrderId)) {
      if (!known.has(`${fill.tradeId}:${fill.exchangeOrderId}`)) return undefined;
      seen += 1;
    }
  }
  assert.equal(new Set(exchange.map((order) => order.clientOrderId)).size, exchange.length, 'an intent was sent twice');
  const open = new Set((await trading.openOrders(SYMBOL)).orders.map(({ exchangeOrderId }) => exchangeOrderId));
  const live = stored.orders.filter((order) => isLiveOrder(order.state));
  const isOpen = ({ exchange_order_id: id }: (typeof live)[number]): boolean => id !== null && open.has(id);
  if (seen !== known.size || live.length !== open.size || !live.every(isOpen)) return undefined;
  const { free = '0', locked = '0' } = balances['BTC'] ?? {};
  return {
    position: requireDecimal(stored.runner.quantity),
    wallet: add(requireDecimal(free), requireDecimal(locked)),
  };
}
