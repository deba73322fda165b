/** What came back; `cut` where there was more than was allowed, and the rest was not read. */
interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly cut: boolean;
}

export interface Outgoing {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

interface Patience {
  readonly timeoutMs: number;
  /** Ends the wait earlier, because the process stops. */
  readonly signal?: AbortSignal | undefined;
  readonly mostBytes: number;
}

/** Sends JSON and reads the answer, as long and as far as is allowed; whatever goes wrong is a sentence. */
export async function postJson(
  { url, headers, body }: Outgoing,
  patience: Patience,
): Promise<Answered | { readonly kind: 'failed'; readonly detail: string }> {
  const { timeoutMs, signal, mostBytes } = patience;
  const { host } = new URL(url);
  const late = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
      // A redirect would take what is sent, and its secrets, to somebody else.
      redirect: 'manual',
      signal: signal === undefined ? late : AbortSignal.any([late, signal]),
    });
    const read = await readAtMost(response, mostBytes);
    return { kind: 'answered', status: response.status, headers: response.headers, ...read };
  } catch (error) {
    if (signal?.aborted === true) return { kind: 'failed', detail: `${host} was not waited for: the process stops` };
    return { kind: 'failed', detail: `${host} could not be reached: ${causeOf(error, timeoutMs)}` };
  }
}

async function readAtMost({ body }: Response, most: number): Promise<{ text: string; cut: boolean }> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  // Leaving the loop cancels the rest, compressed or not.
  for await (const chunk of body ?? []) {
    size += chunk.byteLength;
    chunks.push(chunk);
    if (size > most) break;
  }
  return { text: Buffer.concat(chunks).subarray(0, most).toString('utf8'), cut: size > most };
}

function causeOf(error: unknown, timeoutMs: number): string {
  if (!(error instanceof Error)) return 'unknown cause';
  if (error.name === 'TimeoutError') return `no answer within ${timeoutMs / 1000} seconds`;
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.name;
}
