import assert from 'node:assert/strict';
import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import { cacheKeys, TICK_TRACE_CAP } from '#core/installation/cache-keys.ts';
import {
  absolute,
  add,
  type Decimal,
  floorToStep,
  formatDecimal,
  maximum,
  multiply,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import type { HaltScope } from '#core/account/halts.ts';
import { isLiveOrder, type OrderState, originalIdOf } from '#core/order/order.ts';
import { STOP_QTY_DRIFT } from '#core/sizing/protective-stop.ts';
import { isSellable } from '#core/position/position.ts';
import { listingNow } from '#paper/market/symbol-market.ts';
import type { Order, OrderStatus } from '#paper/exchange/order.ts';
import { refoldPosition } from '#storage/trading/fills.ts';
import type { Tables } from '#storage/postgres/tables.ts';
import { tracedTicks } from '#test/flow/traced-ticks.ts';
import { EXCHANGE_ACCOUNT, OPENING, type Environment } from './environment.ts';

/** A kill switch from its engagement to its release, in the order that `halt_order` gives; null: never released. */
export interface Engagement {
  readonly scope: HaltScope;
  readonly freeze: boolean;
  readonly from: bigint;
  until: bigint | null;
}

type StoredOrder = Selectable<Tables['orders']>;
const exact = (text: string): string => formatDecimal(requireDecimal(text));
const storedOrders = ({ database }: Environment): Promise<StoredOrder[]> =>
  database.kysely.selectFrom('orders').selectAll().execute();

const STATES: Readonly<Record<OrderStatus, OrderState>> = {
  NEW: 'open',
  PARTIALLY_FILLED: 'partially-filled',
  FILLED: 'filled',
  CANCELED: 'cancelled',
  EXPIRED: 'expired',
  EXPIRED_IN_MATCH: 'expired',
  PENDING_NEW: 'open',
};

/** Each order of the exchange belongs to one intent, no intent has two, and both sides agree on it. */
async function assertOrders(environment: Environment, restored: boolean): Promise<void> {
  const byClientId = new Map((await storedOrders(environment)).map((order) => [order.client_order_id, order]));
  const seen = new Set<string>();
  for (const order of environment.paper.venue.engine.orders.byId.values()) {
    const clientOrderId = originalIdOf(order.clientOrderId, order.type);
    assert.ok(!seen.has(clientOrderId), `intent ${clientOrderId} was sent twice`);
    seen.add(clientOrderId);
    const stored = byClientId.get(clientOrderId);
    // A restored backup lacks orders that came and ended without an execution.
    if (stored === undefined && restored && order.executed === ZERO && STATES[order.status] !== 'open') continue;
    assert.ok(stored !== undefined, `order ${clientOrderId} of the exchange belongs to no intent`);
    assert.deepEqual(
      [stored.exchange_order_id, stored.symbol, stored.side.toUpperCase(), exact(stored.quantity), stored.state],
      [String(order.id), order.symbol, order.side, formatDecimal(order.quantity), STATES[order.status]],
      `order ${clientOrderId}: stored (first) and exchange (second) differ`,
    );
    assert.deepEqual(
      [exact(stored.filled_quantity), exact(stored.filled_quote)],
      [formatDecimal(order.executed), formatDecimal(order.executedQuote)],
      `amounts of ${clientOrderId}: stored (first) and exchange (second) differ`,
    );
  }
  const invented = [...byClientId.values()].filter(
    (order) => order.exchange_order_id !== null && !seen.has(order.client_order_id),
  );
  assert.deepEqual(invented, [], 'orders are stored that the exchange does not have');
}

/** A list that a sale was to replace is placed again after each refusal of the sale. */
const MOST_ALIKE = 10;

/**
 * Both legs of a list are stored with one quantity, and of each list one leg sold at most, and no more than that. None was
 * placed while the order before it could still sell: the exchange would have refused its quantity.
 */
async function assertLists(environment: Environment): Promise<void> {
  const { byId, lists } = environment.paper.venue.engine.orders;
  const stored = (await storedOrders(environment)).filter(({ list_id }) => list_id !== null);
  const uncovered = stored.filter(({ payload }) => JSON.stringify(payload).includes('insufficient balance'));
  const ids = uncovered.map(({ client_order_id: id }) => id);
  assert.deepEqual(ids, [], 'order lists were placed for more than was free');
  const cancelled = stored.filter(
    ({ purpose, state, exchange_order_id: id }) => purpose === 'stop' && state === 'cancelled' && id !== null,
  );
  const alike = Map.groupBy(cancelled, ({ symbol, quantity, stop_price }) => `${symbol} ${quantity} ${stop_price}`);
  const repeated = [...alike].filter(([, orders]) => orders.length > MOST_ALIKE).map(([what]) => what);
  assert.deepEqual(repeated, [], 'order lists were cancelled and placed again as they were');
  for (const { list_id, quantity } of stored) {
    const legs = stored.filter((leg) => leg.list_id === list_id);
    const purposes = legs.map(({ purpose }) => purpose).toSorted();
    assert.deepEqual(purposes, ['stop', 'target'], `list ${list_id} is stored without both of its legs`);
    assert.ok(
      legs.every((leg) => exact(leg.quantity) === exact(quantity)),
      `the legs of ${list_id} differ`,
    );
    const sold = legs.filter((leg) => requireDecimal(leg.filled_quantity) > ZERO);
    assert.ok(sold.length < 2, `both legs of ${list_id} sold`);
  }
  for (const { id, orderIds } of lists.values()) {
    const executed = orderIds.filter((leg) => (byId.get(leg)?.executed ?? ZERO) > ZERO);
    assert.ok(executed.length < 2, `both legs of the list ${id} of the exchange sold`);
  }
}

/** Each request of the operator bought once at most, and every manual sale was requested. */
async function assertActions(environment: Environment): Promise<void> {
  const requested = environment.requested.filter((kind) => kind === 'manual-order' || kind === 'force-sell');
  const sent = (await storedOrders(environment)).filter(
    (order) => order.purpose === 'manual' && order.exchange_order_id,
  );
  const orders = requested.filter((kind) => kind === 'manual-order').length;
  const bought = sent.filter(({ side }) => side === 'buy').length;
  assert.ok(bought <= orders, `${bought} manual buys were sent, but only ${orders} were requested: two for one action`);
  const isRequested = requested.length > orders || bought === sent.length;
  assert.ok(isRequested, 'a manual sale was sent, but none was requested: two for one action');
}

const actionsOf = ({ database }: Environment) =>
  database.kysely.selectFrom('operator_actions').select(['id', 'kind', 'state', 'expires_at']);

/** Requests of the operator that no worker has finished, as text. */
export const openActions = async (environment: Environment): Promise<string[]> =>
  (await actionsOf(environment).where('state', 'in', ['pending', 'taken']).execute()).map(
    ({ id, kind, state }) => `${kind} ${id} is ${state}`,
  );

/** The worker never concluded that an order of the exchange had not arrived: the strategy decides again after that. */
async function assertProofs({ paper, database }: Environment): Promise<void> {
  const given = await database.kysely
    .selectFrom('action_logs')
    .select(sql<string>`ctx ->> 'clientOrderId'`.as('clientOrderId'))
    .where(sql<boolean>`ctx ->> 'event' = 'order_never_arrived'`)
    .execute();
  const known = new Set(
    [...paper.venue.engine.orders.byId.values()].map((order) => originalIdOf(order.clientOrderId, order.type)),
  );
  const wrong = given.filter(({ clientOrderId }) => known.has(clientOrderId));
  assert.deepEqual(wrong, [], 'orders were concluded to have never arrived, but the exchange has them');
}

/** The same executions on both sides, each once, with the same numbers. */
async function assertFills({ paper, database }: Environment): Promise<void> {
  const exchange = [...paper.venue.engine.orders.fillsByOwner.values()]
    .flat()
    .map((fill) =>
      [
        ...[fill.symbol, fill.id, fill.orderId, fill.side.toLowerCase(), formatDecimal(fill.price)],
        ...[
          formatDecimal(fill.quantity),
          formatDecimal(fill.quote),
          formatDecimal(fill.commission),
          fill.commissionAsset,
        ],
      ].join(' '),
    );
  const rows = await database.kysely.selectFrom('fills').selectAll().execute();
  const stored = rows.map((row) =>
    [
      ...[row.symbol, row.trade_id, row.exchange_order_id, row.side, exact(row.price)],
      ...[exact(row.quantity), exact(row.quote_quantity), exact(row.fee_amount), row.fee_asset],
    ].join(' '),
  );
  assert.deepEqual(stored.toSorted(), exchange.toSorted(), 'fills: stored (first) and exchange (second) differ');
}

export const walletOf = ({ paper }: Environment, asset: string): Decimal => {
  const { free, locked } = paper.venue.engine.balances.balance(EXCHANGE_ACCOUNT, asset);
  return add(free, locked);
};

/** Position = fold of the fills = wallet, within one step. */
async function assertPositions(environment: Environment): Promise<void> {
  const { database, paper, profileId } = environment;
  for (const row of await database.kysely.selectFrom('runner_states').selectAll().execute()) {
    const market = paper.venue.markets.get(row.symbol);
    assert.ok(market !== undefined);
    const { rules } = market.listing;
    const folded = await refoldPosition(database.kysely, { profileId, symbol: row.symbol }, { rules, cooldownMs: 0 });
    assert.equal(
      formatDecimal(folded.quantity),
      exact(row.quantity),
      `${row.symbol}: fold (first) and position differ`,
    );
    const difference = subtract(folded.quantity, walletOf(environment, rules.baseAsset));
    const message = `${row.symbol}: position ${row.quantity}, wallet ${formatDecimal(walletOf(environment, rules.baseAsset))}`;
    assert.ok(difference < rules.lot.step && -difference < rules.lot.step, message);
  }
}

/** Opening balances plus the ledger's wallet book equal the wallet. */
async function assertLedger(environment: Environment): Promise<void> {
  const rows = await environment.database.kysely
    .selectFrom('ledger_entries')
    .select((entry) => ['asset', entry.fn.sum<string>('amount').as('sum')])
    .where('book', '=', 'wallet')
    .groupBy('asset')
    .execute();
  for (const { asset, sum } of rows) {
    const opened = requireDecimal(OPENING[asset] ?? '0');
    const booked = formatDecimal(add(opened, requireDecimal(sum)));
    assert.equal(booked, formatDecimal(walletOf(environment, asset)), `${asset}: ledger (first) and wallet differ`);
  }
}

const buys = ({ purpose, side }: StoredOrder): boolean =>
  purpose === 'entry' || (purpose === 'manual' && side === 'buy');

/** Orders that replaced a resting order. */
async function replacements({ database }: Environment): Promise<ReadonlySet<string>> {
  const sent = await database.kysely
    .selectFrom('order_evidence')
    .select('order_id')
    .where('kind', '=', 'request')
    .where(sql<boolean>`detail ->> 'path' like '%cancelReplace'`)
    .execute();
  return new Set(sent.map(({ order_id }) => order_id));
}

/** No buy, and under a freeze no order but a first stop, was committed between an engagement and its release. */
async function assertHalts(environment: Environment, engagements: readonly Engagement[]): Promise<void> {
  const replacing = await replacements(environment);
  for (const order of await storedOrders(environment)) {
    const at = BigInt(order.halt_order);
    const isFirstStop = order.purpose === 'stop' && order.list_id === null && !replacing.has(order.id);
    const broken = engagements.filter(
      ({ freeze, from, until }) =>
        ((freeze && !isFirstStop) || buys(order)) && at > from && (until === null || at < until),
    );
    assert.deepEqual(broken, [], `${order.client_order_id} (${at}) was committed under a kill switch`);
  }
}

/** The log counts as many ticks as the trace; only for runs in which no kill lost a buffered record. */
async function assertTicks({ database, cache, profileId }: Environment): Promise<void> {
  const texts = await cache.newest(cacheKeys.tickTrace(profileId), TICK_TRACE_CAP);
  const { sum } = await database.kysely
    .selectFrom('action_logs')
    .select((row) => row.fn.sum<string>('count').as('sum'))
    .where(sql<boolean>`ctx ->> 'event' = 'decision'`)
    .executeTakeFirstOrThrow();
  assert.equal(Number(sum), tracedTicks(texts), 'ticks counted in the log (first) and in the trace differ');
}

/** Orders whose outcome is still open, as text; a resting order counts unless it equals the order of the exchange. */
export const openOutcomes = async (environment: Environment): Promise<string[]> =>
  (await storedOrders(environment))
    .filter((order) => isLiveOrder(order.state) && !restsAs(environment, order))
    .map((order) => `${order.client_order_id} ${order.state} since ${order.recorded_at.toISOString()}`);

/** Coins of a restored backup that no worker has reconciled with the exchange yet, as text. */
export const unreconciled = async ({ database }: Environment): Promise<string[]> =>
  (await database.kysely.selectFrom('runner_states').select('symbol').where('compared', '=', false).execute()).map(
    ({ symbol }) => `${symbol} is not reconciled yet`,
  );

function restsAs({ paper }: Environment, stored: StoredOrder): boolean {
  const resting = paper.venue.engine.orders.byId.get(Number(stored.exchange_order_id));
  return (
    resting !== undefined &&
    STATES[resting.status] === stored.state &&
    formatDecimal(resting.executed) === exact(stored.filled_quantity)
  );
}

/** A sale that counts as protection: the target of an order list does not, and locks nothing of its own. */
export const protects = ({ side, type, listId }: Pick<Order, 'side' | 'type' | 'listId'>): boolean =>
  side === 'SELL' && (listId < 0 || type !== 'LIMIT_MAKER');

/** Coins with a position and no stop for what can be sold of it, as text; a share that moves no stop is ignored. */
export async function unprotectedCoins({ database, paper }: Environment): Promise<string[]> {
  const rows = await database.kysely.selectFrom('runner_states').selectAll().execute();
  const resting = [...paper.venue.engine.orders.open.values()].filter(protects);
  return rows.flatMap((row) => {
    const market = paper.venue.markets.get(row.symbol);
    const rules = market && listingNow(market).rules;
    const held = requireDecimal(row.quantity);
    if (rules === undefined || !isSellable(held, requireDecimal(row.average_price), rules)) return [];
    const guarded = resting
      .filter(({ symbol }) => symbol === row.symbol)
      .reduce((sum, order) => add(sum, subtract(order.quantity, order.executed)), ZERO);
    const sellable = floorToStep(held, rules.lot.step);
    const short = absolute(subtract(sellable, guarded));
    return short < maximum(rules.lot.step, multiply(sellable, STOP_QTY_DRIFT))
      ? []
      : [`${row.symbol} holds ${row.quantity}, its stops are for ${formatDecimal(guarded)}`];
  });
}

interface SentRequest {
  readonly line: string;
  readonly params: URLSearchParams;
}

const placesStop = (request: SentRequest | undefined): boolean =>
  request?.line.startsWith('POST /api/v3/order?') === true && request.params.get('type')?.startsWith('STOP') === true;

/** One request cancels an unfilled stop and places the next: the position is never without a stop. */
function assertStopsReplaced({ worker, paper }: Environment): void {
  const requests = worker.sent.map((line) => ({
    line,
    params: new URL(line.split(' ')[1] ?? '', 'http://x').searchParams,
  }));
  const orders = [...paper.venue.engine.orders.byId.values()];
  const unprotected = requests.filter(({ line, params }, index) => {
    const gone = params.get('origClientOrderId') ?? '';
    const symbol = params.get('symbol');
    if (!line.startsWith('DELETE') || !/^tw1-\w+-s/.test(gone)) return false;
    const order = orders.find((each) => originalIdOf(each.clientOrderId, each.type) === gone && each.symbol === symbol);
    const next = requests.slice(index + 1).find((each) => each.params.get('symbol') === symbol);
    return order?.executed === ZERO && placesStop(next);
  });
  const ids = unprotected.map(({ params }) => params.get('origClientOrderId'));
  assert.deepEqual(ids, [], 'stops were cancelled before their replacements were placed');
}

/** Throws with a sentence at the first violation. The worker must be stopped. */
export async function assertConsistent(
  environment: Environment,
  run: Readonly<Record<'killed' | 'guarded' | 'restored', boolean>> & { readonly engagements: readonly Engagement[] },
): Promise<void> {
  await assertOrders(environment, run.restored);
  if (!run.restored) await assertLists(environment);
  await assertActions(environment);
  await assertProofs(environment);
  await assertFills(environment);
  await assertPositions(environment);
  await assertLedger(environment);
  await assertHalts(environment, run.engagements);
  if (run.guarded) assertStopsReplaced(environment);
  if (!run.killed) await assertTicks(environment);
}
