import { readAnswer, readProblem, requestOf } from './client.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import type { Problem } from '#api/contract/problem.ts';
import { signIn } from '#api/contract/session.ts';

export interface Credentials {
  readonly email: string;
  readonly password: string;
}

export interface ClientOptions {
  /** Address of Tradewind, such as `http://127.0.0.1:8080`, without `/api`. */
  readonly url: string;
  /** An API token. With one, the client never signs in. */
  readonly token?: string | undefined;
  /** Requested when an operation needs a session and none is valid. */
  readonly credentials?: () => Credentials | Promise<Credentials>;
  /** An earlier session, as `onSession` received it. */
  readonly session?: string | undefined;
  /** Called with each new session. A session grants the same access as the password until it ends. */
  readonly onSession?: (session: string) => void;
}

export interface Client {
  /** One operation of `tradewind/contract/*`, such as `call(listProfiles, {})`; rejects with ClientProblem. */
  call<Op extends Operation>(operation: Op, parts: Call<Op>): Promise<Answer<Op>>;
  /** The response of an operation that answers with a file, such as an export; the caller reads its body. */
  open<Op extends Operation>(operation: Op, parts: Call<Op>): Promise<Response>;
}

/** Why a call failed: a sentence, and the problem that the api returned, if any. */
export class ClientProblem extends Error {
  readonly problem: Problem | undefined;
  constructor(message: string, problem?: Problem) {
    super(message);
    this.name = 'ClientProblem';
    this.problem = problem;
  }
}

/** A typed client for programs: it checks each answer against the contract, and signs in automatically. */
export function createClient(options: ClientOptions): Client {
  const url = options.url.replace(/\/+$/, '');
  let session = options.session;

  const send = async <Op extends Operation>(operation: Op, parts: Call<Op>): Promise<Response> => {
    const { address, init } = requestOf(operation, parts);
    const identity =
      options.token !== undefined
        ? { authorization: `Bearer ${options.token}` }
        : session === undefined
          ? {}
          : { cookie: session };
    const headers = { ...init.headers, ...identity };
    return fetch(`${url}${address}`, { ...init, headers }).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? ` (${error.cause.message})` : '';
      throw new ClientProblem(`No server answers at ${url}${cause}: check that Tradewind runs there.`);
    });
  };

  const startSession = async (credentials: Credentials): Promise<void> => {
    session = undefined;
    const response = await send(signIn, { body: credentials });
    if (!response.ok) throw await toClientProblem(response);
    session = response.headers.getSetCookie()[0]?.split(';')[0];
    if (session === undefined) throw new ClientProblem('The api has started no session.');
    options.onSession?.(session);
  };

  const open = async <Op extends Operation>(operation: Op, parts: Call<Op>): Promise<Response> => {
    let response = await send(operation, parts);
    const { credentials, token } = options;
    if (response.status === 401 && operation.auth === 'session' && credentials !== undefined && token === undefined) {
      await response.body?.cancel();
      await startSession(await credentials());
      response = await send(operation, parts);
    }
    if (!response.ok) throw await toClientProblem(response);
    return response;
  };
  return { open, call: async (operation, parts) => readAnswer(operation, await (await open(operation, parts)).text()) };
}

async function toClientProblem(response: Response): Promise<ClientProblem> {
  const problem = await readProblem(response);
  if (problem !== undefined) return new ClientProblem(problem.detail, problem);
  return new ClientProblem(`The server answered ${response.status}, but not as Tradewind does: check the address.`);
}
