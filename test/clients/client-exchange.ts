import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { z } from 'zod';
import { parseAccounts } from '../../paper/exchange/accounts.ts';
import type { PaperOptions } from '../../paper/options.ts';
import { type PaperExchange, startPaper } from '../../paper/server.ts';
import { control as askControl } from '../paper/test-server.ts';
// This folder is a separate package, in which the import names of the rooms are not defined.
import { type Key, PATIENCE_MS, type Venue } from './stock-client.ts';

/** A paper exchange for one client: by default its market moves only while a test waits. */
export interface ClientExchange extends AsyncDisposable {
  readonly venue: Venue;
  readonly paper: PaperExchange;
  control(request: string, body?: unknown): Promise<unknown>;
  /** Runs the market until the promise is settled. */
  whileTrading<Value>(awaited: Promise<Value>): Promise<Value>;
  /** Waits until the exchange has seen an operation of the WebSocket API. */
  untilCalled(...methods: string[]): Promise<void>;
}

const STEP_MS = 500;
const DAY_MS = 86_400_000;
const seenCalls = z.array(z.object({ method: z.string(), path: z.string(), status: z.number() }));

const ed25519 = generateKeyPairSync('ed25519');
const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 });
const publicPem = ({ publicKey }: KeyPairKeyObjectResult): string =>
  publicKey.export({ type: 'spki', format: 'pem' }).toString();
const privatePem = ({ privateKey }: KeyPairKeyObjectResult): string =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
/** Every account has the name of its kind of key. */
export const KEYS: Readonly<Record<Key['kind'], Key>> = {
  HMAC: { kind: 'HMAC', apiKey: 'hmac-key', secret: 'hmac-secret' },
  Ed25519: { kind: 'Ed25519', apiKey: 'ed25519-key', secret: privatePem(ed25519) },
  RSA: { kind: 'RSA', apiKey: 'rsa-key', secret: privatePem(rsa) },
};

/** `more` replaces options, such as the clock. */
export async function openExchange(more: Partial<PaperOptions> = {}): Promise<ClientExchange> {
  const balances = { USDT: '100000', BTC: '1', BNB: '0' };
  const paper = await startPaper({
    port: 0,
    controlPort: 0,
    accounts: parseAccounts([
      { name: 'HMAC', apiKey: KEYS.HMAC.apiKey, secret: KEYS.HMAC.secret, balances },
      { name: 'Ed25519', apiKey: KEYS.Ed25519.apiKey, publicKeyPem: publicPem(ed25519), balances },
      { name: 'RSA', apiKey: KEYS.RSA.apiKey, publicKeyPem: publicPem(rsa), balances },
    ]),
    source: { kind: 'synthetic' },
    speed: 1,
    seed: 1,
    // Within the last day, so that no client finds its orders too old or in the future.
    clock: { kind: 'virtual', startMs: Date.now() - DAY_MS / 2 },
    ...more,
  });
  const control = (request: string, body?: unknown): Promise<unknown> => askControl(paper, request, body);
  const untilCalled = async (...methods: string[]): Promise<void> => {
    const deadlineMs = Date.now() + PATIENCE_MS;
    for (;;) {
      if (Date.now() > deadlineMs)
        throw new Error(`The client did not call ${methods.join(' or ')} in ${PATIENCE_MS} ms.`);
      const calls = seenCalls.parse(await control('GET /log'));
      if (calls.some((one) => one.method === 'WS' && methods.includes(one.path) && one.status === 200)) return;
    }
  };
  return {
    venue: { rest: paper.url, ws: paper.wsUrl },
    paper,
    control,
    untilCalled,
    whileTrading: async (awaited) => {
      let isSettled = false;
      const settled = awaited.finally(() => {
        isSettled = true;
      });
      settled.catch(() => undefined);
      while (!isSettled) {
        await control('POST /clock/advance', { ms: STEP_MS });
        // Sockets and timers of the client get their turn between two steps.
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      return settled;
    },
    [Symbol.asyncDispose]: () => paper[Symbol.asyncDispose](),
  };
}
