import type { Decision, ReasonText } from '#core/decision/decision.ts';

export const REASONS = {
  'hold-by-design': { sentence: 'This strategy never trades; it only watches.', thresholds: [] },
} as const satisfies Record<string, ReasonText>;

export const HOLD: Decision = Object.freeze({ kind: 'nothing', reason: 'hold-by-design' });
