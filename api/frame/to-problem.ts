import { ApiProblem } from './problem.ts';
import { isUnavailable, isUnstorable, outageOf } from './unavailable.ts';

/** The problem that a caller receives for an error; `unexpected` is the sentence for an unexpected error. */
export function toProblem(error: unknown, unexpected: string): ApiProblem {
  if (error instanceof ApiProblem) return error;
  if (isUnavailable(error)) return new ApiProblem('unavailable', outageOf(error).sentence);
  if (isUnstorable(error))
    return new ApiProblem('validation_failed', 'The request holds a value that the database cannot store.');
  return new ApiProblem('internal', unexpected);
}
