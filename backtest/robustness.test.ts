import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { sliceColumns } from '#core/market/candle-columns.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { randomFrom } from '#core/research/random.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import { runPortfolio } from './portfolio-run.ts';
import { aggregateSeries, type Series } from './columns.ts';
import type { KernelInput } from './run-state.ts';
import { fragility } from './fragility.ts';
import { checkLookAhead } from './look-ahead.ts';
import { monteCarlo } from './monte-carlo.ts';
import { rulesWith } from '#test/harness/rules.ts';

const HOUR_MS = 3_600_000;

function walk(rows: number): Series {
  const random = randomFrom(11);
  const column = (): Float64Array => new Float64Array(rows);
  const columns = {
    openMs: column(),
    open: column(),
    high: column(),
    low: column(),
    close: column(),
    volume: column(),
  };
  let close = 10_000;
  for (let row = 0; row < rows; row++) {
    const open = close;
    close = Math.max(100, Math.round(open * (1 + (random() - 0.5) * 0.02)));
    columns.openMs[row] = row * 300_000;
    columns.open[row] = open / 100;
    columns.high[row] = (Math.max(open, close) + 5) / 100;
    columns.low[row] = (Math.min(open, close) - 5) / 100;
    columns.close[row] = close / 100;
  }
  return { interval: '5m', columns };
}

const rules = rulesWith();

const ROWS = 3000;
const LONG_ROWS = 20_000;
const detail = walk(ROWS);
const configOf = (name: string): unknown =>
  name === 'trailing-trade'
    ? {
        candleInterval: '1h',
        buy: { candleLimit: 6, gridLevels: [{ triggerPercentage: '1.01', maxPurchaseAmount: '100' }] },
      }
    : { candleInterval: '1h', ema: { fast: 3, slow: 8 } };

/** A buy and a close in turn, several hours apart. */
const SIGNALS = Array.from({ length: 100 }, (_, i) => ({
  ...{ symbol: rules.symbol, key: String(i), atMs: i * 9_000_000 },
  action: i % 2 === 0 ? ('buy' as const) : ('close' as const),
}));

function kernelOf(name: string, detail = walk(ROWS)): { kernel: KernelInput; config: unknown } {
  const strategy = STRATEGIES.get(name);
  const config = strategy?.config.parse(['hold', 'signal'].includes(name) ? {} : configOf(name));
  assert.ok(strategy);
  const bound = strategy.bind(config);
  const terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
  const kernel = {
    bound,
    rules,
    terms,
    signal: aggregateSeries(detail, bound.needs.interval),
    detail,
    start: 200,
    end: detail.columns.openMs.length,
    signals: SIGNALS,
  };
  return { kernel, config };
}

for (const { name, plansBaskets } of STRATEGIES.values()) {
  if (plansBaskets === true) continue;
  test(`${name} knows nothing of the future`, () => {
    const { kernel } = kernelOf(name);
    const { found, compared } = checkLookAhead(kernel);
    assert.equal(found, null);
    // Every one of the 2,800 candles, and every close of the strategy's own candles besides.
    assert.ok(compared > 2800, `${compared} decisions were compared`);
  });
}

