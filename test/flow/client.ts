import type { Answer, Call, Operation } from '#api/contract/operation.ts';

/** Parts of a call; the contract defines which of them an operation takes. */
interface Parts {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
}

/** The api as the web app calls it, with the cookie of its session. */
export interface ApiClient {
  call<Op extends Operation>(operation: Op, given: Call<Op> & Parts): Promise<Answer<Op>>;
  /** The response as it came over the wire. */
  fetch(path: string): Promise<Response>;
  /** The cookie of its session, as a browser would send it. */
  cookie(): string;
}

/** `always` are headers of every request. */
export function createClient(base: string, always: Readonly<Record<string, string>> = {}): ApiClient {
  let cookie = '';
  const send = async (method: string, path: string, body?: unknown): Promise<Response> => {
    const headers = { 'x-tradewind-client': '1', 'content-type': 'application/json', cookie, ...always };
    const init = body === undefined ? { method, headers } : { method, headers, body: JSON.stringify(body) };
    const response = await fetch(`${base}${path}`, init);
    cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? cookie;
    return response;
  };
  return {
    fetch: (path) => send('GET', path),
    cookie: () => cookie,
    async call(operation, given) {
      const parts: Parts = given;
      const filled = operation.path.replace(/:(\w+)/g, (_all, name: string) => parts.params?.[name] ?? '');
      const query =
        parts.query === undefined
          ? ''
          : `?${new URLSearchParams(Object.entries(parts.query).map(([name, value]) => [name, String(value)]))}`;
      const response = await send(operation.method, filled + query, parts.body);
      const text = await response.text();
      if (!response.ok) throw new Error(`${operation.method} ${filled} answered ${response.status}: ${text}`);
      return answerOf(operation, text);
    },
  };
}

/** The answer of an operation as it was sent, checked against the contract; the schema is what gives it its type. */
function answerOf<Op extends Operation>(operation: Op, text: string): Answer<Op> {
  const sent: unknown = text === '' ? undefined : JSON.parse(text);
  operation.response?.parse(sent);
  return sent as Answer<Op>;
}
