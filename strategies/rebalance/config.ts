import { z } from 'zod';
import type { Interval } from '#core/market/candle.ts';
import { choice, count, decimalNumber, flag, group, quoteAmount, readFactor } from '#strategies/fields.ts';
import { regime, technicals } from '#strategies/gate-fields.ts';

const MODES = ['fixed', 'momentum'] as const;
const PLANS = ['5m', '15m', '30m', '1h', '2h', '4h', '1d'] as const satisfies readonly Interval[];
const MOST_TARGETS = 50;

const target = group(
  { title: 'Target weight', help: 'Target share of one coin in the basket' },
  {
    symbol: z
      .string()
      .regex(/^[A-Z0-9]{5,20}$/, 'is not a coin such as BTCUSDT')
      .meta({ title: 'Coin', description: 'A coin that is bound to the profile', form: { kind: 'text' } }),
    weight: decimalNumber(
      {
        title: 'Share',
        help: 'Share of the basket; the rest stays cash',
        bounds: { above: '0', atMost: '1' },
        percent: 'share',
      },
      '0.1',
    ),
  },
);

const momentum = group(
  { title: 'Top coins', help: 'Holds the coins that have risen most, in equal shares', advanced: true },
  {
    lookbackCandles: count(
      {
        title: 'Rise over',
        help: 'Ranks coins by their rise over this many candles',
        from: 2,
        to: 500,
        unit: 'candles',
      },
      30,
    ),
    topK: count(
      { title: 'Coins held', help: 'So many of the strongest coins are held', from: 1, to: 50, unit: 'coins' },
      3,
    ),
    minScore: decimalNumber(
      {
        title: 'Minimum rise',
        help: 'A coin that has risen less is not held and its share stays cash; empty means no minimum',
        bounds: { atMost: '100' },
        percent: 'share',
        off: true,
      },
      '',
    ),
  },
);

export const config = group(
  { title: 'Rebalance', help: 'Keeps the coins of the profile at their shares of one basket' },
  {
    enabled: flag({ title: 'Trade', help: 'Off: only shows the plan' }, false),
    weightMode: choice(
      { title: 'Shares', help: 'fixed: the shares you set; momentum: equal shares of the strongest coins' },
      MODES,
      'fixed',
    ),
    candleInterval: choice(
      { title: 'Plan every', help: 'Makes a plan when a candle of this interval closes' },
      PLANS,
      '1h',
    ),
    driftThreshold: decimalNumber(
      {
        title: 'Rebalance threshold',
        help: 'Trades a coin when its share differs from its target by this much of the basket',
        bounds: { above: '0', below: '1' },
        percent: 'share',
      },
      '0.05',
    ),
    minTradeQuote: quoteAmount(
      {
        title: 'Smallest trade',
        help: 'Skips smaller trades; empty means the minimum order value of the exchange',
        off: true,
      },
      '10',
    ),
    basketBudgetQuote: quoteAmount(
      {
        title: 'Budget of the basket',
        help: 'Adds cash until the value of the coins reaches this amount; empty adds none',
        off: true,
      },
      '',
    ),
    maxSymbolExposureQuote: quoteAmount(
      {
        title: 'Maximum per coin',
        help: 'Buys less when the cost of a position would exceed this; empty means no limit',
        off: true,
        advanced: true,
      },
      '',
    ),
    targets: z
      .array(target)
      .max(MOST_TARGETS, `holds more than ${MOST_TARGETS} coins`)
      .default([])
      .meta({
        title: 'Target weights',
        description: 'A coin of the profile that is not listed is sold; used only with fixed shares',
        form: { kind: 'list', advanced: true },
      }),
    momentum: momentum.prefault({}),
    regime,
    technicals,
  },
  ({ targets }, refuse) => {
    let sum = 0;
    for (const [i, { symbol, weight }] of targets.entries()) {
      sum += readFactor(weight);
      if (targets.findIndex((each) => each.symbol === symbol) < i)
        refuse(['targets', i, 'symbol'], `${symbol} is listed twice`);
      if (sum > 1 + 1e-9) refuse(['targets', i, 'weight'], 'makes the sum of the shares more than the whole basket');
    }
  },
);
export type Config = z.output<typeof config>;

/** The ranking with at least one candle and one coin. A smaller stored value counts as one. */
export const fitRanking = ({ momentum: { lookbackCandles, topK, minScore } }: Config): Config['momentum'] => ({
  lookbackCandles: Math.max(1, lookbackCandles),
  topK: Math.max(1, topK),
  minScore,
});
