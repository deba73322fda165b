import { z } from 'zod';
import { storedMetrics } from './backtest-result.ts';

/** The result of a strategy file with its default settings on one coin. The worker caches it, the api shows it. */
export const strategyPreview = z.object({
  state: z.enum(['running', 'done', 'failed']),
  error: z.string().nullable(),
  /** Window, as ISO times. */
  from: z.string(),
  to: z.string(),
  quoteAsset: z.string().nullable(),
  metrics: storedMetrics.nullable(),
  /** Max drawdown as a share. */
  drawdown: z.number().nullable(),
});
export type StrategyPreview = z.output<typeof strategyPreview>;

/** A preview that runs: nothing is known yet. */
export const runningPreview = (from: string, to: string): StrategyPreview => ({
  ...{ state: 'running', error: null, from, to },
  ...{ quoteAsset: null, metrics: null, drawdown: null },
});

/** Results are kept for a week; a worker that died leaves a running preview for ten minutes. */
export const PREVIEW_TTL_MS = { running: 600_000, done: 7 * 86_400_000, failed: 600_000 } as const;
