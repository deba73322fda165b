import { capFindings } from '#strategies/entry-fields.ts';
import { readFactor } from '#strategies/fields.ts';
import { gateFindings } from '#strategies/gate-fields.ts';
import type { Finding } from '#strategies/strategy.ts';
import type { Config } from './config.ts';

/** Remarks about valid settings. */
export function lint(config: Config): readonly Finding[] {
  const { entrySizing, maxSymbolExposureQuote, stopLossPercentage } = config;
  const budget = entrySizing.mode === 'fixed' ? readFactor(entrySizing.amount) : 0;
  const noStop: Finding = {
    level: 'warn',
    code: 'no-exit',
    path: 'stopLossPercentage',
    message: 'Without a stop loss only a signal sells: when the sender fails, nothing does.',
  };
  return [
    ...(stopLossPercentage === '' ? [noStop] : []),
    ...capFindings(maxSymbolExposureQuote, budget, 'maxSymbolExposureQuote'),
    ...gateFindings(config),
  ];
}
