import { isObject } from '#core/merge.ts';
import type { EvaluatedUnit } from '#worker/jobs/sweep-unit.ts';
import { runInThread } from './backtest-in-thread.ts';
import type { UnitStart } from './sweep-process.ts';

const PROGRAM = new URL('./sweep-unit-thread.ts', import.meta.url);

export const isUnitStart = (value: unknown): value is UnitStart => isObject(value) && value['kind'] === 'unit';
const isEvaluated = (value: unknown): value is EvaluatedUnit => isObject(value) && 'trials' in value;

/** Evaluates a unit of a strategy file in a thread, so that this one can watch it. Rejects with ResearchRefused. */
export const evaluateUnitInThread = (start: UnitStart): Promise<EvaluatedUnit> =>
  runInThread({ program: PROGRAM, start, isAnswer: isEvaluated, signal: new AbortController().signal });
