import { z } from 'zod';

/** What the advisor can be asked for. */
export const VARIANT_NAMES = ['safe', 'ride-trend', 'trade-more', 'aggressive', 'defensive'] as const;
export type AdvisorVariant = (typeof VARIANT_NAMES)[number];
/** Where an answer is kept for a backtest: one place for each variant, and one for what was pasted. */
export const ADVISOR_SLOTS = [...VARIANT_NAMES, 'manual'] as const;
export type AdvisorSlot = (typeof ADVISOR_SLOTS)[number];

/** Characters of a reply that are read. */
export const LONGEST_REPLY = 256_000;

export const OVERFIT_RISKS = ['low', 'medium', 'high', 'unknown'] as const;

/** A change that was proposed and that the strategy would accept; it is never applied by itself. */
const suggestion = z.object({
  id: z.string(),
  title: z.string(),
  rationale: z.string(),
  /** One setting each, by its dotted path. */
  changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })),
  /** The same as a patch of the config, as a backtest and the settings form take it. */
  overrideConfig: z.record(z.string(), z.unknown()),
  expectedEffect: z.string(),
  overfitRisk: z.enum(OVERFIT_RISKS),
});
export type Suggestion = z.output<typeof suggestion>;

export const advice = z.object({
  summary: z.string(),
  suggestions: z.array(suggestion),
  /** What was proposed and cannot be used, and why. */
  dropped: z.array(z.object({ title: z.string(), reason: z.string() })),
});
export type Advice = z.output<typeof advice>;
export const NO_ADVICE: Advice = { summary: '', suggestions: [], dropped: [] };
