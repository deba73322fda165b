import { priceText } from '#strategies/grid-text.ts';
import type { Grid, StrategyInstance } from '#strategies/strategy.ts';
import type { Config } from './config.ts';
import { HOLD } from './reasons.ts';

/** Decides "nothing" on every tick and has no state. */
export function createInstance(_config: Config, grid: Grid): StrategyInstance {
  return {
    onCandle() {},
    onFill() {},
    decide: () => HOLD,
    explain: (_decision, view) => ({ price: priceText(view.price, grid) }),
    stopTicks: () => 0,
    stopReason: () => '',
    plan: (view) => (view.lots > 0 ? [{ name: 'cost', ticks: view.avgTicks }] : []),
    state: () => ({ v: 1 }),
  };
}
