import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import type { Operation, Params } from './operations.ts';

/** Base addresses of the exchange under test. */
export interface Venue {
  readonly rest: string;
  readonly ws: string;
}

/** An API key as every client takes it: an HMAC secret, or a private key in PEM form. */
export interface Key {
  readonly kind: 'HMAC' | 'Ed25519' | 'RSA';
  readonly apiKey: string;
  readonly secret: string;
}

export interface Market {
  readonly symbol: string;
  readonly active: boolean;
  readonly tick: number;
  readonly step: number;
  readonly minQuantity: number;
  readonly maxQuantity: number;
  readonly minNotional: number;
}

/** An order in the exchange's own words; GTC where its type wants a time and none is named. */
export interface OrderInput {
  readonly side: 'BUY' | 'SELL';
  readonly type:
    | 'LIMIT'
    | 'LIMIT_MAKER'
    | 'MARKET'
    | 'STOP_LOSS'
    | 'STOP_LOSS_LIMIT'
    | 'TAKE_PROFIT'
    | 'TAKE_PROFIT_LIMIT';
  readonly timeInForce?: 'GTC' | 'IOC' | 'FOK';
  readonly quantity?: string;
  readonly quoteOrderQty?: string;
  readonly price?: string;
  readonly stopPrice?: string;
  readonly trailingDelta?: number;
}

/** An order with the exchange's own words for status, side and type. */
export interface OrderSeen {
  readonly id: string;
  readonly clientId: string;
  readonly status: string;
  readonly side: string;
  readonly type: string;
  readonly quantity: number;
  readonly executed: number;
  readonly quote: number;
}

export interface FillSeen {
  readonly quantity: number;
  readonly price: number;
  readonly quote: number;
  readonly fee: number;
  readonly feeAsset: string;
}

export interface BookSeen {
  readonly lastUpdateId: number;
  readonly bids: readonly (readonly [number, number])[];
  readonly asks: readonly (readonly [number, number])[];
}

/** Follows something and waits for the first thing seen since that fits. */
export interface Feed<Seen> {
  next(fits: (seen: Seen) => boolean): Promise<Seen>;
}

/** Operations of all stock clients, each implemented its own way; everything for the coin BTCUSDT. */
export interface StockClient extends AsyncDisposable {
  loadMarkets(): Promise<readonly Market[]>;
  /** Sends an operation as it is and returns the exchange's own JSON. */
  send(operation: Operation, params?: Params): Promise<unknown>;
  place(input: OrderInput): Promise<OrderSeen>;
  /** Over the WebSocket API: each request is signed, or the session is where the key can log on. */
  placeBySocket(order: OrderInput): Promise<OrderSeen>;
  find(id: string): Promise<OrderSeen>;
  cancel(id: string): Promise<OrderSeen>;
  listOpen(): Promise<readonly OrderSeen[]>;
  listFills(orderId: string): Promise<readonly FillSeen[]>;
  freeBalance(asset: string): Promise<number>;
  /** The exchange's error code in the error of a rejected call. */
  codeOf(error: unknown): number | undefined;
  /** How the client reports a failure: the name of its error and the code, as far as it has them. */
  reportedAs(error: unknown): string;
  /** The weight that its address has used this minute, from the last answer. */
  usedWeight(): number;
  followOrders(): Promise<Feed<OrderSeen>>;
  followTrades(): Promise<Feed<{ readonly price: number; readonly quantity: number }>>;
  followCandles(): Promise<Feed<{ readonly openMs: number; readonly close: number }>>;
  followTicker(): Promise<Feed<{ readonly last: number; readonly high: number; readonly low: number }>>;
  /** A local order book that follows the exchange. */
  followBook(): Promise<Feed<BookSeen>>;
}

/** The packages are large and not ours: they are there where install.ts has run. */
export const areInstalled = ['ccxt', '@binance/spot', 'binance'].every((name) =>
  existsSync(join(import.meta.dirname, 'node_modules', name, 'package.json')),
);
export const NOT_INSTALLED =
  'the stock clients are not installed: node cli/tradewind.js node test/clients/install.ts brings them';

/** Loads a package that may be absent, so that nothing here names it in an import; the caller says what it offers. */
export async function loadPackage<Offer>(name: string): Promise<Offer> {
  return z.custom<Offer>((value) => typeof value === 'object' && value !== null).parse(await import(name));
}

/** Longer than any client needs for what has been sent, however busy the machine is. */
export const PATIENCE_MS = 30_000;

/** Keeps values until a caller reads them. */
export function openFeed<Seen>(): Feed<Seen> & { push(seen: Seen): void } {
  let waiting: { readonly fits: (seen: Seen) => boolean; readonly resolve: (seen: Seen) => void }[] = [];
  let unread: Seen[] = [];
  let last: Seen | undefined;
  return {
    push: (seen) => {
      last = seen;
      const taker = waiting.find((one) => one.fits(seen));
      if (taker === undefined) unread.push(seen);
      waiting = waiting.filter((one) => one !== taker);
      taker?.resolve(seen);
    },
    next: (fits) => {
      const at = unread.findIndex(fits);
      const found = unread[at];
      unread = unread.slice(at + 1);
      if (found !== undefined) return Promise.resolve(found);
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          const seen = last === undefined ? 'nothing at all' : JSON.stringify(last).slice(0, 200);
          reject(new Error(`Nothing that fits came in ${PATIENCE_MS} ms; the last the client saw was ${seen}.`));
        }, PATIENCE_MS);
        waiting.push({ fits, resolve: (seen) => (clearTimeout(timer), resolve(seen)) });
      });
    },
  };
}
