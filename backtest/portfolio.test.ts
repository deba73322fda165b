import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { Decision } from '#core/decision/decision.ts';
import { add, formatDecimal, multiply, requireDecimal, subtract, toNumber, ZERO } from '#core/amount/decimal.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { NO_LIMITS, type RiskLimits } from '#core/account/risk.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { Series } from './columns.ts';
import { runKernel } from './kernel.ts';
import { type PortfolioInput, runPortfolioBacktest } from './portfolio-backtest.ts';
import { runPortfolio } from './portfolio-run.ts';
import { type BacktestInput, openKernel, runBacktest } from './run.ts';
import { candlesOf, type Script, scripted } from './test-script.ts';
import { rulesOf, walk } from './test-walk.ts';

const d = requireDecimal;
const TERMS = { balance: d('1000'), feeRate: d('0.001'), slippage: ZERO };

/** One profile under its own limits. */
function profileOf(coins: readonly BacktestInput[], limits: Partial<RiskLimits> = {}): PortfolioInput {
  const id = newId<ProfileId>();
  const own = { scope: 'profile' as const, subject: id, limits: { ...NO_LIMITS, ...limits } };
  return { profiles: [{ id, coins }], limits: { timezone: 'UTC', limits: [own] } };
}

const symbolOf = (nth: number): string => `${'ABCDEFGH'[nth]?.repeat(3)}USDT`;
const rulesFor = (nth: number) => {
  const symbol = symbolOf(nth);
  return { ...rulesOf('0.01', '0.001'), symbol, baseAsset: symbol.slice(0, 3) };
};

const TRAILING = {
  candleInterval: '5m',
  buy: { candleLimit: 10, entrySizing: { mode: 'fixed', amount: '400' }, gridLevels: [{ triggerPercentage: '1.003' }] },
  sell: { stopLossPercentage: '0.98', triggerPercentage: '1.006', trailingStopPercentage: '0.996' },
};
const MOMENTUM = {
  candleInterval: '5m',
  ema: { fast: 3, slow: 8 },
  entrySizing: { mode: 'percent-of-equity', percent: '0.4' },
  entryExtension: { maxPercentage: '' },
};

function coinOf(name: string, config: object, { nth, detail }: { nth: number; detail: Series }): BacktestInput {
  const strategy = STRATEGIES.get(name);
  assert.ok(strategy);
  return { bound: strategy.bind(strategy.config.parse(config)), rules: rulesFor(nth), terms: TERMS, candles: detail };
}

const walked = (seed: number, nth: number): Series =>
  walk(seed + nth * 7919, 2500, { tick: 0.01, price: 100 + 30 * nth, gaps: nth % 2 === 1 });

test('one coin without limits: the same run, to the last number, as the coin alone', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom('trailing-trade', 'momentum'), fc.nat(1), (seed, name, nth) => {
      const coin = coinOf(name, name === 'momentum' ? MOMENTUM : TRAILING, { nth, detail: walked(seed, nth) });
      const [alone, together] = [runBacktest(coin), runPortfolioBacktest(profileOf([coin]))];
      assert.ok(alone.kind === 'result' && together.kind === 'result');
      const { passedCandles: _passed, openPosition: _open, ...expected } = alone.result;
      const { passedCandles: _none, openPosition: _closed, ...result } = together.result;
      assert.deepEqual(result, expected);
    }),
    { numRuns: 60, seed: 3 },
  );
});

/** The holdings of all coins, by the fills up to each of them: the books may never contradict the balance. */
test('several coins: the balance never falls below zero, and what is held and earned is what was put in', () => {
  fc.assert(
    fc.property(fc.nat(), fc.constantFrom('trailing-trade', 'momentum'), (seed, name) => {
      const config = name === 'momentum' ? MOMENTUM : TRAILING;
      const coins = [0, 1, 2, 3].map((nth) => coinOf(name, config, { nth, detail: walked(seed, nth) }));
      const run = runPortfolio(openedOf(profileOf(coins)));
      assert.ok(run.fills.every(({ cash }) => cash >= 0n));
      const realised = run.fills.reduce((sum, fill) => add(sum, fill.realised), ZERO);
      const costs = run.runs.reduce((sum, { book }) => add(sum, book.position.cost), ZERO);
      const cash = run.runs[0]?.book.balance.cash ?? ZERO;
      assert.equal(formatDecimal(subtract(add(cash, costs), TERMS.balance)), formatDecimal(realised));
      assert.ok(run.runs.every(({ book }) => book.rejections.length === 0 || name === 'trailing-trade'));
    }),
    { numRuns: 40, seed: 4 },
  );
});

function openedOf({ profiles, limits }: PortfolioInput) {
  const opened = profiles.map(({ id, coins }) => ({
    id,
    coins: coins.map((coin) => {
      const one = openKernel(coin);
      assert.ok(one.kind === 'kernel');
      return one.kernel;
    }),
  }));
  return { profiles: opened, ...(limits === undefined ? {} : { limits }) };
}

