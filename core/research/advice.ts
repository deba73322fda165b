import { z } from 'zod';

/** Requests to the advisor. */
export const VARIANT_NAMES = ['safe', 'ride-trend', 'trade-more', 'aggressive', 'defensive'] as const;
export type AdvisorVariant = (typeof VARIANT_NAMES)[number];
/** Slot of an answer for a backtest: one per variant, and one for a pasted answer. */
export const ADVISOR_SLOTS = [...VARIANT_NAMES, 'manual'] as const;
export type AdvisorSlot = (typeof ADVISOR_SLOTS)[number];

/** Maximum number of characters of a reply. */
export const LONGEST_REPLY = 256_000;

export const OVERFIT_RISKS = ['low', 'medium', 'high', 'unknown'] as const;

/** A proposed change that the strategy accepts. It is never applied automatically. */
const suggestion = z.object({
  id: z.string(),
  title: z.string(),
  rationale: z.string(),
  /** One setting each, by its dotted path. */
  changes: z.array(z.object({ path: z.string(), from: z.unknown(), to: z.unknown() })),
  /** The change as a patch of the config, for a backtest and the settings form. */
  overrideConfig: z.record(z.string(), z.unknown()),
  expectedEffect: z.string(),
  overfitRisk: z.enum(OVERFIT_RISKS),
});
export type Suggestion = z.output<typeof suggestion>;

export const advice = z.object({
  summary: z.string(),
  suggestions: z.array(suggestion),
  /** Proposals that cannot be used, with the reason. */
  dropped: z.array(z.object({ title: z.string(), reason: z.string() })),
});
export type Advice = z.output<typeof advice>;
export const NO_ADVICE: Advice = { summary: '', suggestions: [], dropped: [] };
