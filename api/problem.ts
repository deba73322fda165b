import { STATUS_CODES } from 'node:http';
import { type Problem, PROBLEM_STATUS, type ProblemCode } from './contract/problem.ts';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface Extra {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal on its way to the client; `message` is the sentence the reader gets. */
export class ApiProblem extends Error {
  readonly code: ProblemCode;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(code: ProblemCode, detail: string, extra: Extra = {}) {
    super(detail);
    this.name = 'ApiProblem';
    this.code = code;
    this.errors = extra.errors ?? [];
    this.headers = extra.headers ?? {};
  }
}

export const invalid = (errors: readonly FieldError[]): ApiProblem =>
  new ApiProblem('validation_failed', errors.map(sentenceOf).join(' '), { errors });

export const invalidField = (path: string, message: string): ApiProblem => invalid([{ path, message }]);

const sentenceOf = ({ path, message }: FieldError): string => `${path === '' ? 'The request' : path} ${message}.`;

/** The body of a problem response (RFC 9457). */
export function problemBody(problem: ApiProblem): Problem {
  const status = PROBLEM_STATUS[problem.code];
  return {
    type: `urn:tradewind:problem:${problem.code}`,
    title: STATUS_CODES[status] ?? 'Error',
    status,
    detail: problem.message,
    code: problem.code,
    ...(problem.errors.length === 0 ? {} : { errors: [...problem.errors] }),
  };
}

export const problemResponse = (problem: ApiProblem): Response =>
  new Response(JSON.stringify(problemBody(problem)), {
    status: PROBLEM_STATUS[problem.code],
    headers: { ...problem.headers, 'content-type': 'application/problem+json' },
  });
