import { isObject } from '#core/merge.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import { offline, problemOf } from './problem-error.ts';

const API_ROOT = '/api';

/** The address of an operation under the API root, parameters filled in and the query appended. */
export function addressOf(path: string, params: unknown, query: unknown): string {
  const values = isObject(params) ? params : {};
  const filled = path.replace(/:(\w+)/g, (_place, name: string) => encodeURIComponent(String(values[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(isObject(query) ? query : {})) {
    if (value !== undefined && value !== null) search.set(name, String(value));
  }
  return `${API_ROOT}${filled}${search.size === 0 ? '' : `?${search}`}`;
}

/** Calls one operation of the contract. Throws ProblemError with the server's words. */
export async function call<Op extends Operation>(op: Op, parts: Call<Op>, signal?: AbortSignal): Promise<Answer<Op>> {
  const given: Record<string, unknown> = isObject(parts) ? parts : {};
  const body = given['body'];
  const sent = body === undefined ? {} : { body: JSON.stringify(body) };
  const address = addressOf(op.path, given['params'], given['query']);
  return send(op, address, { ...sent, ...(signal === undefined ? {} : { signal }) });
}

/** Sends a file as the body of an operation that takes one. */
export const upload = <Op extends Operation>(op: Op, file: Blob): Promise<Answer<Op>> =>
  send(op, addressOf(op.path, undefined, undefined), { body: file });

async function send<Op extends Operation>(op: Op, address: string, init: RequestInit): Promise<Answer<Op>> {
  const type = init.body == null ? {} : { 'content-type': op.upload ?? 'application/json' };
  const response = await fetch(address, {
    ...init,
    method: op.method,
    headers: { 'x-tradewind-client': '1', ...type },
    credentials: 'same-origin',
  }).catch((cause: unknown) => {
    if (init.signal?.aborted === true) throw cause;
    throw offline();
  });
  if (!response.ok) throw await problemOf(response);
  const answer: unknown = response.status === 204 ? undefined : await response.json();
  // The service that served this page has built the answer to this very type.
  return answer as Answer<Op>;
}