test('a basket knows nothing of the future', () => {
  const strategy = STRATEGIES.get('rebalance');
  assert.ok(strategy);
  const targets = ['AAAUSDT', 'BBBUSDT'].map((symbol) => ({ symbol, weight: '0.5' }));
  const config = { enabled: true, candleInterval: '1h', driftThreshold: '0.01', basketBudgetQuote: '900', targets };
  const bound = strategy.bind(strategy.config.parse(config));
  // The same walk the other way round.
  const { openMs, open, high, low, close, volume } = detail.columns;
  const [first, most, least, last] = [close, high, low, open].map((column) => column.toReversed());
  assert.ok(first && most && least && last);
  const other = { openMs, open: first, high: most, low: least, close: last, volume };
  const decide = (rows: number): string[] => {
    const inputs = [detail.columns, other].map((columns, nth) => {
      const known = { interval: '5m', columns: sliceColumns(columns, 0, rows) } as const;
      const own = { ...rules, symbol: targets[nth]?.symbol ?? '' };
      const terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
      return { bound, rules: own, terms, signal: aggregateSeries(known, '1h'), detail: known, start: 200, end: rows };
    });
    const reported: string[] = [];
    const portfolio = { profiles: [{ id: newId<ProfileId>(), coins: inputs }] };
    runPortfolio(portfolio, ({ book }, nowMs, reason) => {
      reported.push(`${nowMs} ${book.rules.symbol} ${reason}`);
    });
    return reported;
  };
  const decided = decide(3000);
  const plans = decided.filter((text) => text.endsWith('plan-rebalance')).length;
  assert.ok(plans > 20, `${plans} plans`);
  for (const rows of [201, 777, 1500, 2222]) assert.deepEqual(decide(rows), decided.slice(0, 2 * (rows - 200)));
});

/** A strategy that decides by something it looks up in the candles. */
const cheat = (base: BoundStrategy, buys: (nowMs: number) => boolean): BoundStrategy => ({
  ...base,
  create: (grid, state) => ({
    ...base.create(grid, state),
    decide: ({ nowMs, sellable }) => {
      if (buys(nowMs)) return sellable ? HOLD : { kind: 'buy', reason: 'entry-cross-up', level: 0 };
      return sellable ? { kind: 'sell', reason: 'exit-cross-down', lots: 'all' } : WAIT;
    },
  }),
});
const HOLD = { kind: 'nothing', reason: 'hold-above-stop' } as const;
const WAIT = { kind: 'nothing', reason: 'entry-no-cross' } as const;
type Known = Pick<KernelInput, 'detail' | 'signal'>;
const CHEATS: Readonly<Record<string, (known: Known) => (nowMs: number) => boolean>> = {
  'the next close':
    ({ detail: { columns } }) =>
    (nowMs) => {
      const row = columns.openMs.indexOf(nowMs);
      return row >= 0 && (columns.close[row] ?? 0) > (columns.open[row] ?? 0);
    },
  'the highest close of the whole series': ({ detail: { columns } }) => {
    const most = columns.close.reduce((a, b) => Math.max(a, b));
    return (nowMs) => (columns.close[columns.openMs.indexOf(nowMs) - 1] ?? 0) > most * 0.9;
  },
  'the hour in progress':
    ({ signal: { columns } }) =>
    (nowMs) => {
      const row = columns.openMs.indexOf(nowMs - (nowMs % HOUR_MS));
      return row >= 0 && (columns.close[row] ?? 0) > (columns.open[row] ?? 0);
    },
};
for (const [what, look] of Object.entries(CHEATS)) {
  test(`a strategy that looks at ${what} is found out`, () => {
    const { kernel } = kernelOf('momentum');
    const { found } = checkLookAhead(kernel, (known) => cheat(kernel.bound, look(known)));
    assert.ok(found !== null && found.decided !== found.withoutFuture, JSON.stringify(found));
  });
}

test('a strategy that looks at the next close every 500th candle is found out, also in a sample', () => {
  const { kernel } = kernelOf('momentum', walk(LONG_ROWS));
  const { found, compared } = checkLookAhead(kernel, (known) => {
    const look = CHEATS['the next close']?.(known);
    return cheat(kernel.bound, (nowMs) => (nowMs / 300_000) % 500 === 0 && look?.(nowMs) === true);
  });
  assert.ok(found !== null, `not found in ${compared} decisions`);
  assert.equal((Date.parse(found.at) / 300_000) % 500, 0);
});

