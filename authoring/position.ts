import { z } from 'zod';

/**
 * What the service keeps about a position, whatever happens to the file: a stop never falls, and stop and target stay
 * when a file is broken or deleted. Prices in quote, levels in whole ticks, 0 for none.
 */
const facts = z.object({
  cycle: z.int(),
  peak: z.number(),
  stop: z.number().nonnegative(),
  target: z.number().nonnegative(),
  bars: z.int().nonnegative(),
  /** Stop of the last entry rule that answered, as a share of its close; 0 for none. */
  stopShare: z.number().nonnegative(),
  entryTarget: z.number().nonnegative(),
  /** Open time of the newest candle when the last fill arrived. */
  actionMs: z.number(),
  /** The last time of the schedule that a buy has used. */
  usedMs: z.number(),
});
export type PositionFacts = z.output<typeof facts>;

export const NO_POSITION: Readonly<PositionFacts> = {
  ...{ cycle: 0, peak: 0, stop: 0, target: 0, bars: 0, stopShare: 0, entryTarget: 0 },
  ...{ actionMs: -1, usedMs: 0 },
};

/** State of an instance, as plain JSON. */
export const savedState = z.object({
  v: z.literal(1),
  tick: z.string(),
  facts,
  /** Version and settings of `series` and `memory`; with another shape both start again. */
  shape: z.string(),
  series: z.unknown(),
  memory: z.record(z.string(), z.union([z.number(), z.boolean()])),
  answer: z.object({ entry: z.int(), exit: z.int(), failed: z.string() }),
});
export type SavedState = z.output<typeof savedState>;
