import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { TickAudit } from '#core/decision/audit.ts';
import type { EntryForm } from '#core/decision/decision.ts';
import { type Decimal, floorToStep, formatDecimal, multiply, requireDecimal, toSteps } from '#core/amount/decimal.ts';
import type { OrderTiming } from '#core/order/order-timing.ts';
import type { ActionLogRow } from '#core/ports/records.ts';
import type { StopSettings } from '#core/sizing/protective-stop.ts';
import type { Tracer } from '#core/ports/tracing.ts';
import type { Coin } from '#engine/state/coin.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { runAccount } from '#engine/account/run-account.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { SOCKET_TIMING } from '#exchange/socket.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { isOpen, type Order } from '#paper/exchange/order.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { control as askControl } from '#test/paper/test-server.ts';
import type { Database } from '#storage/postgres/database.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { type Owner, seedOwner } from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { loadProfilesToRun } from '#storage/trading/worker-profiles.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy, StrategyInstance } from '#strategies/strategy.ts';
import { DRILL_TIMING } from '#test/faults/fault-table.ts';
import { KEY } from './stack.ts';
import { until } from './until.ts';

export const SYMBOL = 'BTCUSDT';
const TICK = requireDecimal('0.01');
export const SETTINGS: StopSettings = { offset: requireDecimal('0.995'), onBandBlock: 'notify' };

/** Decisions of the steered strategy from the next tick on. */
interface Wheel {
  want: 'buy' | 'sell' | 'cancel' | null;
  /** How its buy waits; absent: it takes the market. */
  form?: EntryForm;
  /** Its stop in ticks; at or below it sells everything, as every strategy does. */
  stop: number;
  /** Which of its levels that is. */
  level: string;
  /** Its target in ticks, 0 without one; at or above it sells everything. */
  target: number;
  budget: string;
  settings: StopSettings | undefined;
}

const TARGET_REASON = 'exit-take-profit';

const instanceOf = (wheel: Wheel): StrategyInstance => ({
  onCandle: () => undefined,
  onFill: () => {
    wheel.want = null;
  },
  decide(view) {
    const { waiting } = view;
    const { form } = wheel;
    if (wheel.want === 'cancel' && waiting !== null) return { kind: 'cancel', reason: 'take-back' };
    const follows = waiting !== null && form?.type === 'chase' && form.stop < waiting.stop;
    if (wheel.want === 'buy' && (follows || !view.entryOrderOpen))
      return { kind: 'buy', reason: 'enter', level: view.target, ...(form && { form }) };
    if (wheel.target > 0 && view.price >= wheel.target && view.sellable)
      return { kind: 'sell', reason: TARGET_REASON, lots: 'all' };
    const leaves = wheel.want === 'sell' || (view.price > 0 && view.price <= wheel.stop);
    if (leaves && view.sellable) return { kind: 'sell', reason: 'leave', lots: 'all' };
    return { kind: 'nothing', reason: 'waiting' };
  },
  explain: () => ({}),
  stopTicks: (view) => (view.sellable ? wheel.stop : 0),
  stopReason: () => wheel.level,
  targetTicks: (view) => (view.sellable ? wheel.target : 0),
  targetReason: TARGET_REASON,
  plan: () => [],
  state: () => ({}),
});

const strategyOf = (wheel: Wheel): AnyStrategy => ({
  name: 'hold',
  title: 'Steered',
  summary: 'Does what the test says.',
  config: z.object({ a: z.number() }),
  reasons: {},
  bind: () => ({
    name: 'hold',
    title: 'Buy and hold',
    readable: true,
    unreadablePath: null,
    needs: { interval: '1m', min: 0, want: 1 },
    shared: {
      entryBudget: requireDecimal(wheel.budget),
      lossCooldownMs: 0,
      stopMultiple: requireDecimal('0.97'),
      stopLimitOffset: requireDecimal('0.995'),
      ...(wheel.settings && { protectiveStop: wheel.settings }),
    },
    reasons: {},
    lint: () => [],
    create: () => instanceOf(wheel),
  }),
});

