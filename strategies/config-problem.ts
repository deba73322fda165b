import { STRATEGIES } from './registry.ts';

/** Why a stored (merged) config cannot be parsed by the strategy that a profile names; null when it can. */
export function configProblem(strategyName: string, merged: unknown): string | null {
  const strategy = STRATEGIES.get(strategyName);
  if (strategy === undefined) return `there is no strategy named "${strategyName}"`;
  const parsed = strategy.config.safeParse(merged);
  if (parsed.success) return null;
  return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`).join('; ');
}
