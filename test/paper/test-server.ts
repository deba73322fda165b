import { type AccountInput, parseAccounts } from '#paper/exchange/accounts.ts';
import type { PaperOptions } from '#paper/options.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';

export const TEST_SERVER_START_MS = Date.UTC(2026, 2, 3);

/** A paper exchange for tests on free ports: a synthetic market that moves only on request. */
export const startTestServer = (
  accounts: readonly AccountInput[],
  more: Partial<PaperOptions> = {},
  log?: (line: string) => void,
): Promise<PaperExchange> =>
  startPaper(
    {
      ...{ port: 0, controlPort: 0, speed: 1, seed: 1 },
      accounts: parseAccounts(accounts),
      source: { kind: 'synthetic' },
      clock: { kind: 'virtual', startMs: TEST_SERVER_START_MS },
      ...more,
    },
    log,
  );

/** Sends a request to the control plane. Throws unless it succeeds. */
export async function control(
  { controlUrl, controlHeaders: headers }: PaperExchange,
  request: string,
  body?: unknown,
): Promise<unknown> {
  const [method = 'GET', path] = request.split(' ');
  const sent = { method, headers, body: JSON.stringify(body) ?? null };
  const response = await fetch(`${controlUrl}${path}`, sent);
  if (!response.ok) throw new Error(`${request} was answered with ${response.status}: ${await response.text()}`);
  return response.json();
}