/** A worker with one coin and a strategy that the test steers, on a market that moves only when the test says so. */
export interface Guarded extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly database: Database;
  readonly owner: Owner;
  readonly wheel: Wheel;
  readonly audits: TickAudit[];
  readonly logs: ActionLogRow[];
  running(): RunningAccount;
  coin(): Coin;
  /** A price on the grid, as a share of the first one. */
  at(share: string): Decimal;
  /** That price in ticks. */
  ticks(share: string): number;
  trade(share: string, quantity?: string): Promise<void>;
  control(path: string, body: unknown): Promise<void>;
  /** With another fencing number than the first where the lease was taken again. */
  start(fencing?: number): Promise<void>;
  stop(): Promise<void>;
  /** Ticks once more and waits until that is recorded. */
  tick(): Promise<void>;
}

async function openPaper(): Promise<PaperExchange> {
  return startPaper({
    port: 0,
    controlPort: 0,
    accounts: parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '1000000' } }], 'The accounts of the test'),
    source: { kind: 'synthetic' },
    clock: { kind: 'virtual', startMs: Date.UTC(2024, 0, 1) },
    speed: 1,
    seed: 7,
  });
}

interface Seat {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
  readonly running: RunningAccount;
}

type Parts = Pick<Guarded, 'paper' | 'database' | 'owner' | 'wheel' | 'audits' | 'logs'> & {
  readonly timing: OrderTiming;
  readonly tracer: Tracer | undefined;
  /** Rules as last read, as a worker keeps them. */
  readonly kept: { rules?: readonly SymbolRules[] };
};

/** One run of the account, as the worker runs it. */
async function seat(parts: Parts): Promise<Seat> {
  const { timing, paper, database, owner, wheel, audits, logs, tracer, kept } = parts;
  const { accountId, fencing } = owner;
  const market = createMarketReader({ restUrl: paper.url });
  const credentials = { ...KEY, clock: market.clock, timing };
  const sockets = { ...SOCKET_TIMING, firstDelayMs: 50 };
  const stop = new AbortController();
  const { promise, resolve } = Promise.withResolvers<RunningAccount>();
  const ended = runAccount({
    account: { id: accountId, name: 'a', exchangeMode: 'testnet', endpoint: 'paper', epoch: 1 },
    fencing,
    keyStatus: 'healthy',
    isKeyRefusal: () => false,
    timing,
    signal: stop.signal,
    ports: {
      store: createTradingStore(database),
      trading: createTrading({ restUrl: paper.url, ...credentials }),
      market,
      openMarketStream: createMarketStream({ streamUrl: paper.wsUrl, timing: sockets }),
      openAccountStream: createAccountStream({ wsApiUrl: `${paper.wsUrl}/ws-api/v3`, ...KEY, clock: market.clock }),
      records: {
        audit: (audit) => void audits.push(audit),
        log: (row) => void logs.push(row),
        evidence: () => undefined,
        flush: async () => undefined,
      },
      announce: () => undefined,
      log: { info: () => undefined, warn: () => undefined, error: () => undefined },
      tracer,
    },
    roster: {
      strategies: new Map([...STRATEGIES, ['hold', strategyOf(wheel)]]),
      loadProfiles: () => loadProfilesToRun(database, accountId),
    },
    onRunning: resolve,
    onWallet: () => undefined,
    onRules: (rules) => void (kept.rules = rules),
    keptRules: async () => kept.rules,
    onPrice: () => undefined,
    onUnbound: () => undefined,
  });
  const running = await Promise.race([promise, ended.then(() => assert.fail('The account stopped.'))]);
  return { stop, ended, running };
}

interface GuardedOptions {
  readonly budget?: string;
  /** The worker waits for answers that take seconds; else it soon counts an outcome as unknown. */
  readonly patient?: boolean;
  readonly tracer?: Tracer | undefined;
}

