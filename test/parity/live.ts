import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { aggregateSeries, type Series } from '#backtest/columns.ts';
import type { TickAudit } from '#core/decision/audit.ts';
import { type Candle, type Interval, INTERVAL_MS } from '#core/market/candle.ts';
import { lowerBound } from '#core/market/candle-columns.ts';
import type { Decision } from '#core/decision/decision.ts';
import { add, type Decimal, divide, fromSteps, requireDecimal, toNumber, ZERO } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { ORDER_TIMING } from '#core/order/order-timing.ts';
import type { MarketEvent, PlaceRequest, TradingPort } from '#core/ports/exchange.ts';
import type { ProfileToRun } from '#core/account/profile-to-run.ts';
import type { RiskLimits } from '#core/account/risk.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { isCertain } from '#engine/state/coin.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { candleAt } from '#paper/market/source.ts';
import { adoptQuote } from '#paper/market/symbol-market.ts';
import { advanceTo } from '#paper/exchange/market-loop.ts';
import { marketNow, type Venue } from '#paper/exchange/venue.ts';
import type { Database } from '#storage/postgres/database.ts';
import type { Owner } from '#test/harness/test-trading.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { type AccountBench, openAccountBench } from '#test/flow/account-bench.ts';
import { until } from '#test/flow/until.ts';

const MINUTE_MS = INTERVAL_MS['1m'];
const PURSE = 'a';

