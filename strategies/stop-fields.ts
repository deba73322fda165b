import { type Decimal, requireDecimal } from '#core/amount/decimal.ts';
import { BAND_POLICIES, type StopSettings } from '#core/sizing/protective-stop.ts';
import { choice, flag, group, multiplier, readSetting } from './fields.ts';

const OFFSET = '0.995';

/** Settings of the protective stop, common to every strategy that sells. */
export const protectiveStop = group(
  {
    title: 'Stop on the exchange',
    help: 'Protects the position even while this service is down',
    hint: { switch: 'enabled' },
  },
  {
    enabled: flag(
      {
        title: 'Keep a stop on the exchange',
        help: 'Places the current highest stop as an order on the exchange and moves it; off means that only this service watches the price',
      },
      true,
    ),
    limitOffsetPercentage: multiplier(
      {
        title: 'Lowest price of that stop',
        help: 'Once it triggers, the stop sells at most this far below its trigger price; a price that jumps below it is sold at the market by this service',
        of: 'the trigger price of the stop',
        bounds: { above: '0.5', below: '1' },
        advanced: true,
      },
      OFFSET,
    ),
    onBandBlock: choice(
      {
        title: 'If the exchange refuses so low a price',
        help: 'notify: reports it, and only this service watches the stop; clamp: rests at the lowest allowed price, which sells earlier; native-trail: the exchange trails the price at the same distance',
        advanced: true,
      },
      BAND_POLICIES,
      'notify',
    ),
  },
).prefault({});

/** Whether a target rests next to the stop, for a strategy that sells everything at a fixed price. */
export const restTarget = flag(
  {
    title: 'Rest the target on the exchange',
    help: 'Places the price at which everything is sold as an order next to the stop; whichever is reached first cancels the other. It needs the stop on the exchange; moving either of them leaves the position without a stop for a moment',
    advanced: true,
  },
  false,
);

interface StoredStop {
  readonly enabled: boolean;
  readonly limitOffsetPercentage: string;
  readonly onBandBlock: StopSettings['onBandBlock'];
}

/** The settings in the form of the engine; no `protectiveStop` means no stop on the exchange. */
export function stopShares(
  config: StoredStop,
  sells: boolean,
  restsTarget = false,
): { stopLimitOffset: Decimal; protectiveStop?: StopSettings } {
  const stopLimitOffset = readSetting(config.limitOffsetPercentage) ?? requireDecimal(OFFSET);
  if (!sells || !config.enabled) return { stopLimitOffset };
  const stop = { offset: stopLimitOffset, onBandBlock: config.onBandBlock };
  return { stopLimitOffset, protectiveStop: restsTarget ? { ...stop, restsTarget } : stop };
}
