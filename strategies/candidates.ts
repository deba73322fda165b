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

/** One set of a sweep before it is tried; `set` is its place among all combinations. */
export interface Candidate {
  readonly set: number;
  readonly values: Values;
  readonly config: unknown;
}

/** Combinations that the strategy's form would refuse, and the first reason. */
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

/** Every parameter set of a sweep as a parsed config; a problem when none is left. With `only` those sets alone, or none. */
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

/** As many sets are judged before a sweep starts: a few milliseconds of work. */
const JUDGED = 100;

/**
 * How many sets a sweep has, without making them. A problem when its text or its size are wrong, or when it is so small
 * that all of its sets were judged and none is a config.
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
