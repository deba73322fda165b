import type { Series } from '#backtest/columns.ts';
import { sha256 } from '#backtest/sha256.ts';
import { runBacktest } from '#backtest/run.ts';
import { evaluateSets } from '#backtest/sweep/search.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy, BoundStrategy } from '#strategies/strategy.ts';
import { benchMinutes } from '#test/bench/market.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';

const ROWS = 30_000;
const TERMS = {
  balance: requireDecimal('10000'),
  feeRate: requireDecimal('0.001'),
  makerFeeRate: requireDecimal('0.0007'),
  slippage: requireDecimal('0.0002'),
  participation: requireDecimal('0.1'),
};

const find = (name: string): AnyStrategy => {
  const strategy = STRATEGIES.get(name);
  if (strategy === undefined) throw new Error(`there is no strategy ${name}`);
  return strategy;
};

const boundTo = (name: string, config: unknown): BoundStrategy => find(name).bind(find(name).config.parse(config));

/** More than a tenth of most minutes' volume: orders fill in parts. */
const entrySizing = { mode: 'fixed', amount: '4000' };

const CONFIGS = {
  'trailing-trade': {
    candleInterval: '15m',
    buy: { candleLimit: 20, entrySizing, gridLevels: [{ triggerPercentage: '1.004' }, { triggerPercentage: '0.985' }] },
    sell: {
      ...{ stopLossPercentage: '0.97', triggerPercentage: '1.01', atrTrailing: { multiplier: '2', period: 14 } },
      takeProfits: [{ triggerPercentage: '1.02', fraction: '0.5' }],
    },
    execution: { entryMode: 'maker', makerOffsetBps: 5, entryTimeoutBars: 3 },
  },
  momentum: {
    candleInterval: '5m',
    entrySizing,
    trailingStopPercentage: '0.985',
    atrTrailing: { multiplier: '3', period: 14 },
  },
};

/** Two backtests and a sweep, each as one hash over every fill and number; needs nothing but a JavaScript engine. */
export function fingerprints(): string[] {
  const candles: Series = benchMinutes(ROWS);
  const runs = Object.entries(CONFIGS).map(([name, config]) => {
    const outcome = runBacktest({ bound: boundTo(name, config), rules: GOLDEN_RULES, terms: TERMS, candles });
    if (outcome.kind === 'refused') throw new Error(outcome.sentence);
    const { fingerprint, fills } = outcome.result;
    return `${fingerprint} of ${fills.length} fills`;
  });
  const momentum = find('momentum');
  const configs = [5, 9, 13, 17].map((fast) =>
    momentum.config.parse({ candleInterval: '1m', entrySizing, ema: { fast, slow: 60 } }),
  );
  const { participation: _, ...terms } = TERMS;
  const base = { rules: GOLDEN_RULES, terms, signal: candles, detail: candles, start: 0, end: ROWS };
  return [...runs, sha256(JSON.stringify(evaluateSets(base, momentum, configs)))];
}
