import { z } from 'zod';
import { INTERVALS } from '#core/market/candle.ts';
import { capSettings, entrySizing, lossCooldownMinutes } from '#strategies/entry-fields.ts';
import {
  choice,
  count,
  decimalNumber,
  flag,
  group,
  type Judge,
  multiplier,
  quoteAmount,
  readFactor,
} from '#strategies/fields.ts';
import { execution } from '#strategies/execution.ts';
import { regime, sellingTechnicals } from '#strategies/gate-fields.ts';
import { judgeRungs, takeProfits } from '#strategies/ladder.ts';
import { protectiveStop, restTarget } from '#strategies/stop-fields.ts';

export const MAX_WINDOW = 999;

const MOST_LEVELS = 20;

const ofPrice = 'the price when the buy was placed';

const level = group(
  { title: 'Buy level', help: 'When and how much to buy' },
  {
    triggerPercentage: multiplier(
      {
        title: 'Buy at',
        help: 'The first level buys this far above or below the lowest price of the searched candles, or lower; each further one this far above or below the average entry price, or lower',
        of: 'the low, or the average entry price',
        bounds: { above: '0', atMost: '2' },
      },
      '1',
    ),
    stopPricePercentage: multiplier(
      {
        title: 'Buy when it turns up by',
        help: 'Follows the price down with a buy that triggers once the price rises this far above its low; empty buys at once',
        of: ofPrice,
        bounds: { atLeast: '1', atMost: '1.5' },
        off: true,
        advanced: true,
      },
      '',
    ),
    limitPricePercentage: multiplier(
      {
        title: 'Maximum buy price',
        help: 'A triggered buy pays at most this much more than the price that it followed',
        of: ofPrice,
        bounds: { atLeast: '1', atMost: '1.5' },
        off: true,
        advanced: true,
      },
      '',
    ),
    minPurchaseAmount: quoteAmount(
      {
        title: 'Spend at least',
        help: 'Skips this level when it could only spend less; empty means the minimum order value of the exchange',
        off: true,
        advanced: true,
      },
      '',
    ),
    maxPurchaseAmount: quoteAmount(
      {
        title: 'Spend',
        help: 'Amount of this level; empty means an equal share of the whole amount',
        off: true,
        advanced: true,
      },
      '',
    ),
  },
  ({ minPurchaseAmount, maxPurchaseAmount, stopPricePercentage, limitPricePercentage }, refuse) => {
    const [stop, limit] = [readFactor(stopPricePercentage), readFactor(limitPricePercentage)];
    if (stop > 0 !== limit > 0)
      refuse(
        [stop > 0 ? 'limitPricePercentage' : 'stopPricePercentage'],
        'is empty, but a buy that follows the price needs both',
      );
    else if (limit < stop)
      refuse(
        ['limitPricePercentage'],
        `${limitPricePercentage} must not be below ${stopPricePercentage}, the trigger of the buy`,
      );
    const most = readFactor(maxPurchaseAmount);
    if (most > 0 && readFactor(minPurchaseAmount) > most)
      refuse(
        ['minPurchaseAmount'],
        `${minPurchaseAmount} must not be above the ${maxPurchaseAmount} this level spends`,
      );
  },
);

/** Further levels buy below the average price. The first level refers to the low, or to the price when it is immediate. */
const judgeLevels: Judge<{
  readonly firstBuyTriggerBasis: string;
  readonly gridLevels: readonly { readonly triggerPercentage: string }[];
}> = ({ firstBuyTriggerBasis, gridLevels }, refuse) => {
  for (const [i, { triggerPercentage }] of gridLevels.entries()) {
    const trigger = readFactor(triggerPercentage);
    const path = ['gridLevels', i, 'triggerPercentage'];
    if (i > 0 && trigger >= 1)
      refuse(path, `${triggerPercentage} must be below 1: a further level buys below the average entry price`);
    if (i === 0 && firstBuyTriggerBasis === 'immediate' && trigger !== 1) {
      refuse(path, `${triggerPercentage} has no effect, because the first buy is immediate; set it to 1`);
    }
  }
};

const indicatorGate = group(
  { title: 'Strength filter', help: 'Checks an indicator before the first buy', advanced: true },
  {
    rsiMaxBuy: decimalNumber(
      {
        title: 'Highest RSI to buy at',
        help: 'The first buy waits until the relative strength index of 14 candles is at or below this; 30 is a common sign of a dip; empty means off',
        bounds: { above: '0', atMost: '100' },
        unit: 'RSI',
        off: true,
        advanced: true,
      },
      '',
    ),
  },
);

