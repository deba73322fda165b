import { readJson } from '#core/json.ts';
import { isObject } from '#core/merge.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import { type Problem, PROBLEM_STATUS } from '#api/contract/problem.ts';

export const API_ROOT = '/api';

/** The address of an operation under the API root, with path parameters and query. */
export function addressOf(path: string, params: unknown, query: unknown): string {
  const values = isObject(params) ? params : {};
  const filled = path.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(isObject(query) ? query : {})) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return `${API_ROOT}${filled}${search.size === 0 ? '' : `?${search}`}`;
}

/** Marks a request of our own script: a foreign page cannot make a browser send this header. */
export const CLIENT_HEADERS = { 'x-tradewind-client': '1' } as const;

/** One operation of the contract as a request; the body travels as JSON. */
export function requestOf<Op extends Operation>(op: Op, parts: Call<Op>) {
  const given: Record<string, unknown> = isObject(parts) ? parts : {};
  const { params, query, body } = given;
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    address: addressOf(op.path, params, query),
    init: { method: op.method, headers: { ...CLIENT_HEADERS, ...type }, ...sent },
  };
}

/** The answer of an operation, as it was sent. Throws when the text is not the JSON that the contract describes. */
export function readAnswer<Op extends Operation>({ response }: Op, text: string): Answer<Op> {
  const answer: unknown = response === undefined ? undefined : JSON.parse(text);
  response?.parse(answer);
  return answer as Answer<Op>;
}

const isProblem = (body: unknown): body is Problem =>
  isObject(body) && typeof body['detail'] === 'string' && Object.hasOwn(PROBLEM_STATUS, String(body['code']));

/** The problem of an error response; undefined when a proxy or another server has answered. */
export async function readProblem(response: Pick<Response, 'text'>): Promise<Problem | undefined> {
  const body = readJson(await response.text().catch(() => ''));
  return isProblem(body) ? body : undefined;
}