/** How many coins are held after each fill. */
function mostOpen(fills: ReturnType<typeof runPortfolio>['fills']): number {
  const open = new Map<string, boolean>();
  let most = 0;
  for (const { symbol, position, fill } of fills) {
    open.set(symbol, toNumber(multiply(position, fill.price)) > 5);
    most = Math.max(most, [...open.values()].filter(Boolean).length);
  }
  return most;
}

test('one open position over three coins: never two, and without the limit there are', () => {
  const coins = [0, 1, 2].map((nth) => coinOf('trailing-trade', TRAILING, { nth, detail: walked(1, nth) }));
  const free = runPortfolio(openedOf(profileOf(coins)));
  const limited = runPortfolio(openedOf(profileOf(coins, { openPositions: 1 })));
  assert.ok(mostOpen(free.fills) > 1);
  assert.equal(mostOpen(limited.fills), 1);
  assert.ok(limited.fills.length > 20, `${limited.fills.length} fills`);
  assert.ok((limited.counts.get('cap-open-positions') ?? 0) > 0);
  assert.equal(limited.counts.get('cap-open-positions') ?? 0, refusals(limited));
});

const refusals = ({ counts }: ReturnType<typeof runPortfolio>): number =>
  [...counts].reduce((sum, [reason, count]) => (reason.startsWith('cap-') ? sum + count : sum), 0);

/** Coins that follow their scripts, a minute for each row. */
function scriptedRun(
  scripts: readonly Script[],
  { limits, rows }: { limits?: Partial<RiskLimits>; rows: readonly string[] },
) {
  const reported: string[] = [];
  const coins = scripts.map((script, nth) => {
    return { bound: scripted(script), rules: rulesFor(nth), terms: TERMS, candles: candlesOf('1m', rows) };
  });
  const run = runPortfolio(openedOf(profileOf(coins, limits)), ({ book }, nowMs, reason) => {
    if (reason !== 'wait') reported.push(`${nowMs / 60_000} ${book.rules.symbol.slice(0, 1)} ${reason}`);
  });
  const fills = run.fills.map(({ symbol, fill }) => {
    return `${fill.at.getTime() / 60_000} ${symbol.slice(0, 1)} ${fill.side} ${formatDecimal(fill.quantity)}`;
  });
  return { run, reported, fills };
}

const FLAT = Array.from({ length: 8 }, () => '100/100/100/100');
const BUY: Decision = { kind: 'buy', reason: 'entry-test', level: 0 };
const SELL: Decision = { kind: 'sell', reason: 'exit-test', lots: 'all' };
const spends = (budget: string) => ({ entryBudget: d(budget) });

test('coins that decide at the same close share what is free: the first one takes it', () => {
  const both = { decisions: { 0: BUY }, shared: spends('900') };
  const { fills, reported } = scriptedRun([both, both], { rows: FLAT });
  // 900 / 100.2 is 8.982; the second one gets what the first, with 0.2 % kept free, leaves: 1000 - 8.982 * 100.2.
  assert.deepEqual(reported, ['1 A entry-test', '1 B entry-test']);
  assert.deepEqual(fills, ['1 A buy 8.982', '1 B buy 0.998']);
});

test('a waiting buy keeps its money from the others until it is taken back', () => {
  const form = { type: 'maker' as const, limit: 9000 };
  const waits: Decision = { ...BUY, form };
  const back: Decision = { kind: 'cancel', reason: 'entry-back' };
  const { reported, fills } = scriptedRun(
    [
      { decisions: { 0: waits, 3: back }, shared: spends('950') },
      { decisions: { 1: BUY, 4: BUY }, shared: spends('600') },
    ],
    { rows: FLAT },
  );
  assert.deepEqual(reported, ['1 A entry-test', '2 B entry-test', '4 A entry-back', '5 B entry-test']);
  assert.deepEqual(
    fills.map((text) => text.slice(0, 7)),
    ['2 B buy', '5 B buy'],
  );
  assert.match(fills[0] ?? '', / 0\.\d+$/, 'what 50 buy');
});

test('a buy at the open cannot spend what a stop of another coin earns later in that candle', () => {
  const protectiveStop = { offset: d('0.99'), onBandBlock: 'notify' as const };
  const stopped = {
    bound: scripted({ decisions: { 0: BUY }, stops: { 1: 9500 }, protectiveStop, shared: spends('900') }),
    candles: candlesOf('1m', ['100/100/100/100', '100/100/100/100', '100/100/100/100', '100/100/90/90', '90/90/90/90']),
  };
  // The price opens 5 % above the close of the decision: the free cash is not enough.
  const buying = {
    bound: scripted({ decisions: { 2: BUY }, shared: spends('500') }),
    candles: candlesOf('1m', [
      '100/100/100/100',
      '100/100/100/100',
      '100/100/100/100',
      '105/105/105/105',
      '105/105/105/105',
    ]),
  };
  const coins = [stopped, buying].map((coin, nth) => ({ ...coin, rules: rulesFor(nth), terms: TERMS }));
  const { runs, fills } = runPortfolio(openedOf(profileOf(coins)));
  assert.deepEqual(
    fills.map(({ symbol, fill }) => `${symbol.slice(0, 1)} ${fill.side}`),
    ['A buy', 'A sell'],
  );
  assert.deepEqual(
    runs[1]?.book.rejections.map(({ reason }) => reason),
    ['order-insufficient-balance'],
  );
});

