import type { Hono } from 'hono';
import { readAnswer, readProblem, requestOf } from '#api/client.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import type { Operator } from '#api/guard/session.ts';
import type { ApiEnv } from '#api/handle.ts';

/** An operation refused the message of the chat; the text is its sentence. */
export class CallRefused extends Error {
  readonly status: number;

  constructor(status: number, detail: string) {
    super(detail);
    this.status = status;
  }
}

/** Calls operations of the api for a message of the chat; throws `CallRefused`. */
export type CallOperation = <Op extends Operation>(operation: Op, parts: Call<Op>) => Promise<Answer<Op>>;

export const callerFor =
  (app: Hono<ApiEnv>, operator: Operator): CallOperation =>
  async (operation, parts) => {
    const { address, init } = requestOf(operation, parts);
    const headers = { ...init.headers, 'user-agent': 'Telegram' };
    const response = await app.request(address, { ...init, headers }, { chatOperator: operator });
    if (response.ok) return readAnswer(operation, await response.text());
    const problem = await readProblem(response);
    throw new CallRefused(response.status, problem?.detail ?? `The api answered ${response.status}.`);
  };
