import type { z } from 'zod';
import { INTERVALS, MOST_CLOSED } from '#core/market/candle.ts';
import type { Numbers } from '#core/decision/decision.ts';
import { capSettings, entrySizing, lossCooldownMinutes } from '#strategies/entry-fields.ts';
import { choice, count, decimalNumber, flag, group, multiplier } from '#strategies/fields.ts';
import { execution } from '#strategies/execution.ts';
import { regime, technicals } from '#strategies/gate-fields.ts';
import { protectiveStop } from '#strategies/stop-fields.ts';

/** A cross compares two values of the slow average, so it needs one candle more than the period. The maximum is 999. */
const MAX_SLOW = 998;

const ema = group(
  { title: 'Averages', help: 'A buy needs the fast average to cross above the slow one' },
  {
    fast: count(
      {
        title: 'Fast average',
        help: 'Candles in the fast average; fewer react sooner',
        from: 1,
        to: 997,
        unit: 'candles',
      },
      9,
    ),
    slow: count(
      {
        title: 'Slow average',
        help: 'Candles in the slow average; must be more than in the fast one',
        from: 2,
        to: MAX_SLOW,
        unit: 'candles',
      },
      21,
    ),
  },
  ({ fast, slow }, refuse) => {
    if (fast >= slow) refuse(['fast'], `${fast} must be below the ${slow} candles of the slow average`);
  },
);

const ofHigh = 'the highest close since the buy';
const share = { above: '0', below: '1' };

const atrTrailing = group(
  {
    title: 'ATR stop',
    help: 'The distance of the stop follows the volatility of the price',
    advanced: true,
    hint: { switch: 'multiplier' },
  },
  {
    multiplier: decimalNumber(
      {
        title: 'ATR stop distance',
        help: 'The stop stays this many average true ranges below the highest close, instead of a percentage; empty means off',
        bounds: { above: '0', atMost: '20' },
        unit: 'average true ranges',
        off: true,
        advanced: true,
      },
      '',
    ),
    period: count(
      {
        title: 'ATR candles',
        help: 'Number of candles in the average true range',
        from: 2,
        to: 100,
        unit: 'candles',
        advanced: true,
      },
      14,
    ),
  },
);

const profitTrail = group(
  {
    title: 'Tighter stop in profit',
    help: 'A second, closer stop once the position has gained enough',
    advanced: true,
    hint: { switch: 'activationPercentage' },
  },
  {
    activationPercentage: multiplier(
      {
        title: 'Starts at',
        help: 'Once a candle closes this far above the average entry price, the tighter stop starts. It is never below the price that pays the fees; empty means off',
        of: 'the average entry price',
        bounds: { above: '1', atMost: '10' },
        off: true,
        advanced: true,
      },
      '',
    ),
    trailPercentage: multiplier(
      {
        title: 'Tighter stop',
        help: 'Sells when the price falls this far below the highest close',
        of: ofHigh,
        bounds: share,
        advanced: true,
      },
      '0.97',
    ),
  },
);

const trendFilter = group(
  {
    title: 'Trend filter',
    help: 'Buys only while a longer average agrees',
    advanced: true,
    hint: { switch: 'period' },
  },
  {
    maType: choice(
      {
        title: 'Kind of average',
        help: 'sma weighs all candles equally, ema weighs newer candles more',
        advanced: true,
      },
      ['sma', 'ema'],
      'ema',
    ),
    period: count(
      {
        title: 'Candles in the trend average',
        help: 'Buys only when the last candle closed above this average; 0 means off, otherwise at least 2',
        from: 0,
        to: 400,
        unit: 'candles',
        advanced: true,
      },
      0,
    ),
    slopeBars: count(
      {
        title: 'Minimum rise over',
        help: 'The trend average must be higher than this many candles ago; 0 checks only the close',
        from: 0,
        to: 200,
        unit: 'candles',
        advanced: true,
      },
      0,
    ),
  },
  ({ period }, refuse) => {
    if (period === 1) refuse(['period'], 'must be 0 for off or at least 2');
  },
);

