import { addressOf, CLIENT_HEADERS, requestOf } from '#api/client.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import { offline, problemOf } from './problem-error.ts';
import { fetchShared, isShared, type Reply } from './together.ts';

export { addressOf };

/** Calls one operation of the contract. Throws ProblemError with the server's message. */
export function call<Op extends Operation>(op: Op, parts: Call<Op>, signal?: AbortSignal): Promise<Answer<Op>> {
  const { address, init } = requestOf(op, parts);
  return send(address, { ...init, ...(signal === undefined ? {} : { signal }) }, isShared(op) ? fetchShared : fetch);
}

/** Calls an operation that answers with bytes. */
export async function callBytes<Op extends Operation>(
  op: Op,
  parts: Call<Op>,
  signal?: AbortSignal,
): Promise<Uint8Array<ArrayBuffer>> {
  const { address, init } = requestOf(op, parts);
  const response = await answered(address, { ...init, ...(signal === undefined ? {} : { signal }) }, fetch);
  return new Uint8Array(await response.arrayBuffer());
}

/** Sends the values of a form, which the service checks. */
export function sendForm<Op extends Operation>(op: Op, params: unknown, values: unknown): Promise<Answer<Op>> {
  const headers = { ...CLIENT_HEADERS, 'content-type': 'application/json' };
  return send(addressOf(op.path, params, undefined), { method: op.method, headers, body: JSON.stringify(values) });
}

/** Sends a file as the body of an operation that takes one. */
export function upload<Op extends Operation>(op: Op, file: Blob): Promise<Answer<Op>> {
  const headers = { ...CLIENT_HEADERS, 'content-type': op.upload ?? 'application/json' };
  return send(addressOf(op.path, undefined, undefined), { method: op.method, headers, body: file });
}

type Fetch<Answered> = (address: string, init: RequestInit) => Promise<Answered>;

async function answered<Answered extends Reply>(
  address: string,
  init: RequestInit,
  get: Fetch<Answered>,
): Promise<Answered> {
  const response = await get(address, { ...init, credentials: 'same-origin' }).catch((cause: unknown) => {
    if (init.signal?.aborted === true) throw cause;
    throw offline();
  });
  if (!response.ok && response.status !== 304) throw await problemOf(response);
  return response;
}

/** Most answers that are kept to be confirmed by the service instead of sent again. */
const MOST_KEPT = 50;
/** Answers to GET with their entity tags, by address; the oldest first. */
const kept = new Map<string, { readonly tag: string; readonly answer: unknown }>();

async function send<Op extends Operation>(
  address: string,
  init: RequestInit,
  get: Fetch<Reply> = fetch,
): Promise<Answer<Op>> {
  const before = init.method === 'GET' ? kept.get(address) : undefined;
  const headers = new Headers(init.headers);
  if (before !== undefined) headers.set('if-none-match', before.tag);
  const response = await answered(address, { ...init, headers }, get);
  const answer = response.status === 304 ? before?.answer : await readAnswer(response);
  const tag = response.headers.get('etag');
  kept.delete(address);
  if (tag !== null && init.method === 'GET') kept.set(address, { tag, answer });
  const [oldest] = kept.keys();
  if (kept.size > MOST_KEPT && oldest !== undefined) kept.delete(oldest);
  // The service builds the answer from the same contract type.
  return answer as Answer<Op>;
}

const readAnswer = async (response: Reply): Promise<unknown> =>
  response.status === 204 ? undefined : await response.json();
