import { capFindings } from '#strategies/entry-fields.ts';
import { executionFindings } from '#strategies/execution.ts';
import { readFactor } from '#strategies/fields.ts';
import { gateFindings } from '#strategies/gate-fields.ts';
import type { Finding } from '#strategies/strategy.ts';
import { breakEvenOf } from '#strategies/ticks.ts';
import type { Config } from './config.ts';

/** Warnings about valid settings without effect, with contradictions, or that lose money. `takerFee`: such as 0.001. */
export function lint(config: Config, takerFee: number): readonly Finding[] {
  const activation = readFactor(config.profitTrail.activationPercentage);
  const atr = readFactor(config.atrTrailing.multiplier);
  const fixed = config.entrySizing.mode === 'fixed' ? readFactor(config.entrySizing.amount) : 0;
  const inert: readonly (Finding | false)[] = [
    !config.entryEnabled &&
      !config.exitEnabled && {
        level: 'warn',
        code: 'nothing-enabled',
        path: 'entryEnabled',
        message: 'Buying and selling are switched off: the strategy only watches.',
      },
    !config.exitEnabled && {
      level: 'warn',
      code: 'sell-off-naked',
      path: 'exitEnabled',
      message: 'Selling is switched off: nothing protects a position.',
    },
    activation > 0 &&
      activation < breakEvenOf({ takerFee }) && {
        level: 'warn',
        code: 'trail-below-cost',
        path: 'profitTrail.activationPercentage',
        message: 'Is below the price that pays the fees, so it starts only at that price.',
      },
    activation > 0 &&
      atr === 0 &&
      readFactor(config.profitTrail.trailPercentage) <= readFactor(config.trailingStopPercentage) && {
        level: 'warn',
        code: 'profit-trail-inert',
        path: 'profitTrail.trailPercentage',
        message: 'Is no tighter than the trailing stop, which sells first.',
      },
    config.trendFilter.period === 0 &&
      config.trendFilter.slopeBars > 0 && {
        level: 'warn',
        code: 'slope-inert',
        path: 'trendFilter.slopeBars',
        message: 'The trend filter is off, so this setting has no effect.',
      },
    !config.exitEnabled &&
      activation > 0 && {
        level: 'info',
        code: 'profit-trail-off',
        path: 'profitTrail.activationPercentage',
        message: 'Selling is switched off, so this trail sells nothing.',
      },
    config.entrySizing.mode !== 'fixed' && {
      level: 'info',
      code: 'sizing-depends-on-equity',
      path: 'entrySizing.mode',
      message: 'The budget depends on the equity, so it cannot be checked against the minimum order value now.',
    },
    atr > 0 && {
      level: 'info',
      code: 'atr-shadows-percent',
      path: 'trailingStopPercentage',
      message: 'The distance in average true ranges replaces this setting, except while there are too few candles.',
    },
  ];
  return [
    ...inert.filter((finding) => finding !== false),
    ...capFindings(config.maxSymbolExposureQuote, fixed, 'maxSymbolExposureQuote'),
    ...executionFindings(config.execution),
    ...gateFindings(config),
  ];
}
