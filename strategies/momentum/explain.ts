import type { Decision, Numbers } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';
import { barsSince } from '#strategies/execution.ts';
import { awayText, percentText, priceText, profitText, quantityText } from '#strategies/grid-text.ts';
import type { Grid } from '#strategies/strategy.ts';
import type { Config } from './config.ts';
import { extensionLimit, type StrategyContext } from './rules.ts';
import type { Series } from './state.ts';

interface ExplainInput {
  readonly decision: Decision;
  readonly view: TickView;
  readonly config: Config;
}

/** The numbers behind a decision, computed on demand. */
export function explain(
  { params, memory }: StrategyContext,
  grid: Grid,
  { decision, view, config }: ExplainInput,
): Numbers {
  const { ratchets, series } = memory;
  const quote = (value: number): string | null => priceText(value / params.tick, grid);
  const price = priceText(view.price, grid);
  const averages = { fast: quote(series.fast.value), slow: quote(series.slow.value) };
  const threshold = Math.max(ratchets.stop, ratchets.leg);
  const sale = { lots: view.lots, price: view.price, avgTicks: view.avgTicks, fee: view.takerFee };
  const position = { avg: priceText(view.avgTicks, grid), lots: quantityText(view.lots, grid) };
  switch (decision.reason) {
    case 'hold-above-stop':
      return {
        price,
        ...position,
        stop: priceText(threshold, grid),
        high: priceText(ratchets.high, grid),
        away: awayText(threshold, view.price),
        ...averages,
      };
    case 'exit-trailing-stop':
    case 'exit-profit-trail':
      return { price, threshold: priceText(threshold, grid), ...position, estPnl: profitText(sale, grid) };
    case 'exit-regime':
    case 'exit-cross-down':
      return { price, ...averages, ...position, estPnl: profitText(sale, grid) };
    case 'hold-sell-disabled':
    case 'hold-exit-order-open':
      return { price, ...position };
    case 'order-entry-open':
    case 'order-entry-timeout':
    case 'order-entry-condition-gone': {
      const limit = priceText(view.waiting?.limit ?? 0, grid);
      const placedMs = view.waiting?.placedMs ?? view.nowMs;
      return { price, limit, bars: barsSince(placedMs, series.lastOpenMs, params.intervalMs) };
    }
    case 'entry-config-unreadable':
      return { price, path: null };
    case 'entry-history-short':
      return { price, have: series.closedCount, need: params.need };
    case 'entry-no-cross':
      return { price, ...averages, gap: gapText(series), margin: percentText(params.margin - 1) };
    case 'entry-below-trend':
    case 'entry-trend-not-rising': {
      const maBefore = quote(series.trendPast[0] ?? 0);
      const ma = quote(series.trend?.value ?? 0);
      return { price, close: quote(series.close), ma, maBefore, slopeBars: params.slopeBars };
    }
    case 'entry-overextended': {
      const sma = series.extension?.value ?? 0;
      return { price, sma: quote(sma), limit: priceText(extensionLimit(params, sma), grid) };
    }
    case 'entry-cross-up':
      return { price, ...averages, level: 0, budget: fixedAmount(config) };
    default:
      return { price };
  }
}

/** Null when the budget depends on the equity, which only the engine knows. */
const fixedAmount = ({ entrySizing }: Config): string | null =>
  entrySizing.mode === 'fixed' ? entrySizing.amount : null;

const gapText = ({ fast, slow }: Series): string =>
  `${percentText((fast.value - slow.value) / slow.value)} ${fast.value < slow.value ? 'below' : 'above'}`;
