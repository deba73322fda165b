import { OPERATIONS } from '#api/contract/contract.ts';
import type { Operation } from '#api/contract/operation.ts';
import { readTogether } from '#api/contract/reads.ts';
import { ApiProblem, problemBody } from '#api/frame/problem.ts';
import type { Incoming, Routes } from '#api/handle.ts';

/** As many as a browser sends to one host at the same time. */
const AT_ONCE = 6;

const isReadable = ({ method, response, media, gathers }: Operation): boolean =>
  method === 'GET' && response !== undefined && media === undefined && gathers !== true;
const READABLE = OPERATIONS.filter(isReadable).map(
  ({ path }) => new RegExp(`^/api${path.replaceAll('.', '\\.').replaceAll(/:\w+/g, '[^/]+')}$`),
);

/** The address of a path under the API root; undefined when no operation that answers a GET with JSON has it. */
function addressOf(path: string): string | undefined {
  const address = `/api${path}`;
  const parsed = URL.parse(address, 'http://localhost');
  if (parsed === null || !READABLE.some((pattern) => pattern.test(parsed.pathname))) return undefined;
  return parsed.pathname + parsed.search;
}

const NOT_READABLE = {
  status: 404,
  tag: null,
  body: problemBody(new ApiProblem('not_found', 'No operation answers a GET of this path with JSON.')),
};

type Send = Incoming<typeof readTogether>['sendAlone'];

async function answerOf(send: Send, path: string, tag: string | undefined) {
  const address = addressOf(path);
  if (address === undefined) return NOT_READABLE;
  const response = await send(address, tag);
  const text = await response.text();
  const body: unknown = text === '' ? null : JSON.parse(text);
  return { status: response.status, tag: response.headers.get('etag'), body };
}

export function mountReads({ handle }: Routes): void {
  handle(readTogether, async ({ query: { paths, tags = [] }, sendAlone }) => {
    const answers: Awaited<ReturnType<typeof answerOf>>[] = [];
    const waiting = paths.entries();
    const answerInOrder = async (): Promise<void> => {
      for (const [i, path] of waiting) answers[i] = await answerOf(sendAlone, path, tags[i] || undefined);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, answerInOrder));
    return { answers };
  });
}
