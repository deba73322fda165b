import { MOST_CLOSED } from '#core/market/candle.ts';
import type { Decision } from '#core/decision/decision.ts';
import { isObject } from '#core/merge.ts';
import { priceText } from '#strategies/grid-text.ts';
import type { Grid, StrategyInstance } from '#strategies/strategy.ts';
import { type Config, fitRanking } from './config.ts';
import { planOf } from './drawings.ts';

const UNREADABLE: Decision = Object.freeze({ kind: 'nothing', reason: 'entry-config-unreadable' });

/** One coin in the plan of its profile: it stores closes and executes its leg. */
export function createInstance(config: Config, grid: Grid, state?: unknown): StrategyInstance {
  const { weightMode } = config;
  const length = Math.min(fitRanking(config).lookbackCandles + 1, MOST_CLOSED);
  const closes: number[] = [];
  let lastOpenMs = -1;
  let planMs = isObject(state) && typeof state['planMs'] === 'number' ? state['planMs'] : 0;
  return {
    onCandle({ closed, openMs, close }) {
      if (!closed || openMs <= lastOpenMs) return;
      lastOpenMs = openMs;
      closes.push(close);
      if (closes.length > length) closes.shift();
    },
    onFill() {},
    decide({ basket, readable }) {
      if (!readable) return UNREADABLE;
      if (basket === null) return { kind: 'nothing', reason: 'plan-not-due' };
      const { reason, leg } = basket;
      if (leg === null) return { kind: 'nothing', reason };
      return leg.side === 'sell'
        ? { kind: 'sell', reason, lots: leg.lots }
        : { kind: 'buy', reason, level: 0, quote: leg.quote };
    },
    explain: (_decision, { basket, price }) => ({ price: priceText(price, grid), ...basket?.numbers }),
    stopTicks: () => 0,
    stopReason: () => '',
    plan: (view) => planOf(grid, view),
    state: () => ({ v: 1, planMs }),
    ranking: {
      score() {
        if (weightMode === 'fixed') return 0;
        const [first] = closes;
        const last = closes.at(-1);
        return closes.length < length || first === undefined || last === undefined ? null : last / first - 1;
      },
      planMs: () => planMs,
      planned(atMs) {
        planMs = atMs;
      },
    },
  };
}
