import { drawOf, type SweepRequest } from '#core/research/research.ts';
import { openKernel } from '#backtest/run.ts';
import {
  evaluateSets,
  foldRows,
  HALVING_STAGES,
  searchAll,
  stageWindow,
  type SweepBase,
  type Window,
} from '#backtest/sweep/search.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import type { UnitStart } from '#worker/sweep-process.ts';
import { loadPrepared, requireStrategy } from './research-input.ts';
import { ResearchRefused } from './prepared.ts';
import { foldsIn, storedUnit, type UnitResult, type UnitTried } from './sweep-stage.ts';

export interface EvaluatedUnit {
  readonly evaluated: unknown;
  readonly trials: number;
}

/** The windows on which a stage evaluates its sets; in the stage of the tests each set has its own window. */
function windowsOf(base: SweepBase, request: SweepRequest, { stage, sets }: { stage: number; sets: number }): Window[] {
  if (request.search === 'halving') return [stageWindow(base, stage)];
  const folds = foldRows(base, foldsIn(request));
  const training = folds[stage - 1]?.train;
  if (stage === 0 || training !== undefined) return [training ?? stageWindow(base, HALVING_STAGES - 1)];
  return folds.slice(0, sets).map(({ test }) => test);
}

/** The result of a unit as it is stored, and the number of its trials. Throws ResearchRefused. */
export async function evaluateUnit(start: UnitStart): Promise<EvaluatedUnit> {
  const found = await tryUnit(start);
  return { evaluated: storedUnit(found), trials: found.tried.length };
}

/** Evaluates each set of a unit; counts sets that are no valid config. */
async function tryUnit({
  unit,
  request,
  prepared,
  sets,
}: Omit<UnitStart, 'kind' | 'database' | 'slot'>): Promise<UnitResult> {
  const { strategyName, config } = prepared;
  const strategy = requireStrategy(strategyName, prepared.file);
  const opened = openKernel(await loadPrepared(prepared));
  const only = new Set(sets.filter((set) => typeof set === 'number'));
  const made = candidatesOf(strategy, config, { knobs: request.knobs, draw: drawOf(request), only });
  if (opened.kind === 'refused') throw new ResearchRefused(opened.sentence);
  if (made.kind === 'problem') throw new ResearchRefused(made.sentence);
  const { candidates: all, refused } = made.value;
  const { bound: _bound, ...base } = opened.kernel;
  const windows = windowsOf(base, request, { stage: unit.stage, sets: sets.length });
  const tried: UnitTried[] = [];
  for (const [i, window] of windows.entries()) {
    if (window.end <= window.start) continue;
    const own = new Set(windows.length === 1 ? sets : [sets[i]]);
    const candidates = all.filter(({ set }) => own.has(set));
    const found = await searchAll(
      async (configs) => evaluateSets({ ...base, ...window }, strategy, configs),
      candidates,
      window,
    );
    tried.push(...found.map((one) => ({ ...one, window: i })));
  }
  // Only the whole window needs daily returns.
  const lean = request.walkForward !== undefined && unit.stage > 0;
  const kept = lean ? tried.map((one) => ({ ...one, evaluated: { ...one.evaluated, returns: [] } })) : tried;
  return { tried: kept, refused };
}
