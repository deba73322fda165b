import type { Decision } from '#core/decision/decision.ts';
import type { TickView } from '#core/judge/view.ts';

/** One rule of a strategy: a decision, or undefined to continue with the next rule. */
export type Rule<StrategyContext> = (context: StrategyContext, view: TickView) => Decision | undefined;

/** The first decision of an ordered list of rules. */
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
