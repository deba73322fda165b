import { STATUS_CODES } from 'node:http';
import { type Problem, PROBLEM_STATUS, type ProblemCode } from '#api/contract/problem.ts';

export interface FieldError {
  readonly path: string;
  readonly message: string;
}

interface Extra {
  readonly errors?: readonly FieldError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A refusal for the client; `message` is the sentence that the reader sees. */
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

const MAX_ERRORS = 20;
const MAX_PATH_CHARS = 200;
/** Long enough for our longest sentence, which lists the events of a notifier. */
const MAX_MESSAGE_CHARS = 500;

const shorten = (text: string, maxChars: number): string =>
  text.length <= maxChars ? text : `${text.slice(0, maxChars).toWellFormed()}…`;

/** The first errors with shortened texts: a refusal stays short even for a long request. */
export const shownErrors = (errors: readonly FieldError[]): FieldError[] =>
  errors.slice(0, MAX_ERRORS).map(({ path, message }) => ({
    path: shorten(path, MAX_PATH_CHARS),
    message: shorten(message, MAX_MESSAGE_CHARS),
  }));

export function invalid(errors: readonly FieldError[]): ApiProblem {
  const shown = shownErrors(errors);
  const hidden = errors.length - shown.length;
  const sentences = [...shown.map(sentenceOf), ...(hidden === 0 ? [] : [`And ${hidden} more.`])];
  return new ApiProblem('validation_failed', sentences.join(' '), { errors: shown });
}

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
