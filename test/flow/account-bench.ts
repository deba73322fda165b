import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Candle } from '#core/market/candle.ts';
import { type Decimal, floorToStep, multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { ORDER_TIMING, type OrderTiming } from '#core/order/order-timing.ts';
import type { MarketEvent, MarketPort, TradingPort } from '#core/ports/exchange.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import { execute, type Execution } from '#engine/tick/execute.ts';
import type { EnginePorts } from '#engine/state/ports.ts';
import { runAccount } from '#engine/account/run-account.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { SOCKET_TIMING, type SocketTiming } from '#exchange/socket.ts';
import { type AccountInput, parseAccounts } from '#paper/exchange/accounts.ts';
import type { PaperOptions } from '#paper/options.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { control as askControl } from '#test/paper/test-server.ts';
import type { Database } from '#storage/postgres/database.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { type Owner, seedOwner } from '#test/harness/test-trading.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy, BoundStrategy } from '#strategies/strategy.ts';
import { KEY } from './stack.ts';

const NO_OP = (): void => undefined;

export const SYMBOL = 'BTCUSDT';

/** A strategy that only records its candles. */
function remembering(fed: Candle[]): AnyStrategy {
  const reasons = { waiting: { sentence: 'Waiting.', thresholds: [] } };
  const bound: BoundStrategy = {
    ...{ name: 'remembering', title: 'Remembering', readable: true, unreadablePath: null, reasons },
    needs: { interval: '1m', min: 0, want: 1 },
    shared: { entryBudget: ZERO, lossCooldownMs: 0, stopMultiple: null, stopLimitOffset: ZERO },
    lint: () => [],
    create: () => ({
      onCandle: (candle) => void fed.push(candle),
      onFill: () => undefined,
      decide: () => ({ kind: 'nothing', reason: 'waiting' }),
      explain: () => ({}),
      stopTicks: () => 0,
      stopReason: () => '',
      plan: () => [],
      state: () => ({}),
    }),
  };
  return { name: 'remembering', title: '', summary: '', config: z.unknown(), reasons, bind: () => bound };
}

/** One account as the engine runs it, on a separate paper exchange and database. */
export interface AccountBench extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly database: Database;
  readonly market: MarketPort;
  readonly trading: TradingPort;
  readonly running: RunningAccount;
  /** Candles in the order in which the strategy received them. */
  readonly fed: readonly Candle[];
  /** Warnings of the process log, by their event. */
  readonly warnings: readonly { readonly event: unknown; readonly err: unknown }[];
  readonly marketEvents: readonly MarketEvent[];
  control(method: 'POST' | 'DELETE', path: string, body?: unknown): Promise<void>;
  /** Commits and sends a buy that rests at `share` of the price; its client order id and its price. */
  rest(share: string): Promise<{ clientOrderId: string; price: Decimal }>;
}

interface BenchOptions extends Partial<Pick<PaperOptions, 'source' | 'clock' | 'speed' | 'fromMs'>> {
  readonly symbols?: readonly string[];
  readonly timing?: Partial<SocketTiming>;
  readonly orderTiming?: OrderTiming;
  /** Replaces ports of the engine. */
  readonly rewire?: (ports: EnginePorts) => EnginePorts;
  readonly strategies?: ReadonlyMap<string, AnyStrategy>;
  /** Balances of the account on the exchange. */
  readonly account?: Partial<AccountInput>;
  /** Stores and returns the profiles to run, instead of one that only records candles. */
  readonly prepare?: (database: Database, owner: Owner) => Promise<readonly ProfileToRun[]>;
}

function openPaper({ account, fromMs, ...options }: BenchOptions): Promise<PaperExchange> {
  const { source = { kind: 'synthetic' }, clock = { kind: 'real' }, speed = 1 } = options;
  const from = fromMs === undefined ? {} : { fromMs };
  const balances = { USDT: '100000' };
  const accounts = parseAccounts([{ name: 'a', ...KEY, balances, ...account }], 'The accounts of the test');
  return startPaper({ source, clock, speed, ...from, accounts, seed: 7, port: 0, controlPort: 0 });
}

