import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { z } from 'zod';
import { requestOf } from '#api/client.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import { problemSchema } from '#api/contract/problem.ts';
import { signIn } from '#api/contract/session.ts';

/** What stops a command: a sentence for the one who typed it. */
export class RemoteProblem extends Error {}

export interface LinkOptions {
  readonly url: string;
  /** Where the sessions of this user are kept, readable by nobody else. */
  readonly home: string;
  readonly email: string | undefined;
  readonly password: string | undefined;
}

const sessions = z.record(z.string(), z.string());
const fileOf = (home: string): string => join(home, '.tradewind', 'sessions.json');

function readSessions(home: string): Record<string, string> {
  try {
    return sessions.parse(JSON.parse(readFileSync(fileOf(home), 'utf8')));
  } catch {
    return {};
  }
}

function keepSession({ home, url }: LinkOptions, cookie: string): void {
  mkdirSync(dirname(fileOf(home)), { recursive: true, mode: 0o700 });
  writeFileSync(fileOf(home), JSON.stringify({ ...readSessions(home), [url]: cookie }), { mode: 0o600 });
}

async function ask(question: string): Promise<string> {
  if (!process.stdin.isTTY)
    throw new RemoteProblem('Sign in first: set TRADEWIND_EMAIL and TRADEWIND_PASSWORD, or run it in a terminal.');
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await lines.question(question);
  } finally {
    lines.close();
  }
}

/** Calls operations of a running api, signed in as its operator. */
export class Link {
  readonly #options: LinkOptions;
  #cookie: string | undefined;

  constructor(options: LinkOptions) {
    this.#options = options;
    this.#cookie = readSessions(options.home)[options.url];
  }

  /** Throws RemoteProblem with the words of the api. */
  async call<Op extends Operation>(op: Op, parts: Call<Op>): Promise<Answer<Op>> {
    let response = await this.#send(op, parts);
    if (response.status === 401 && op.auth === 'session') {
      await this.#signIn();
      response = await this.#send(op, parts);
    }
    if (!response.ok) throw new RemoteProblem(await wordsOf(response));
    const answer: unknown = response.status === 204 ? undefined : await response.json();
    // Parsed with the schema that the type is derived from.
    return (op.response === undefined ? answer : op.response.parse(answer)) as Answer<Op>;
  }

  async #send<Op extends Operation>(op: Op, parts: Call<Op>): Promise<Response> {
    const { address, init } = requestOf(op, parts);
    const headers = { ...init.headers, ...(this.#cookie === undefined ? {} : { cookie: this.#cookie }) };
    return fetch(`${this.#options.url}${address}`, { ...init, headers }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
      throw new RemoteProblem(
        `Nothing answers at ${this.#options.url}${cause}: is Tradewind running there? See --url.`,
      );
    });
  }

  async #signIn(): Promise<void> {
    const email = this.#options.email ?? (await ask('E-mail: '));
    const password = this.#options.password ?? (await ask('Password (it is shown): '));
    this.#cookie = undefined;
    const response = await this.#send(signIn, { body: { email, password } });
    if (!response.ok) throw new RemoteProblem(await wordsOf(response));
    const cookie = response.headers.getSetCookie()[0]?.split(';')[0];
    if (cookie === undefined) throw new RemoteProblem('The api has started no session.');
    this.#cookie = cookie;
    keepSession(this.#options, cookie);
  }
}

async function wordsOf(response: Response): Promise<string> {
  const text = await response.text();
  try {
    return problemSchema.parse(JSON.parse(text)).detail;
  } catch {
    return `The answer was ${response.status}, and it is not one of Tradewind: is --url right?`;
  }
}
