import type { z } from 'zod';
import { capSettings, entrySizing, lossCooldownMinutes } from '#strategies/entry-fields.ts';
import { decimalNumber, flag, group, multiplier } from '#strategies/fields.ts';
import { regime, technicals } from '#strategies/gate-fields.ts';
import { protectiveStop } from '#strategies/stop-fields.ts';

export const config = group(
  { title: 'Signals', help: 'Buys and sells when another program sends a signal; size, stop and limits are set here' },
  {
    entryEnabled: flag({ title: 'Buy', help: 'Opens positions; off means that signals only sell' }, true),
    entrySizing,
    ...capSettings,
    lossCooldownMinutes,
    sellShare: decimalNumber(
      {
        title: 'Part that a sell signal sells',
        help: 'Part of the position that a signal "sell" sells, everything when the part or the rest would be too small to sell; a signal "close" always sells everything',
        percent: 'share',
        bounds: { above: '0', atMost: '1' },
        advanced: true,
      },
      '1',
    ),
    stopLossPercentage: multiplier(
      {
        title: 'Stop loss',
        help: 'Sells everything when the price falls this far below the average entry price, without a signal; empty means that only signals sell',
        of: 'the average entry price',
        bounds: { above: '0', below: '1' },
        off: true,
      },
      '0.95',
    ),
    protectiveStop,
    regime,
    technicals,
  },
  ({ entrySizing: { mode }, stopLossPercentage }, refuse) => {
    if (mode === 'risk-at-stop' && stopLossPercentage === '')
      refuse(['entrySizing', 'mode'], 'is risk-at-stop, which needs a stop loss; set one or choose another mode');
  },
);
export type Config = z.output<typeof config>;
