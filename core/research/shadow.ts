import { z } from 'zod';

const side = z.enum(['buy', 'sell']);
const execution = z.object({
  at: z.iso.datetime(),
  quantity: z.string(),
  price: z.string(),
  reason: z.string(),
});

/** Replay of the last day with the current settings, compared with live trading. The worker writes it, the api shows it. */
export const shadowReport = z.object({
  at: z.iso.datetime(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  coins: z.array(
    z.object({
      symbol: z.string(),
      /** Why the coin could not be replayed; all other fields are then empty. */
      refused: z.string().nullable(),
      /** Start of the replay: before the day when a position was already open. */
      replayedFrom: z.iso.datetime().nullable(),
      /** Closes at which both decided, and how many decisions agreed. */
      compared: z.number(),
      agreed: z.number(),
      /** The first different closes: both reason codes, and the sentence of the live decision. */
      differing: z.array(
        z.object({ at: z.iso.datetime(), live: z.string(), replayed: z.string(), sentence: z.string() }),
      ),
      /** Orders of both, paired by side and time; null when one has no order. `bps` above zero: live was worse. */
      fills: z.array(
        z.object({
          side,
          live: execution.nullable(),
          replayed: execution.nullable(),
          bps: z.number().nullable(),
          why: z.string().nullable(),
        }),
      ),
    }),
  ),
});
export type ShadowReport = z.output<typeof shadowReport>;
export type ShadowCoin = ShadowReport['coins'][number];
