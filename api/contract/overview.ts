import { z } from 'zod';
import { decimalText, instant, ofCoin, orderId, profileId } from './fields.ts';
import { operation } from './operation.ts';

/** Money of an account at one moment, in its quote asset. Coins with another quote asset are left out. */
export const accountFigures = {
  /**
   * Realised P&L since midnight of the operator's zone, plus the change of the unrealised P&L since then, net of all fees.
   * `share` is that of the equity at midnight. Deposits do not count. Null without equity.
   */
  pnlToday: z.object({ amount: decimalText, share: z.number().nullable() }).nullable(),
  /** Value less cost of all positions, before the fees of their sales; positions without a price are left out. */
  unrealised: decimalText,
  /** Market value of all positions, and how many there are. */
  exposure: decimalText,
  positions: z.number(),
  unpriced: z.number(),
  /** Quote asset that is locked in orders; null without a wallet. */
  locked: decimalText.nullable(),
  /** Fee of a market order as a share, 0.001 for 0.1 %; null before the first wallet snapshot. */
  takerFee: z.number().nullable(),
  stops: z.object({
    /** Positions with a stop, and those of them whose stop is on the exchange. */
    kept: z.number(),
    onExchange: z.number(),
    /** P&L of these positions if each is sold at its stop, after `takerFee`; null without a stop or a known fee. */
    result: decimalText.nullable(),
  }),
  /** The largest fall of the equity below an earlier high, at most 0, since the first point of the curve. */
  drawdown: z.object({ share: z.number(), since: instant, isAtHigh: z.boolean() }).nullable(),
  /** Usage of each limit that is set, of the account and of its running profiles. */
  limits: z.array(
    z.object({
      limit: z.string(),
      /** Name of the account or profile. */
      name: z.string(),
      profileId: profileId.nullable(),
      used: z.union([z.string(), z.number()]),
      most: z.union([z.string(), z.number()]),
      /** Used part of the limit, 1 for all of it. */
      share: z.number(),
      blocked: z.boolean(),
    }),
  ),
};

/** An open position or a closed trade, with one step for each order that filled, newest first. */
export const trade = z.object({
  profileId,
  symbol: z.string(),
  cycle: z.number(),
  openedAt: instant,
  /** Null while the position is open, as are `net` and `exitReason`. */
  closedAt: instant.nullable(),
  /** Net P&L of the closed trade. */
  net: decimalText.nullable(),
  exitReason: z.string().nullable(),
  steps: z.array(
    z.object({
      at: instant,
      orderId,
      side: z.enum(['buy', 'sell']),
      quantity: decimalText,
      price: decimalText,
      /** Reason code of the order. */
      reason: z.string(),
    }),
  ),
});

export const readCoinDay = operation({
  ...ofCoin,
  method: 'GET',
  path: '/profiles/:id/symbols/:symbol/day',
  status: 200,
  summary: 'Change and hourly prices of a coin over the last 24 hours; empty while the exchange does not answer',
  response: z.object({
    /** Share: 0.018 for +1.8 % since the open of the first hour; null without a whole day of candles. */
    change: z.number().nullable(),
    /** Closes of the hours, oldest first. */
    closes: z.array(z.number()),
  }),
});