test('a sale at the market frees a place only once it has filled', () => {
  const { reported } = scriptedRun([{ decisions: { 0: BUY, 2: SELL } }, { decisions: { 1: BUY, 2: BUY, 3: BUY } }], {
    rows: FLAT,
    limits: { openPositions: 1 },
  });
  assert.deepEqual(reported, [
    '1 A entry-test',
    '2 B cap-open-positions',
    '3 A exit-test',
    '3 B cap-open-positions',
    '4 B entry-test',
  ]);
});

test('a loss of the day, a streak of losses, an exposure and buys a minute refuse every coin', () => {
  const rows = ['100/100/100/100', '100/100/100/100', '90/90/90/90', ...FLAT.map(() => '90/90/90/90')];
  const loses = { decisions: { 0: BUY, 2: SELL } };
  const later = { decisions: { 2: BUY, 4: BUY } };
  const ask = (limits: Partial<RiskLimits>) =>
    scriptedRun([loses, later], { rows, limits: { asset: 'USDT', ...limits } }).reported;
  assert.deepEqual(ask({ dailyLoss: '9' }).slice(2), ['3 B entry-test', '5 B halt-daily-loss']);
  assert.deepEqual(ask({ drawdown: '9' }).slice(2), ['3 B entry-test', '5 B halt-drawdown']);
  assert.deepEqual(ask({ lossStreak: 1 }).slice(2), ['3 B entry-test', '5 B cooldown-loss-streak']);
  assert.deepEqual(ask({ exposure: '100.05' }).slice(2), ['3 B cap-profile-exposure', '5 B entry-test']);
  const atOnce = scriptedRun([{ decisions: { 0: BUY } }, { decisions: { 0: BUY, 1: BUY } }], {
    rows: FLAT,
    limits: { entriesPerMinute: 1 },
  });
  assert.deepEqual(atOnce.reported, ['1 A entry-test', '1 B cap-entry-rate', '2 B entry-test']);
});

test('a size that follows the equity counts the positions of all coins', () => {
  const share = { mode: 'percent-of-equity' as const, percent: d('0.5') };
  const shared = { equityShare: share, entryBudget: ZERO };
  const rows = ['100/100/100/100', '100/100/100/100', ...FLAT.map(() => '200/200/200/200')];
  const { fills } = scriptedRun(
    [
      { decisions: { 0: BUY }, shared },
      { decisions: { 3: BUY }, shared },
    ],
    { rows },
  );
  // 500 at 100, kept 0.1 %: 4.985 coins worth 997 at 200 and 501 of cash: half of 1498 is more than is free.
  assert.deepEqual(
    fills.map((text) => text.slice(0, 7)),
    ['1 A buy', '4 B buy'],
  );
  const spent = Number(fills[1]?.split(' ')[3]) * 200;
  assert.ok(spent > 495 && spent < 501, `${spent}`);
});

test('the rest of an exit that had closed the position adds to that round trip', () => {
  // One coin may be sold in a minute: 2 coins are bought in two parts and sold in two; the second leaves no sellable part.
  const volumes = [1000, 1000, 1000, 1.05, 1000, 1000].map((volume) => `100/100/100/100/${volume}`);
  const input = {
    bound: scripted({ decisions: { 0: BUY, 2: SELL }, shared: spends('106') }),
    rules: rulesFor(0),
    terms: { ...TERMS, participation: d('1') },
    candles: candlesOf('1m', volumes),
  };
  const opened = openKernel(input);
  assert.ok(opened.kind === 'kernel');
  const { book } = runKernel(opened.kernel);
  const sales = book.fills.filter(({ fill }) => fill.side === 'sell');
  assert.equal(sales.length, 2);
  assert.equal(book.cycles.length, 1);
  const net = sales.reduce((sum, { realised }) => add(sum, realised), ZERO);
  assert.equal(formatDecimal(book.cycles[0]?.net ?? ZERO), formatDecimal(net));
});

test('a coin whose first candle comes later decides nothing before it', () => {
  const rows = ['100/101/99/100', '100/101/99/100', '100/101/99/100'];
  const [early, late] = [0, 1].map((nth) => ({
    ...{ bound: scripted({ decisions: { 0: BUY, 1: BUY } }), rules: rulesFor(nth), terms: TERMS },
    ...{ candles: candlesOf('1m', rows), fromMs: nth * 60_000 },
  }));
  assert.ok(early && late);
  const decided: string[] = [];
  runPortfolio(openedOf(profileOf([early, late])), ({ book }, nowMs) => {
    decided.push(`${nowMs / 60_000} ${book.rules.symbol.slice(0, 1)}`);
  });
  assert.deepEqual(decided, ['1 A', '2 A', '2 B', '3 A', '3 B']);
});