const forget = (): void => undefined;
const same = (ports: EnginePorts): EnginePorts => ports;
/** The buy that the strategy is assumed to have planned. */
const WANTED = { level: 0, plannedQuote: requireDecimal('1000') };

export async function openAccountBench(options: BenchOptions = {}): Promise<AccountBench> {
  const { symbols = [SYMBOL], orderTiming = ORDER_TIMING, strategies = STRATEGIES } = options;
  await using stack = new AsyncDisposableStack();
  const paper = stack.use(await openPaper(options));
  const { database } = stack.use(await openTestDatabase());
  const owner = await seedOwner(database);
  const limiter = createRateLimiter();
  const market = createMarketReader({ restUrl: paper.url, limiter });
  const credentials = { ...KEY, clock: market.clock, timing: { ...SOCKET_TIMING, ...options.timing } };
  const trading = createTrading({ ...credentials, restUrl: paper.url, limiter, timing: orderTiming });
  const profile: ProfileToRun = {
    ...{ id: owner.profileId, accountId: owner.accountId, name: 'p', strategyName: 'remembering' },
    ...{ config: {}, enabled: true, captureUntil: null },
    ...{ symbols: symbols.map((symbol) => ({ symbol, overrideConfig: {}, version: 0 })) },
  };
  const profiles = (await options.prepare?.(database, owner)) ?? [profile];
  const fed: Candle[] = [];
  const warnings: { event: unknown; err: unknown }[] = [];
  const marketEvents: MarketEvent[] = [];
  const warn = (fields: Readonly<Record<string, unknown>>): void =>
    void warnings.push({ event: fields['event'], err: fields['err'] });
  const openMarketStream = createMarketStream({ streamUrl: paper.wsUrl, timing: credentials.timing });
  const started = Promise.withResolvers<RunningAccount>();
  const stop = new AbortController();
  const run = runAccount({
    account: { id: owner.accountId, name: 'a', exchangeMode: 'testnet', endpoint: 'paper', epoch: 1 },
    ...{ fencing: owner.fencing, keyStatus: 'healthy', timing: orderTiming, signal: stop.signal },
    isKeyRefusal: () => false,
    ports: (options.rewire ?? same)({
      ...{ store: createTradingStore(database), trading, market, announce: () => undefined },
      openMarketStream: (onEvent) =>
        openMarketStream((event) => {
          marketEvents.push(event);
          onEvent(event);
        }),
      openAccountStream: createAccountStream({ ...credentials, wsApiUrl: `${paper.wsUrl}/ws-api/v3` }),
      records: { audit: forget, log: forget, evidence: forget, flush: async () => undefined },
      log: { info: () => undefined, warn, error: warn },
    }),
    roster: {
      strategies: new Map([...strategies, ['remembering', remembering(fed)]]),
      loadProfiles: async () => profiles,
    },
    ...{ onRunning: started.resolve, onWallet: NO_OP, onRules: NO_OP, onPrice: NO_OP, onUnbound: NO_OP },
  });
  run.catch(started.reject);
  stack.defer(() => run);
  stack.defer(() => stop.abort());
  const running = await started.promise;
  const control: AccountBench['control'] = async (method, path, body) =>
    void (await askControl(paper, `${method} ${path}`, body));
  const resources = stack.move();
  return {
    ...{ paper, database, market, trading, running, fed, warnings, marketEvents, control },
    async rest(share) {
      const [runner] = running.coins.of(SYMBOL);
      assert.ok(runner !== undefined);
      const price = floorToStep(multiply(await market.price(SYMBOL), requireDecimal(share)), requireDecimal('0.01'));
      const form = { type: 'limit', price } as const;
      const order = orderOf({ ...owner, symbol: SYMBOL, form, entry: WANTED, quantity: requireDecimal('0.01') });
      const execution: Execution = { reason: 'entry-test', numbers: {}, order };
      const result = await execute(runner.coin, execution);
      assert.ok(result.kind === 'order' && result.outcome === 'accepted');
      return { clientOrderId: result.clientOrderId, price };
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
