import { readProblem } from '#api/client.ts';
import type { Problem } from '#api/contract/problem.ts';

/** A problem answered by the service; the message is the server's sentence. */
export class ProblemError extends Error {
  readonly problem: Problem;
  constructor(problem: Problem) {
    super(problem.detail);
    this.name = 'ProblemError';
    this.problem = problem;
  }

  /** The error of one field, by its path such as `config.sell.stopLossPercentage`. */
  field(path: string): string | undefined {
    return fieldError(this.problem.errors ?? [], path);
  }
}

/** Errors name paths from the body's root or from the root of the config or the rules in it; brackets and dots mean the same. */
export function fieldError(errors: readonly { path: string; message: string }[], path: string): string | undefined {
  const plain = (text: string): string =>
    text
      .replace(/\[(\d+)\]/g, '.$1')
      .replace(/^\//, '')
      .replaceAll('/', '.');
  const wanted = plain(path);
  const named = (error: { path: string }): boolean =>
    ['', 'config.', 'overrideConfig.', 'rules.'].some((root) => plain(error.path) === `${root}${wanted}`);
  return errors.find(named)?.message;
}

const plain = (status: number, detail: string): Problem => ({
  type: 'about:blank',
  title: 'No answer',
  status,
  detail,
  code: status === 404 ? 'not_found' : 'unavailable',
});

export const offline = (): ProblemError =>
  new ProblemError(plain(0, 'The service does not answer. Is it running on this address?'));

/** The problem of a response that is not a success, also where a proxy answered in its place. */
export async function problemOf(response: Pick<Response, 'status' | 'text'>): Promise<ProblemError> {
  const problem = await readProblem(response);
  if (problem !== undefined) return new ProblemError(problem);
  return new ProblemError(
    plain(response.status, `The service answered with status ${response.status} and no explanation.`),
  );
}

export const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError && error.problem.code === 'not_signed_in';

/** One sentence for any failure. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
