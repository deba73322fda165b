import { ZERO } from '#core/amount/decimal.ts';
import { entryShares } from '#strategies/entry-fields.ts';
import { readSetting } from '#strategies/fields.ts';
import { gateShares } from '#strategies/gate-fields.ts';
import { stopShares } from '#strategies/stop-fields.ts';
import type { SharedSettings, Strategy } from '#strategies/strategy.ts';
import { type Config, config } from './config.ts';
import { createInstance } from './instance.ts';
import { lint } from './lint.ts';
import { REASONS } from './reasons.ts';

const MINUTE_MS = 60_000;

function sharedSettings(settings: Config): SharedSettings {
  const { entrySizing, stopLossPercentage } = settings;
  return {
    ...entryShares(settings),
    entryBudget: entrySizing.mode === 'fixed' ? (readSetting(entrySizing.amount) ?? ZERO) : ZERO,
    lossCooldownMs: settings.lossCooldownMinutes * MINUTE_MS,
    stopMultiple: readSetting(stopLossPercentage),
    ...stopShares(settings.protectiveStop, stopLossPercentage !== ''),
    ...gateShares(settings),
  };
}

/** Buys and sells on signals of other programs. */
export const signal: Strategy<Config> = {
  name: 'signal',
  title: 'Signals',
  summary: 'Buys and sells when another program, such as a chart service, sends a signal.',
  takesSignals: true,
  actsOnTicks: true,
  config,
  lint,
  // Candles of every length add up to days.
  needs: () => ({ interval: '1d', min: 0, want: 1 }),
  sharedSettings,
  create: createInstance,
  reasons: REASONS,
};