export async function openGuarded({ budget = '300', patient = false, tracer }: GuardedOptions = {}): Promise<Guarded> {
  await using stack = new AsyncDisposableStack();
  const { database } = stack.use(await openTestDatabase());
  const paper = stack.use(await openPaper());
  const owner = await seedOwner(database);
  await database.kysely.deleteFrom('profile_symbols').where('symbol', '!=', SYMBOL).execute();
  const wheel: Wheel = { want: null, stop: 0, level: 'exit-stop-loss', target: 0, budget, settings: SETTINGS };
  const timing = patient ? { ...DRILL_TIMING, receiveWindowMs: 5_000, patienceMs: 10_000 } : DRILL_TIMING;
  const parts: Parts = { timing, paper, database, owner, wheel, audits: [], logs: [], tracer, kept: {} };
  const first = await createMarketReader({ restUrl: paper.url }).price(SYMBOL);
  let seated: Seat | null = null;
  const stop = async (): Promise<void> => {
    const leaving = seated;
    seated = null;
    leaving?.stop.abort();
    await leaving?.ended;
  };
  stack.defer(stop);
  const running = (): RunningAccount => seated?.running ?? assert.fail('The worker is not running.');
  const at = (share: string): Decimal => floorToStep(multiply(first, requireDecimal(share)), TICK);
  const control = async (path: string, body: unknown): Promise<void> => {
    await askControl(paper, `POST ${path}`, body);
  };
  const coin = (): Coin => [...running().coins.all()][0]?.coin ?? assert.fail('No coin runs.');
  const guarded: Omit<Guarded, typeof Symbol.asyncDispose> = {
    ...parts,
    running,
    coin,
    at,
    control,
    stop,
    ticks: (share) => toSteps(at(share), TICK),
    trade: (share, quantity = '0.001') =>
      control('/trade', { symbol: SYMBOL, price: formatDecimal(at(share)), quantity }),
    async start(fencing = owner.fencing) {
      seated = await seat({ ...parts, owner: { ...owner, fencing } });
    },
    async tick() {
      const before = parts.audits.length;
      for (const runner of running().coins.all()) runner.nudge('timer');
      await until('a tick', () => parts.audits.length > before);
    },
  };
  await guarded.start();
  await guarded.trade('1');
  const resources = stack.move();
  return { ...guarded, [Symbol.asyncDispose]: () => resources.disposeAsync() };
}

/** Orders of the exchange, oldest first. */
export const ordersOf = ({ paper }: Guarded): Order[] => [...paper.venue.engine.orders.byId.values()];

/** Stops that rest on the exchange. */
export const stopsOf = (on: Guarded): Order[] => ordersOf(on).filter((order) => isOpen(order) && order.side === 'SELL');

/** Buys and waits until a stop at `share` of the price rests. */
export async function enter(on: Guarded, share = '0.97'): Promise<Order> {
  on.wheel.stop = on.ticks(share);
  on.wheel.want = 'buy';
  await on.tick();
  return until('a stop to rest', () => stopsOf(on)[0]);
}

/** Waits until the rest is too small to sell and no order rests. */
export const flat = (on: Guarded) =>
  until('the position to be sold', () => on.coin().position.firstBuyAt === null && on.coin().live.size === 0);

/** Sell orders, by type and final status. */
export const sales = (on: Guarded): string[] =>
  ordersOf(on).flatMap(({ side, type, status }) => (side === 'SELL' ? [`${type} ${status}`] : []));

const plain = (text: string): string => formatDecimal(requireDecimal(text));
const STATES: Readonly<Record<string, string>> = {
  NEW: 'open',
  PARTIALLY_FILLED: 'partially-filled',
  FILLED: 'filled',
  CANCELED: 'cancelled',
  EXPIRED: 'expired',
};

/** Both sides know the same orders with the same amounts and states, the worker perhaps a moment later. */
export async function assertLikeExchange(on: Guarded): Promise<void> {
  const read = async (): Promise<[string[], string[]]> => {
    const rows = await on.database.kysely.selectFrom('orders').selectAll().execute();
    const known = rows.filter((row) => row.exchange_order_id !== null);
    const line = ([id, ...words]: readonly unknown[]): string => `${String(id)}: ${words.join(' ')}`;
    const stored = known.map((row) =>
      line([row.exchange_order_id, plain(row.quantity), plain(row.filled_quantity), row.state]),
    );
    const seen = ordersOf(on).map((order) =>
      line([order.id, formatDecimal(order.quantity), formatDecimal(order.executed), STATES[order.status]]),
    );
    return [stored.toSorted(), seen.toSorted()];
  };
  const same = async (): Promise<boolean> => isDeepStrictEqual(...(await read()));
  await until('both sides to agree', same, 5_000).catch(async () => assert.deepEqual(...(await read())));
}
