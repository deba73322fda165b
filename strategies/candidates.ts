import {
  combinations,
  countSets,
  type Draw,
  type SweptSetting,
  type Parsed,
  parseSettings,
  type Values,
  withSettings,
} from './swept-settings.ts';
import type { AnyStrategy } from './strategy.ts';

/** One set of a sweep before its run; `set` is its index among all combinations. */
export interface Candidate {
  readonly set: number;
  readonly values: Values;
  readonly config: unknown;
}

/** Number of combinations that are no valid config, with the problem of the first one. */
export interface RefusedSets {
  readonly count: number;
  readonly example: string | null;
}

interface Candidates {
  readonly settings: readonly SweptSetting[];
  readonly candidates: readonly Candidate[];
  readonly refused: RefusedSets;
}

interface SweptText {
  readonly knobs: string;
  readonly draw: Draw | undefined;
}

export const noneIsAConfig = (strategyName: string, example: string | null): string =>
  `No combination is a config of ${strategyName}: ${example ?? 'there is none'}.`;

function parseSets(
  strategy: AnyStrategy,
  { config, settings }: { readonly config: unknown; readonly settings: readonly SweptSetting[] },
  sets: Iterable<readonly [set: number, values: Values]>,
): Candidates {
  const candidates: Candidate[] = [];
  let count = 0;
  let example: string | null = null;
  for (const [set, values] of sets) {
    const parsed = strategy.config.safeParse(withSettings(config, settings, values));
    if (parsed.success) candidates.push({ set, values, config: parsed.data });
    else {
      const [issue] = parsed.error.issues;
      example ??= `${issue?.path.join('.')}: ${issue?.message}`;
      count++;
    }
  }
  return { settings, candidates, refused: { count, example } };
}

/** All parameter sets of a sweep as parsed configs; a problem when none is valid. With `only`: just those sets, or none. */
export function candidatesOf(
  strategy: AnyStrategy,
  config: unknown,
  { knobs: text, draw, only }: SweptText & { readonly only?: ReadonlySet<number> },
): Parsed<Candidates> {
  const settings = parseSettings(text, config);
  if (settings.kind === 'problem') return settings;
  const count = countSets(settings.value, draw);
  if (count.kind === 'problem') return count;
  const sets = combinations(settings.value, { count: count.value, draw, ...(only === undefined ? {} : { only }) });
  const made = parseSets(strategy, { config, settings: settings.value }, sets);
  if (made.candidates.length === 0 && only === undefined)
    return { kind: 'problem', sentence: noneIsAConfig(strategy.name, made.refused.example) };
  return { kind: 'ok', value: made };
}

/** Maximum number of sets that are validated before a sweep starts: a few milliseconds of work. */
const JUDGED = 100;

/**
 * Number of sets of a sweep, without creating them. A problem when its text or size is invalid. A small sweep is validated
 * completely, and is a problem when no set is a valid config.
 */
export function countCandidates(
  strategy: AnyStrategy,
  config: unknown,
  { knobs: text, draw }: SweptText,
): Parsed<number> {
  const settings = parseSettings(text, config);
  if (settings.kind === 'problem') return settings;
  const count = countSets(settings.value, draw);
  if (count.kind === 'problem' || count.value > JUDGED) return count;
  const made = candidatesOf(strategy, config, { knobs: text, draw });
  return made.kind === 'problem' ? made : count;
}