/** One profile over a stretch of recorded minutes. */
export interface Play {
  readonly name: string;
  readonly strategy: AnyStrategy;
  readonly config: Record<string, unknown>;
  readonly balance: string;
  /** The operator's limits of the profile. */
  readonly limits?: RiskLimits;
  /** Minutes by coin, with what lies before the window. */
  readonly minutes: ReadonlyMap<string, Series>;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface PlayedFill {
  readonly symbol: string;
  readonly side: 'buy' | 'sell';
  readonly quantity: Decimal;
  readonly price: Decimal;
  readonly atMs: number;
  /** The reason of its order: for a stop on the exchange the name of its level. */
  readonly reason: string;
}

/** The result of one side: the reason at the close of every minute by coin, and the fills. */
export interface Played {
  readonly rules: ReadonlyMap<string, SymbolRules>;
  readonly reasons: ReadonlyMap<string, ReadonlyMap<number, string>>;
  readonly fills: readonly PlayedFill[];
}

const BETWEEN: Decision = { kind: 'nothing', reason: 'between-closes' };

/** The strategy decides as in a backtest: at closes, not between them. The engine keeps its stop as always. */
function askedAtCloses(strategy: AnyStrategy, isClose: () => boolean): AnyStrategy {
  return {
    ...strategy,
    bind(stored) {
      const bound = strategy.bind(stored);
      return {
        ...bound,
        create(grid, state) {
          const instance = bound.create(grid, state);
          return {
            ...instance,
            decide: (view) => (isClose() ? instance.decide(view) : BETWEEN),
            explain: (decision, view) => (decision === BETWEEN ? {} : instance.explain(decision, view)),
          };
        },
      };
    },
  };
}

/** Market orders wait here until the next minute has opened, as those of a backtest do. */
interface Gate {
  waiting: (() => void)[];
  /** By coin; resolves when one of its orders comes. */
  arrivals: Map<string, PromiseWithResolvers<void>>;
}

function withGate(trading: TradingPort, gate: Gate): TradingPort {
  const pass = async ({ symbol, form: { type } }: PlaceRequest['order']): Promise<void> => {
    if (type !== 'market') return;
    await new Promise<void>((open) => {
      gate.waiting.push(open);
      gate.arrivals.get(symbol)?.resolve();
    });
  };
  return {
    ...trading,
    place: async (request) => pass(request.order).then(() => trading.place(request)),
    cancelReplace: async (request) => pass(request.order).then(() => trading.cancelReplace(request)),
  };
}

/** Writes the coins as candle files, as a replay reads them. */
function writeMarket(folder: string, { minutes }: Play): void {
  for (const [symbol, { columns }] of minutes) {
    const { open, high, low, close, volume } = columns;
    const rows = Array.from(columns.openMs, (openMs, row) =>
      [openMs, open[row], high[row], low[row], close[row], volume[row]].join(','),
    );
    writeFileSync(join(folder, `${symbol}-1m.csv`), `openTime,open,high,low,close,volume\n${rows.join('\n')}\n`);
  }
}

async function storeProfile(play: Play, database: Database, owner: Owner): Promise<ProfileToRun[]> {
  const { kysely } = database;
  const { accountId } = owner;
  const symbols = [...play.minutes.keys()].map((symbol) => ({ symbol, overrideConfig: {}, version: 0 }));
  const own = { id: newId<ProfileId>(), name: play.name, enabled: true };
  const strategyName = play.strategy.name;
  const row = {
    ...own,
    account_id: accountId,
    strategy_name: strategyName,
    config: JSON.stringify(play.config),
    risk_limits: JSON.stringify(play.limits ?? {}),
  };
  // A coin has one owner on an account.
  await kysely.deleteFrom('profile_symbols').execute();
  await kysely.insertInto('profiles').values(row).execute();
  await kysely
    .insertInto('profile_symbols')
    .values(symbols.map(({ symbol }) => ({ profile_id: own.id, symbol })))
    .execute();
  return [{ ...own, accountId, strategyName, config: play.config, captureUntil: null, symbols }];
}

interface Stage extends AsyncDisposable {
  readonly play: Play;
  readonly on: AccountBench;
  readonly runners: ReadonlyMap<string, CoinRunner>;
  readonly gate: Gate;
  readonly audits: TickAudit[];
  readonly emit: (event: MarketEvent) => void;
  readonly isBasket: boolean;
  /** A basket plans whenever one of its coins is looked at: between closes its profile is disabled. */
  readonly open: (isOpen: boolean) => void;
  /** Opens the strategy's eyes while `work` runs. */
  readonly atClose: (work: () => boolean) => boolean;
}

async function openStage(play: Play): Promise<Stage> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-parity-'));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  writeMarket(folder, play);
  const gate: Gate = { waiting: [], arrivals: new Map() };
  const audits: TickAudit[] = [];
  let isClose = false;
  let emit: Stage['emit'] = () => undefined;
  const { fromMs } = play;
  const on = stack.use(
    await openAccountBench({
      source: { kind: 'replay', folder },
      fromMs,
      clock: { kind: 'virtual', startMs: fromMs },
      account: { balances: { USDT: play.balance } },
      // The replay is faster than the exchange's limits: an order that has to wait for them must still be sent.
      orderTiming: { ...ORDER_TIMING, sendWithinMs: 30_000, exitWithinMs: 30_000 },
      strategies: new Map([[play.strategy.name, askedAtCloses(play.strategy, () => isClose)]]),
      prepare: async (database, owner) => storeProfile(play, database, owner),
      rewire: (ports) => ({
        ...ports,
        trading: withGate(ports.trading, gate),
        records: { ...ports.records, audit: (audit) => void audits.push(audit) },
        openMarketStream(onEvent) {
          emit = onEvent;
          onEvent({ kind: 'connected' });
          return { update: () => undefined, compare: () => undefined, [Symbol.asyncDispose]: async () => undefined };
        },
      }),
    }),
  );
  // In the order of the play, as the coins of a basket come round.
  const runners = new Map(
    [...play.minutes.keys()].map((symbol) => {
      const [runner] = on.running.coins.of(symbol);
      assert.ok(runner !== undefined, `${symbol} runs`);
      return [symbol, runner] as const;
    }),
  );
  const isBasket = play.strategy.plansBaskets === true;
  const open = (enabled: boolean): void => {
    if (isBasket) for (const { coin } of runners.values()) coin.profile = { ...coin.profile, enabled };
  };
  // Profiles are read again every half a minute of the wall, which would enable them in the middle of a minute.
  for (const runner of runners.values()) runner.onProfile = () => undefined;
  open(false);
  const kept = stack.move();
  return {
    ...{ play, on, runners, gate, audits, isBasket, open },
    emit: (event) => emit(event),
    atClose(work) {
      isClose = true;
      const done = work();
      isClose = false;
      return done;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** The minute of a coin that opens at `openMs`, in ticks; undefined where there is none. */
function minuteAt(minutes: Series | undefined, openMs: number, { price: { tick } }: SymbolRules) {
  if (minutes === undefined) return undefined;
  const { columns } = minutes;
  const row = lowerBound(columns.openMs, openMs);
  if (columns.openMs[row] !== openMs) return undefined;
  const ticks = (column: Float64Array): number => Math.round((column[row] ?? 0) / toNumber(tick));
  return { open: ticks(columns.open), close: ticks(columns.close) };
}

/** Everything that an own order leaves on the exchange, as one number. */
const traces = ({ engine: { orders } }: Venue): number => orders.lastId + orders.lastExecutionId;

/** Engine and exchange have received and handled everything that the other did. */
async function settle({ on, runners }: Stage): Promise<void> {
  const { venue } = on.paper;
  const { orders, balances: paperBalances } = venue.engine;
  const isSettled = async (): Promise<boolean> => {
    const open = new Set([...orders.open.values()].map(({ clientOrderId }) => clientOrderId));
    const live = [...runners.values()].flatMap(({ coin }) => [...coin.live.values()]);
    if (live.length !== open.size) return false;
    if (!live.every((one) => isCertain(one) && open.has(one.record.clientOrderId))) return false;
    const balances = on.running.context.wallet.snapshot()?.balances ?? {};
    for (const [asset, { free, locked }] of Object.entries(balances)) {
      const purse = paperBalances.balance(PURSE, asset);
      if (purse.free !== requireDecimal(free) || purse.locked !== requireDecimal(locked)) return false;
    }
    const done = [...orders.fillsByOwner.values()].reduce((sum, fills) => sum + fills.length, 0);
    const { rows } = await on.database.pool.query<{ count: number }>('select count(*)::int as count from fills');
    return rows[0]?.count === done;
  };
  for (let known = -1; known !== traces(venue); ) {
    known = traces(venue);
    for (let tries = 0; !(await isSettled()); tries++) {
      if (tries > 50) await until('the engine to hear of everything', isSettled);
      await turn();
    }
    // Money that a filled order had reserved stays so for two seconds of the wall unless the balances are read again.
    const wallet = on.running.context.wallet.snapshot();
    if (wallet !== null) on.running.context.wallet.replace(wallet);
    await Promise.all([...runners.values()].map(rest));
  }
}

/** Lets the market orders in: the next minute has opened, and the books are at its first price. */
async function openMinute({ play, on, gate }: Stage, openMs: number): Promise<void> {
  const { venue } = on.paper;
  await advanceTo(venue, openMs);
  for (const [symbol, minutes] of play.minutes) {
    const market = marketNow(venue, symbol);
    const ticks = market && minuteAt(minutes, openMs, market.listing.rules)?.open;
    if (market === undefined || ticks === undefined) continue;
    adoptQuote(market, { bid: ticks, ask: ticks, ownBid: undefined, ownAsk: undefined }, openMs);
  }
  for (const open of gate.waiting.splice(0)) open();
}

/** Shows the engine a price; true when its look at it is over and nothing was sent. */
function showPrice({ emit, audits }: Stage, symbol: string, at: { price: Decimal; atMs: number }): boolean {
  const known = audits.length;
  emit({ kind: 'price', symbol, ...at });
  return audits.length > known;
}

async function playClose(stage: Stage, closeMs: number, feeds: readonly Feed[]): Promise<void> {
  const { play, runners, gate } = stage;
  const closes = [...runners].flatMap(([symbol, runner]) => {
    const { rules } = runner.coin;
    const minute = minuteAt(play.minutes.get(symbol), closeMs - MINUTE_MS, rules);
    return minute === undefined ? [] : [{ symbol, runner, price: fromSteps(minute.close, rules.price.tick) }];
  });
  for (const { symbol, runner, price } of closes) {
    const { coin } = runner;
    const closing = feeds.filter((feed) => feed.symbol === symbol && feed.nextCloseMs() === closeMs);
    if (closing.length === 0 && coin.guard.triggered === null && runners.size === 1) continue;
    showPrice(stage, symbol, { price, atMs: closeMs });
    for (const feed of closing) stage.emit({ kind: 'candle', symbol, interval: feed.interval, candle: feed.take() });
    await rest(runner);
    // A stop that was set off and has not sold had its time: the minute is over.
    if (coin.guard.triggered !== null) coin.guard.triggered = { ...coin.guard.triggered, sinceMs: -Infinity };
  }
  let quiet = true;
  stage.open(true);
  for (const { symbol, runner, price } of closes) {
    const arrival = Promise.withResolvers<void>();
    gate.arrivals.set(symbol, arrival);
    if (stage.atClose(() => showPrice(stage, symbol, { price, atMs: closeMs }))) continue;
    quiet = false;
    await Promise.race([rest(runner), arrival.promise]);
  }
  stage.open(false);
  if (gate.waiting.length > 0) await openMinute(stage, closeMs);
  if (!quiet) await settle(stage);
}

/** Twice: the first one's tick may send, the second one waits for it. */
const rest = async (runner: CoinRunner): Promise<void> => {
  await runner.change(async () => undefined);
  await runner.change(async () => undefined);
  await turn();
};

/** The candles of one coin at one interval, in order of their close. */
interface Feed {
  readonly symbol: string;
  readonly interval: Interval;
  nextCloseMs(): number;
  take(): Candle;
}

function openFeeds({ play, runners }: Stage): Feed[] {
  return [...runners.values()].flatMap(({ coin }) =>
    coin.sources.map(({ interval }): Feed => {
      const minutes = play.minutes.get(coin.symbol);
      assert.ok(minutes !== undefined);
      const { columns } = aggregateSeries(minutes, interval);
      const lengthMs = INTERVAL_MS[interval];
      let row = lowerBound(columns.openMs, play.fromMs - lengthMs + 1);
      return {
        symbol: coin.symbol,
        interval,
        nextCloseMs: () => (columns.openMs[row] ?? Infinity) + lengthMs,
        take() {
          const candle = candleAt(columns, row++, lengthMs);
          assert.ok(candle !== undefined);
          return { ...candle, closed: true };
        },
      };
    }),
  );
}

/** Fills of one order as one, as in a backtest. */
function fillsOf({ engine: { orders } }: Venue, reasons: ReadonlyMap<string, string>): PlayedFill[] {
  const all = [...orders.fillsByOwner.values()].flat().toSorted((a, b) => a.id - b.id);
  return [...Map.groupBy(all, ({ orderId }) => orderId).values()].map((parts) => {
    const sum = (of: 'quantity' | 'quote'): Decimal => parts.reduce((total, part) => add(total, part[of]), ZERO);
    const [first] = parts;
    assert.ok(first !== undefined);
    const quantity = sum('quantity');
    const price = parts.length === 1 ? first.price : divide(sum('quote'), quantity);
    const side = first.side === 'BUY' ? 'buy' : 'sell';
    const reason = reasons.get(String(first.orderId)) ?? 'unknown';
    return { symbol: first.symbol, side, quantity, price, atMs: first.atMs, reason };
  });
}

/** Plays the minutes through the engine on the paper exchange. */
export async function playLive(play: Play): Promise<Played> {
  await using stage = await openStage(play);
  const { venue } = stage.on.paper;
  const feeds = openFeeds(stage);
  await settle(stage);
  const reasons = new Map([...play.minutes.keys()].map((symbol) => [symbol, new Map<number, string>()]));
  for (let openMs = play.fromMs; openMs < play.toMs; openMs += MINUTE_MS) {
    const known = traces(venue);
    stage.audits.length = 0;
    await advanceTo(venue, openMs + MINUTE_MS - 1);
    if (traces(venue) !== known) await settle(stage);
    await playClose(stage, openMs + MINUTE_MS, feeds);
    for (const { symbol, decision, approval } of stage.audits) {
      const own = reasons.get(symbol);
      if (decision.reason === BETWEEN.reason || own === undefined || own.has(openMs)) continue;
      own.set(openMs, approval.kind === 'refused' ? approval.reason : decision.reason);
    }
  }
  const rules = new Map([...stage.runners].map(([symbol, { coin }]) => [symbol, coin.rules]));
  // The order of the last close fills after the window.
  const orders = await stage.on.database.kysely.selectFrom('orders').select(['exchange_order_id', 'reason']).execute();
  const causes = new Map(orders.map(({ exchange_order_id: id, reason }) => [id ?? '', reason]));
  return { rules, reasons, fills: fillsOf(venue, causes).filter(({ atMs }) => atMs < play.toMs) };
}
