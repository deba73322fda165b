import { z } from 'zod';

const side = z.enum(['buy', 'sell']);
const execution = z.object({
  at: z.iso.datetime(),
  quantity: z.string(),
  price: z.string(),
  reason: z.string(),
});

/** The last day replayed with the present settings, beside what was traded; the worker writes it, the api shows it. */
export const shadowReport = z.object({
  at: z.iso.datetime(),
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  coins: z.array(
    z.object({
      symbol: z.string(),
      /** Why the coin could not be replayed; everything else is then empty. */
      refused: z.string().nullable(),
      /** Where the replay began: before the day for a position that was held at its begin. */
      replayedFrom: z.iso.datetime().nullable(),
      /** Closes of candles at which both decided, and how many agreed. */
      compared: z.number(),
      agreed: z.number(),
      /** The first closes that differ: the code of each reason, and the words of the live one. */
      differing: z.array(
        z.object({ at: z.iso.datetime(), live: z.string(), replayed: z.string(), sentence: z.string() }),
      ),
      /** Orders of both, paired by side and time; null where one has none. `bps` above zero: live was worse. */
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
