import { ONE, ZERO } from '#core/amount/decimal.ts';
import type { Strategy } from '#strategies/strategy.ts';
import { type Config, config } from './config.ts';
import { createInstance } from './instance.ts';
import { REASONS } from './reasons.ts';

/** The smallest strategy: it always decides "nothing". Copy this folder to start a new one. */
export const hold: Strategy<Config> = {
  name: 'hold',
  title: 'Buy and hold',
  summary: 'Never trades; only watches the coin.',
  config,
  // Candles of every length add up to days.
  needs: () => ({ interval: '1d', min: 0, want: 1 }),
  sharedSettings: () => ({ entryBudget: ZERO, lossCooldownMs: 0, stopMultiple: null, stopLimitOffset: ONE }),
  create: createInstance,
  reasons: REASONS,
};
