import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { openBinanceClient } from './binance-client.ts';
import { openCcxtClient } from './ccxt-client.ts';
import { EXCEPTIONS, type Operation } from './operations.ts';
import { openSpotClient } from './spot-client.ts';
import { KEYS, openExchange, type ClientExchange } from './client-exchange.ts';
import { areInstalled, type Key, NOT_INSTALLED, type StockClient, type Venue } from './stock-client.ts';

const CLIENTS: Readonly<Record<string, (venue: Venue, key: Key) => Promise<StockClient>>> = {
  ccxt: openCcxtClient,
  '@binance/spot': openSpotClient,
  binance: openBinanceClient,
};
export const symbol = 'BTCUSDT';

if (!areInstalled) void test('the stock clients', { skip: NOT_INSTALLED }, () => undefined);

interface Cast {
  readonly client: StockClient;
  readonly exchange: ClientExchange;
  /** Name of the client, and the account it trades for. */
  readonly who: string;
  readonly account: Key['kind'];
}
interface Casting {
  readonly kinds?: readonly Key['kind'][];
}

/** One scenario, run by every client with every kind of key, each on a paper exchange of its own. */
export function scenario(name: string, run: (cast: Cast) => Promise<void>, casting: Casting = {}): void {
  const { kinds = ['HMAC', 'Ed25519'] } = casting;
  for (const [who, open] of areInstalled ? Object.entries(CLIENTS) : [])
    for (const account of kinds)
      void test(`${who} (${account}): ${name}`, { timeout: 120_000 }, async () => {
        await using exchange = await openExchange();
        await using client = await open(exchange.venue, KEYS[account]);
        await run({ client, exchange, who, account });
      });
}

export const isLacking = (who: string, operation: Operation): boolean => EXCEPTIONS[who]?.[operation] !== undefined;

const tops = z.object({ bidPrice: z.coerce.number(), askPrice: z.coerce.number() });
export async function topOf(client: StockClient): Promise<{ bid: number; ask: number }> {
  const { bidPrice, askPrice } = tops.parse(await client.send('bookTicker', { symbol }));
  assert.ok(askPrice > bidPrice);
  return { bid: bidPrice, ask: askPrice };
}

/** The error of a rejected call; undefined for one that succeeds. */
export async function errorOf(call: Promise<unknown>): Promise<unknown> {
  const error: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  assert.ok(error !== undefined, 'the call was to be refused');
  return error;
}

export const codeOf = async (client: StockClient, call: Promise<unknown>): Promise<number | undefined> =>
  client.codeOf(await errorOf(call));