const buy = group(
  { title: 'Buying', help: 'When to open a position', hint: { switch: 'enabled' } },
  {
    enabled: flag({ title: 'Buy', help: 'Opens positions' }, true),
    entrySizing,
    ...capSettings,
    firstBuyTriggerBasis: choice(
      {
        title: 'First buy',
        help: 'lowest-price waits for a price near the low of recent candles; immediate buys at once',
      },
      ['lowest-price', 'immediate'],
      'lowest-price',
    ),
    candleLimit: count(
      {
        title: 'Candles of the low',
        help: 'The first buy waits for a price near the lowest price of this many closed candles',
        from: 1,
        to: MAX_WINDOW,
        unit: 'candles',
      },
      60,
    ),
    gridLevels: z
      .array(level)
      .max(MOST_LEVELS, `holds more than ${MOST_LEVELS} buy levels`)
      .default([])
      .meta({
        title: 'Buy levels',
        description:
          'The first one opens the position, the others add to it on the way down; empty means one level that buys at the low itself',
        form: { kind: 'list', advanced: true },
      }),
    lossCooldownMinutes,
    indicatorGate: indicatorGate.prefault({}),
  },
  judgeLevels,
);

const ofAverage = 'the average entry price';
const atrTrailing = group(
  {
    title: 'ATR trailing stop',
    help: 'The distance of the trailing stop follows the volatility of the price',
    advanced: true,
    hint: { switch: 'multiplier' },
  },
  {
    multiplier: decimalNumber(
      {
        title: 'ATR trailing stop distance',
        help: 'The trailing stop stays this many average true ranges below the high, instead of a percentage; empty means off',
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
    fromEntry: flag(
      {
        title: 'Trail from the first candle',
        help: 'Follows the price from the first candle after the buy, without waiting for a profit; needs a distance above',
        advanced: true,
      },
      false,
    ),
  },
);

const breakEven = group(
  {
    title: 'Profit lock',
    help: 'Once the position is in profit, a floor prevents a loss',
    advanced: true,
    hint: { switch: 'armAtPercentage' },
  },
  {
    armAtPercentage: multiplier(
      {
        title: 'Raise at',
        help: 'Once the price has risen this far above the average entry price, the floor is in force; empty means off',
        of: ofAverage,
        bounds: { above: '1', atMost: '10' },
        off: true,
        advanced: true,
      },
      '',
    ),
    floorPercentage: multiplier(
      {
        title: 'Profit lock',
        help: 'Sells everything when the price falls back to this far above the average entry price',
        of: ofAverage,
        bounds: { atLeast: '1', below: '10' },
        advanced: true,
      },
      '1.003',
    ),
  },
  ({ armAtPercentage, floorPercentage }, refuse) => {
    const armAt = readFactor(armAtPercentage);
    if (armAt > 0 && readFactor(floorPercentage) >= armAt)
      refuse(['floorPercentage'], `${floorPercentage} must be below ${armAtPercentage}, where the floor starts`);
  },
);

const sell = group(
  { title: 'Selling', help: 'When to sell a position', hint: { switch: 'enabled' } },
  {
    enabled: flag({ title: 'Sell', help: 'Sells positions; off means that nothing protects the position' }, true),
    stopLossPercentage: multiplier(
      {
        title: 'Stop loss',
        help: 'Sells everything when the price falls this far below the average entry price',
        of: ofAverage,
        bounds: { above: '0', below: '1' },
        off: true,
      },
      '0.97',
    ),
    triggerPercentage: multiplier(
      {
        title: 'Trailing stop starts at',
        help: 'Once the price has risen this far above the average entry price, the exit follows it upwards',
        of: ofAverage,
        bounds: { above: '1', atMost: '10' },
        off: true,
      },
      '1.05',
    ),
    trailingStopPercentage: multiplier(
      {
        title: 'Trailing stop distance',
        help: 'Sells everything when the price falls this far below the highest close since the trail started',
        of: 'the highest close since the trail started',
        bounds: { above: '0', below: '1' },
        off: true,
      },
      '0.98',
    ),
    atrTrailing: atrTrailing.prefault({}),
    breakEven: breakEven.prefault({}),
    takeProfits,
    timeStopBars: count(
      {
        title: 'Maximum holding time',
        help: 'Sells everything when this many candles have closed since the first buy and the trailing stop has not started; 0 means never',
        from: 0,
        to: 10_000,
        unit: 'candles',
        advanced: true,
      },
      0,
    ),
    protectiveStop,
    restTarget,
  },
  judgeRungs,
);

export const config = group(
  { title: 'Trailing trade', help: 'Buys near the low of recent candles and follows the price up before it sells' },
  {
    candleInterval: choice(
      { title: 'Candles', help: 'Candles used for the low and for the trailing stop' },
      INTERVALS,
      '1h',
    ),
    buy: buy.prefault({}),
    sell: sell.prefault({}),
    regime,
    technicals: sellingTechnicals,
    execution,
  },
  ({ buy: buys, sell: sells }, refuse) => {
    if (buys.entrySizing.mode !== 'risk-at-stop') return;
    if (!sells.enabled || sells.stopLossPercentage === '')
      refuse(
        ['buy', 'entrySizing', 'mode'],
        'is risk-at-stop, which needs a stop loss; set one or choose another mode',
      );
  },
);
export type Config = z.output<typeof config>;

export const DEFAULT_LEVEL = level.parse({});

/** Closed candles searched for the low: a stored limit above the maximum counts as the maximum. */
export const windowOf = ({ buy }: Config): number => Math.max(1, Math.min(buy.candleLimit, MAX_WINDOW));