const entryExtension = group(
  {
    title: 'Maximum rise',
    help: 'Does not buy a price that has already risen too far',
    advanced: true,
    hint: { switch: 'maxPercentage' },
  },
  {
    period: count(
      {
        title: 'Candles in the reference average',
        help: 'Candles in the simple average for the comparison with the price',
        from: 2,
        to: 400,
        unit: 'candles',
        advanced: true,
      },
      50,
    ),
    maxPercentage: multiplier(
      {
        title: 'Maximum buy price',
        help: 'Does not buy further than this above the reference average; empty means off',
        of: 'the reference average',
        bounds: { above: '1', atMost: '100' },
        off: true,
        advanced: true,
      },
      '1.4',
    ),
  },
);

export const config = group(
  { title: 'Momentum', help: 'Buys when a fast average crosses above a slow one and sells on the way down' },
  {
    candleInterval: choice({ title: 'Candles', help: 'Interval of the candles for the averages' }, INTERVALS, '1h'),
    entryEnabled: flag({ title: 'Buy', help: 'Opens positions' }, true),
    entrySizing,
    ...capSettings,
    lossCooldownMinutes,
    ema: ema.prefault({}),
    entryMarginPercentage: multiplier(
      {
        title: 'Minimum EMA gap',
        help: 'The fast average must rise this far above the slow one; a little avoids false signals',
        of: 'the slow average',
        bounds: { atLeast: '1', atMost: '1.5' },
        advanced: true,
      },
      '1',
    ),
    trendFilter: trendFilter.prefault({}),
    entryExtension: entryExtension.prefault({}),
    exitEnabled: flag({ title: 'Sell', help: 'Sells positions; off means that nothing protects the position' }, true),
    exitOnCross: flag(
      { title: 'Sell when the averages cross down', help: 'Sells when the fast average falls below the slow one' },
      true,
    ),
    trailingStopPercentage: multiplier(
      {
        title: 'Trailing stop',
        help: 'Sells everything when the price falls this far below the highest close since the buy',
        of: ofHigh,
        bounds: share,
      },
      '0.95',
    ),
    atrTrailing: atrTrailing.prefault({}),
    profitTrail: profitTrail.prefault({}),
    protectiveStop,
    regime,
    technicals,
    execution,
  },
  ({ entrySizing: { mode }, exitEnabled }, refuse) => {
    if (mode === 'risk-at-stop' && !exitEnabled)
      refuse(['entrySizing', 'mode'], 'is risk-at-stop, but selling is switched off, so there is no stop');
  },
);
export type Config = z.output<typeof config>;

export const DEFAULTS: Config = config.parse({});

/** The config with windows that the candles can fill. A longer stored window counts as the longest possible one. */
export function fitWindows(config: Config): Config {
  const { ema, atrTrailing, trendFilter, entryExtension } = config;
  const slopeBars = Math.min(trendFilter.slopeBars, MOST_CLOSED - 1);
  return {
    ...config,
    ema: { fast: Math.min(ema.fast, MAX_SLOW - 1), slow: Math.min(ema.slow, MAX_SLOW) },
    atrTrailing: { ...atrTrailing, period: Math.min(atrTrailing.period, MOST_CLOSED - 1) },
    trendFilter: { ...trendFilter, slopeBars, period: Math.min(trendFilter.period, MOST_CLOSED - slopeBars) },
    entryExtension: { ...entryExtension, period: Math.min(entryExtension.period, MOST_CLOSED) },
  };
}

/** The stored window lengths that are too long, for the numbers of a decision. */
export function storedWindows(stored: Config): Numbers {
  const fitted = fitWindows(stored);
  const lengths: readonly [string, number, number][] = [
    ['storedFast', stored.ema.fast, fitted.ema.fast],
    ['storedSlow', stored.ema.slow, fitted.ema.slow],
    ['storedAtr', stored.atrTrailing.period, fitted.atrTrailing.period],
    ['storedTrend', stored.trendFilter.period, fitted.trendFilter.period],
    ['storedSlope', stored.trendFilter.slopeBars, fitted.trendFilter.slopeBars],
    ['storedExtension', stored.entryExtension.period, fitted.entryExtension.period],
  ];
  return Object.fromEntries(lengths.flatMap(([name, length, fits]) => (length === fits ? [] : [[name, length]])));
}
