import type { Interval } from '#core/market/candle.ts';
import { readDecimal } from '#core/amount/decimal.ts';
import { multiplierOf } from '#web/ui/numbers.ts';

/** The settings of the first profile as typed: money in quote units, distances in percent. */
export interface FirstChoices {
  readonly spend: string;
  readonly nearLow: string;
  readonly stop: string;
  readonly arm: string;
  readonly trail: string;
  readonly interval: Interval;
}

/** Close distances on one-minute candles: a lively market gives the first trade within minutes. */
export const FIRST_CHOICES: FirstChoices = {
  spend: '150',
  nearLow: '0.5',
  stop: '3',
  arm: '0.6',
  trail: '0.3',
  interval: '1m',
};

export const STRATEGY = 'trailing-trade';

/** The config to store, or an error for each value that is no usable number. */
type FirstConfig =
  | { readonly kind: 'config'; readonly config: Record<string, unknown> }
  | { readonly kind: 'refused'; readonly errors: Partial<Record<keyof FirstChoices, string>> };

export function firstConfig(choices: FirstChoices): FirstConfig {
  const errors: Partial<Record<keyof FirstChoices, string>> = {};
  const spend = readDecimal(choices.spend.trim());
  if (spend === undefined || spend <= 0n) errors.spend = 'Enter how much to spend, as a number above 0.';
  const multiplier = (name: 'nearLow' | 'stop' | 'arm' | 'trail', side: 'below' | 'above'): string => {
    const value = multiplierOf(choices[name], side);
    const number = Number(choices[name].replace(',', '.'));
    if (value === undefined || !(number > 0) || (side === 'below' && number >= 100)) {
      errors[name] = side === 'below' ? 'Enter a percentage above 0 and below 100.' : 'Enter a percentage above 0.';
    }
    return value ?? '1';
  };
  const near = multiplier('nearLow', 'above');
  const stop = multiplier('stop', 'below');
  const arm = multiplier('arm', 'above');
  const trail = multiplier('trail', 'below');
  if (Object.keys(errors).length > 0) return { kind: 'refused', errors };
  return {
    kind: 'config',
    config: {
      candleInterval: choices.interval,
      buy: {
        enabled: true,
        entrySizing: { mode: 'fixed', amount: choices.spend.trim() },
        candleLimit: 60,
        gridLevels: [{ triggerPercentage: near }],
      },
      sell: { stopLossPercentage: stop, triggerPercentage: arm, trailingStopPercentage: trail },
    },
  };
}

/** Maximum loss of one coin before fees, in quote units with 2 decimals, when the stop fills at its level. */
export function maxLoss({ spend, stop }: FirstChoices): string | undefined {
  const amount = Number(spend) * (Number(stop.replace(',', '.')) / 100);
  return Number.isFinite(amount) && amount > 0 ? amount.toFixed(2) : undefined;
}
