import { z } from 'zod';
import { instantText } from '#core/text-fields.ts';
import { INTERVALS } from '#core/market/candle.ts';
import { idSchema } from '#core/id-schema.ts';
import { decimalText, instant, ofCoin, ofProfile, orderId, symbolName } from './fields.ts';
import { operation } from './operation.ts';
import { candle } from './records.ts';

const read = { method: 'GET', status: 200 } as const;

const page = {
  interval: z.enum(INTERVALS),
  limit: z.coerce.number().int().min(1).max(1000).default(500),
  /** Candles that opened before it. Absent: the newest. The open of the first candle is the cursor of the next page. */
  before: instantText.optional(),
};

const chartLine = z.object({
  name: z.string(),
  label: z.string(),
  dash: z.enum(['solid', 'dashed', 'dotted']),
  /** `close`: the close of a candle sets its value. `open`: in force during the candle. */
  from: z.enum(['close', 'open']),
  /** The strategy acts at this price. */
  acts: z.boolean(),
  /** The pane below the candles; lines of one pane share a scale. Null: over the candles. */
  pane: z.string().nullable(),
  /** One value for each candle, in quote unless it has a pane; null where the line has a gap. */
  values: z.array(z.number().nullable()),
});

const chartMark = z.object({
  id: z.string(),
  at: instant,
  side: z.enum(['buy', 'sell']),
  price: decimalText,
  quantity: decimalText,
  /** Profit of a sale net of all fees, in quote; null for a buy. */
  net: decimalText.nullable(),
  reason: z.string(),
  /** Number of the trade, from first buy to closing sale. */
  trade: z.number(),
  /** The order of a fill; null in a backtest. */
  orderId: orderId.nullable(),
});

export const chartPage = z.object({
  /** Oldest first. */
  candles: z.array(candle),
  /** Open of the first candle that the exchange has, in ms UTC; null where older ones exist. */
  beginsMs: z.number().nullable(),
  /** Lines of the strategy with the present settings, computed on these candles. */
  lines: z.array(chartLine),
  /** Why `lines` is empty although the strategy declares lines; null when it is complete. */
  linesProblem: z.string().nullable(),
  /** Labels of the levels of its plan, by name. */
  levels: z.record(z.string(), z.string()),
  /** Fills within these candles. */
  marks: z.array(chartMark),
});

export const readCoinChart = operation({
  ...read,
  ...ofCoin,
  path: '/profiles/:id/symbols/:symbol/chart',
  summary: 'Candles of a coin with the lines of its strategy and its fills, one page back from a cursor',
  query: z.strictObject(page),
  response: chartPage,
});

export const readBacktestChart = operation({
  ...read,
  ...ofProfile,
  path: '/profiles/:id/backtests/:runId/chart',
  summary: 'Candles of a coin of a backtest with the lines of the tested settings and its fills, one page back',
  params: ofProfile.params.extend({ runId: idSchema() }),
  query: z.strictObject({ symbol: symbolName, ...page }),
  response: chartPage,
});
