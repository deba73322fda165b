import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, toNumber } from '#core/amount/decimal.ts';
import type { CandleColumns } from '#core/market/candle.ts';
import { chargesOf } from '#core/research/costs.ts';
import { costTerms } from '#core/research/research.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { aggregateSeries } from '#backtest/columns.ts';
import { runPortfolioBacktest } from '#backtest/portfolio-backtest.ts';
import { openSynthetic } from '#paper/market/synthetic.ts';
import { PRESETS, withEqualShares } from '#strategies/presets.ts';
import { STRATEGIES } from '#strategies/registry.ts';

/** The coins with the most volume of the invented market, which the wizard chooses. */
const COINS = ['BTCUSDT', 'ETHUSDT', 'SOLUSDT', 'XRPUSDT', 'DOGEUSDT'];
const DAYS = 90;
const NOW = Date.UTC(2026, 10, 25);
const source = openSynthetic(1, NOW);
const candles = new Map<string, CandleColumns>(
  COINS.map((symbol) => [symbol, source.candles(symbol, NOW - DAYS * 86_400_000, NOW)]),
);
const terms = { balance: requireDecimal('10000'), ...chargesOf(costTerms.parse({})) };

/** Rebalance holds its coins: it earns and loses with them. */
const TIMING = [...PRESETS].filter(([name]) => name !== 'rebalance');

for (const [name, presets] of TIMING) {
  for (const preset of presets) {
    test(`${name}, ${preset.name}: 90 days of the invented market earn more than their fees`, () => {
      const config = withEqualShares(name, preset.config, COINS);
      const bound = STRATEGIES.get(name)?.bind(config);
      assert.ok(bound !== undefined);
      const coins = source.listings.flatMap(({ rules }) => {
        const columns = candles.get(rules.symbol);
        if (columns === undefined) return [];
        const minutes = { interval: '1m', columns } as const;
        const ownLength = aggregateSeries(minutes, bound.needs.interval);
        return [
          { bound, rules, terms, candles: ownLength, ...(bound.actsOnTicks === true ? { detail: minutes } : {}) },
        ];
      });
      const outcome = runPortfolioBacktest({ profiles: [{ id: newId<ProfileId>(), coins }] });
      assert.ok(outcome.kind === 'result', outcome.kind === 'refused' ? outcome.sentence : '');
      const { totalReturn } = outcome.result.metrics;
      assert.ok(totalReturn > 0, `${totalReturn * toNumber(terms.balance)} USDT`);
    });
  }
}
