import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { randomFrom } from '#core/research/random.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { Series } from '#backtest/columns.ts';
import { type Evaluate, evaluateSets, type Halved, rankTried, searchAll, searchByHalving } from './search.ts';
import { sweepVerdict, type Verdict } from './verdict.ts';
import { gridOf, rulesWith } from '#test/harness/rules.ts';

/** 200 take a few minutes; the seeds are the first of these. */
const WALKS = Number(process.env['TEST_RANDOM_WALKS'] ?? 40);
const MOST_PROMISING = 0.05;
const HOURS = 2 * 365 * 24;

const strategy = STRATEGIES.get('momentum');
assert.ok(strategy);

const MINUTES = 60;
const STEP = 0.012 / Math.sqrt(MINUTES);

/**
 * A walk whose minutes rise and fall with the same chance, so no strategy has an edge. Hours are sums of minutes: a stop sells
 * inside an hour at its trigger: on a walk of whole hours, which continue beyond it, that would be a gain out of nothing.
 */
function walk(seed: number): Series {
  const random = randomFrom(seed * 7919);
  const column = (): Float64Array => new Float64Array(HOURS);
  const [openMs, open, high, low, close, volume] = [column(), column(), column(), column(), column(), column()];
  let price = 10_000;
  for (let row = 0; row < HOURS; row++) {
    const from = price;
    let [most, least] = [from, from];
    openMs[row] = row * 3_600_000;
    open[row] = from / 100;
    for (let minute = 0; minute < MINUTES; minute++) {
      const up = random() + random() + random() + random() - 2;
      price = Math.max(100, price * (1 + up * STEP));
      most = Math.max(most, price);
      least = Math.min(least, price);
    }
    price = Math.round(price);
    high[row] = Math.max(Math.floor(most), from, price) / 100;
    low[row] = Math.min(Math.ceil(least), from, price) / 100;
    close[row] = price / 100;
  }
  return { interval: '1h', columns: { openMs, open, high, low, close, volume } };
}

const rules = rulesWith(gridOf('0.01', '0.00001'));
/** Without fees: with them a walk loses, and nothing of it would look promising anyway. */
const terms = { balance: requireDecimal('1000'), feeRate: ZERO, slippage: ZERO };
const config = strategy.config.parse({ candleInterval: '1h', entrySizing: { amount: '500' }, lossCooldownMinutes: 0 });

const SEARCHES = {
  grid: { knobs: 'ema.fast=3..21:3;ema.slow=24..96:12;trailingStopPercentage=0.92,0.97', draw: undefined },
  random: {
    knobs: 'ema.fast=2..30;ema.slow=32..200;trailingStopPercentage=0.9..0.98:0.01',
    draw: { count: 60, seed: 1 },
  },
  halving: { knobs: 'ema.fast=3..21:2;ema.slow=24..96:6;trailingStopPercentage=0.92,0.97', draw: undefined },
} as const;

function verdictOf(search: keyof typeof SEARCHES, series: Series): Promise<Verdict['kind']> {
  assert.ok(strategy);
  const made = candidatesOf(strategy, config, SEARCHES[search]);
  assert.ok(made.kind === 'ok');
  const { candidates } = made.value;
  const window = { start: 0, end: HOURS };
  const base = { rules, terms, signal: series, detail: series, ...window };
  const evaluateAll: Evaluate = async (configs, part) => evaluateSets({ ...base, ...part }, strategy, configs);
  const searched = async (): Promise<Halved> =>
    search === 'halving'
      ? searchByHalving(evaluateAll, candidates, { window, rank: 'sharpe' })
      : { tried: await searchAll(evaluateAll, candidates, window), dropped: [] };
  return searched().then(
    ({ tried, dropped }) => sweepVerdict(rankTried(tried, { rank: 'sharpe', top: 1, dropped })).kind,
  );
}

for (const search of ['grid', 'random', 'halving'] as const) {
  test(`of ${WALKS} random walks at most 5 % look promising to a ${search} search`, async (context) => {
    const verdicts = new Map<Verdict['kind'], number>();
    for (let seed = 1; seed <= WALKS; seed++) {
      const kind = await verdictOf(search, walk(seed));
      verdicts.set(kind, (verdicts.get(kind) ?? 0) + 1);
    }
    // Without a walk-forward nothing can be called promising out of sample: what is left of luck counts here.
    const promising = (verdicts.get('promising') ?? 0) + (verdicts.get('not-tried-forward') ?? 0);
    context.diagnostic(`${search}: ${promising} of ${WALKS} look promising`);
    assert.ok(promising <= MOST_PROMISING * WALKS, `${promising} of ${WALKS}`);
  });
}