test('the number of decisions compared stays within a sample, at closes of both kinds of candles', () => {
  const { kernel } = kernelOf('momentum', walk(LONG_ROWS));
  const { found, compared } = checkLookAhead(kernel);
  assert.equal(found, null);
  // 16 windows of 256 candles, all of the 1,650 closes of hours, and 24 moments of the whole run with its end.
  assert.equal(compared, 4096 + 1650 + 25);
});

test('shuffled trades and resampled days', () => {
  // In any order the two losses of 50 end up within one fall of at most 100 below a peak of at least 1000.
  const input = { balance: 1000, nets: [100, -50, -50], returns: [0.01, 0.01, 0.01, 0.01], fixedSpend: 200 };
  const drawn = monteCarlo(input);
  assert.ok(drawn !== null);
  const { p5, p95 } = drawn.shuffled.drawdown;
  assert.ok(Math.abs(p95 - 0.1) < 1e-12 && Math.abs(p5 - 50 / 1000) < 0.0051, `${p5} ${p95}`);
  const { totalReturn, lossShare } = drawn.resampled;
  assert.ok(Math.abs(totalReturn.p5 - (1.01 ** 4 - 1)) < 1e-12 && totalReturn.p5 === totalReturn.p95);
  assert.equal(lossShare, 0);
  assert.deepEqual(monteCarlo(input), drawn);
  assert.equal(monteCarlo({ ...input, nets: [1] }), null);
});

test('where sizes followed the equity, its returns are shuffled: half lost twice is three quarters in any order', () => {
  // 1,000 doubles to 2,000 and 4,000, then halves twice; as money in another order it would have gone below zero.
  const nets = [1000, 2000, -2000, -1000];
  const returns = [0.01, 0.01];
  const followed = monteCarlo({ balance: 1000, nets, returns, fixedSpend: null });
  assert.ok(followed !== null);
  assert.equal(followed.shuffled.drawdown.p95, 0.75);
  assert.equal(followed.shuffled.drawdown.p5, 0.5);
  // A fixed amount that the equity does not reach any more is what is left of the equity.
  const fixed = monteCarlo({ balance: 1000, nets: [800, 800, -900, -600], returns, fixedSpend: 900 });
  assert.ok(fixed !== null && fixed.shuffled.drawdown.p95 <= 1, JSON.stringify(fixed));
});

test('every setting a little lower and higher, and the candles a little different', () => {
  const { kernel, config } = kernelOf('momentum');
  const strategy = STRATEGIES.get('momentum');
  assert.ok(strategy);
  const { variants, refused } = fragility(kernel, strategy, config);
  const changes = variants.map(({ change }) => change);
  for (const change of [
    'ema.fast 3 to 2',
    'ema.slow 8 to 9',
    'trailingStopPercentage 0.95 to 0.955',
    'trailingStopPercentage 0.95 to 0.945',
    'protectiveStop.limitOffsetPercentage 0.995 to 0.9955',
    'entryExtension.maxPercentage 1.4 to 1.44',
    'one candle in a hundred missing',
  ])
    assert.ok(changes.includes(change), `${change} is not among ${changes.join(', ')}`);
  const idle = /atrTrailing|profitTrail|trendFilter|regime|execution|entrySizing\.percent|entryMargin/;
  assert.deepEqual(
    changes.filter((change) => idle.test(change)),
    [],
  );
  assert.ok(new Set(variants.map(({ totalReturn }) => totalReturn)).size > 5);
  assert.deepEqual(refused, []);
});

test('a neighbour that is not legal is named with the reason', () => {
  const { kernel } = kernelOf('momentum');
  const strategy = STRATEGIES.get('momentum');
  assert.ok(strategy);
  const config = strategy.config.parse({ candleInterval: '1h', ema: { fast: 7, slow: 8 } });
  const { refused } = fragility(kernel, strategy, config);
  assert.deepEqual(
    refused.map(({ change }) => change),
    ['ema.fast 7 to 8', 'ema.slow 8 to 7'],
  );
  assert.match(refused[0]?.reason ?? '', /^ema\.fast: 8 must be below the 8 candles/);
});
