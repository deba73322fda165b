import { combinations, type Knob, type Parsed, parseKnobs, type Values, withKnobs } from './knobs.ts';
import type { AnyStrategy } from './strategy.ts';

/** One set of a sweep before it is tried; `set` is its place among all combinations. */
export interface Candidate {
  readonly set: number;
  readonly values: Values;
  readonly config: unknown;
}

export interface Candidates {
  readonly knobs: readonly Knob[];
  readonly candidates: readonly Candidate[];
  /** Combinations that the strategy's form would refuse, and the first reason. */
  readonly refused: { readonly count: number; readonly example: string | null };
}

/** Every parameter set of a sweep as a parsed config; a problem when none is left. */
export function candidatesOf(
  strategy: AnyStrategy,
  config: unknown,
  { knobs: text, draw }: { readonly knobs: string; readonly draw: { count: number; seed: number } | undefined },
): Parsed<Candidates> {
  const knobs = parseKnobs(text, config);
  if (knobs.kind === 'problem') return knobs;
  const made = combinations(knobs.value, draw);
  if (made.kind === 'problem') return made;
  const candidates: Candidate[] = [];
  let example: string | null = null;
  for (const [set, values] of made.value.entries()) {
    const parsed = strategy.config.safeParse(withKnobs(config, knobs.value, values));
    if (parsed.success) candidates.push({ set, values, config: parsed.data });
    else {
      const [issue] = parsed.error.issues;
      example ??= `${issue?.path.join('.')}: ${issue?.message}`;
    }
  }
  if (candidates.length === 0)
    return { kind: 'problem', sentence: `No combination is a config of ${strategy.name}: ${example}.` };
  return {
    kind: 'ok',
    value: { knobs: knobs.value, candidates, refused: { count: made.value.length - candidates.length, example } },
  };
}
