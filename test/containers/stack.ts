import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { clientOf, type Key } from '#test/paper/client.ts';
import { freePort } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { must, run } from './command.ts';
import { ADDRESS, ENGINE_ENV } from './engine.ts';

/** The account of deploy/compose.yaml on its paper exchange. */
export const PAPER_KEY: Key & { readonly secret: string } = {
  apiKey: 'paper-account-of-compose',
  secret: 'paper-secret-of-compose',
};
const openOrders = z.array(z.looseObject({ orderId: z.number(), type: z.string(), side: z.string() }));
type OpenOrder = z.infer<typeof openOrders>[number];

/** deploy/compose.yaml of one checkout as a running stack. */
export interface ComposeStack extends AsyncDisposable {
  readonly url: string;
  /** Text of a document, typed into the checkout, whose commit this is. */
  type(text: string, commit: string): Promise<string>;
  /** `docker compose -f deploy/compose.yaml …`, with these variables in addition. */
  compose(args: readonly string[], env?: Readonly<Record<string, string>>): Promise<string>;
  /** Address of a service inside the network of Compose, which root reaches from the machine. Throws when it does not run. */
  addressOf(service: string): Promise<string>;
}

/**
 * The stack of this checkout, on a free port; nothing is started. `settings` are those of deploy/.env, where no file has
 * them. Disposing removes its containers, network and data.
 */
export async function openStack(
  checkout: string,
  settings: Readonly<Record<string, string>> = {},
): Promise<ComposeStack> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const base = { ...ENGINE_ENV, ...settings, PUBLISH: `127.0.0.1:${port}` };
  const words = ['docker', 'compose', '--progress=plain', '-f', join(checkout, 'deploy', 'compose.yaml')];
  const compose: ComposeStack['compose'] = (args, env = {}) =>
    must([...words, ...args], { cwd: checkout, env: { ...base, ...env } });
  return {
    url,
    compose,
    type: (text, commit) => {
      const typed = text.replaceAll('$(git rev-parse HEAD)', commit);
      return must(['bash', '-euo', 'pipefail', '-c', typed], { cwd: checkout, env: base });
    },
    async addressOf(service) {
      const id = await compose(['ps', '--quiet', service]);
      if (id === '') throw new Error(`${service} does not run`);
      return must(['docker', 'inspect', '--format', ADDRESS, id], { env: ENGINE_ENV });
    },
    async [Symbol.asyncDispose]() {
      await run([...words, 'down', '--volumes', '--timeout', '5'], { env: base });
    },
  };
}

/** Brings a checkout to this commit, without its repository; what lies in it besides stays. */
export async function checkOut(commit: string, folder: string): Promise<void> {
  mkdirSync(folder, { recursive: true });
  const archive = `${folder}.tar`;
  await must(['git', 'archive', '--output', archive, commit], { cwd: ROOT });
  await must(['tar', '--extract', '--no-same-owner', '--file', archive, '--directory', folder]);
  rmSync(archive);
}

/** An account of the paper exchange, and a coin. */
interface CoinOf {
  readonly key?: Key;
  readonly symbol?: string;
}

/** Open orders on the paper exchange at this address; undefined while it does not answer. */
export async function openOrdersAt(
  address: string,
  { key = PAPER_KEY, symbol = 'BTCUSDT' }: CoinOf = {},
): Promise<OpenOrder[] | undefined> {
  const client = clientOf(`http://${address}:18080`);
  const answer = await client('GET /api/v3/openOrders', { symbol }, key).catch(() => undefined);
  return answer?.status === 200 ? openOrders.parse(answer.body) : undefined;
}

/** Every order that the account has placed for the coin, as its time in ms. */
export async function orderTimesAt(
  address: string,
  { key = PAPER_KEY, symbol = 'BTCUSDT' }: CoinOf = {},
): Promise<number[]> {
  const client = clientOf(`http://${address}:18080`);
  const { body } = await client('GET /api/v3/allOrders', { symbol, limit: '1000' }, key);
  return z
    .array(z.looseObject({ time: z.number() }))
    .parse(body)
    .map(({ time }) => time);
}

/** How many orders the account has ever placed for the coin. */
export const ordersAt = async (address: string, of: CoinOf = {}): Promise<number> =>
  (await orderTimesAt(address, of)).length;

/** The price of the coin there. */
export async function priceAt(address: string, symbol = 'BTCUSDT'): Promise<number> {
  const { body } = await clientOf(`http://${address}:18080`)('GET /api/v3/ticker/price', { symbol });
  return Number(z.object({ price: z.string() }).parse(body).price);
}
