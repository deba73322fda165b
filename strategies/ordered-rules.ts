import type { Decision } from '#core/decision/decision.ts';
import type { TickView } from './strategy.ts';

/** One question of a strategy: an answer, or undefined to ask the next. */
export type Rule<StrategyContext> = (context: StrategyContext, view: TickView) => Decision | undefined;

/** The first answer of an ordered list of rules. */
export function firstAnswer<StrategyContext>(
  rules: readonly Rule<StrategyContext>[],
  context: StrategyContext,
  view: TickView,
): Decision | undefined {
  for (const rule of rules) {
    const answer = rule(context, view);
    if (answer !== undefined) return answer;
  }
  return undefined;
}
