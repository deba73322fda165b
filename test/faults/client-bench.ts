import { z } from 'zod';
import { add, type Decimal, floorToStep, multiply, requireDecimal } from '#core/amount/decimal.ts';
import { clientOrderIdOf, listIdOf, type OrderDraft, targetIdOf } from '#core/order/order.ts';
import type { ListRequest, MarketPort, PlaceRequest, TradingPort } from '#core/ports/exchange.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { control } from '#test/paper/test-server.ts';

export const SYMBOL = 'BTCUSDT';

const logged = z.array(
  z.object({ method: z.string(), path: z.string(), headers: z.array(z.string()), params: z.array(z.string()) }),
);
type Link = Parameters<typeof createTrading>[0];

/** A price on the grid of the coin where the market makers show no volume, so that an order there is the first in its queue. */
const priceAt = (price: Decimal, share: string): Decimal =>
  add(floorToStep(multiply(price, requireDecimal(share)), requireDecimal('0.1')), requireDecimal('0.03'));

/** The client of the exchange, connected to a paper exchange with an account for each name. */
export interface ClientBench extends AsyncDisposable {
  readonly paper: PaperExchange;
  readonly market: MarketPort;
  control(request: string, body?: unknown): Promise<unknown>;
  /** Requests since the log was cleared. */
  log(): Promise<z.output<typeof logged>>;
  keyOf(name: string): { readonly apiKey: string; readonly secret: string };
  /** A client with separate limits: a limit that a fault set for one must not affect the next. */
  connect(name: string, changes?: Partial<Link>): TradingPort;
  /** An order with an id of its own: a limit buy at a share of the price, or that draft. */
  requestOf(draft: string | Partial<OrderDraft>): Promise<PlaceRequest>;
  /** A list that sells at shares of the price: a stop below and a target above. */
  listOf(): Promise<ListRequest>;
  /** State of an order, or that it is absent or unreadable. */
  stateOf(trading: TradingPort, clientOrderId: string): Promise<string>;
}

export async function openClient(names: readonly string[]): Promise<ClientBench> {
  const keyOf = (name: string) => ({ apiKey: `key of ${name}`.replaceAll(/\W/g, '-'), secret: `secret of ${name}` });
  const rows = names.map((name) => ({ name, ...keyOf(name), balances: { USDT: '10000', BTC: '1' } }));
  const accounts = parseAccounts(rows, 'The accounts of the test');
  const places = { source: { kind: 'synthetic' }, clock: { kind: 'real' }, port: 0, controlPort: 0 } as const;
  const paper = await startPaper({ ...places, accounts, speed: 1, seed: 5 });
  const market = createMarketReader({ restUrl: paper.url, limiter: createRateLimiter() });
  await market.clock.sync();
  let sequence = 0;
  return {
    ...{ paper, market, keyOf },
    control: (request, body) => control(paper, request, body),
    log: async () => logged.parse(await control(paper, 'GET /log')),
    connect: (name, changes) =>
      createTrading({
        ...{ ...keyOf(name), restUrl: paper.url, clock: market.clock, limiter: createRateLimiter() },
        ...changes,
      }),
    async requestOf(draft) {
      const share = typeof draft === 'string' ? draft : '1';
      const price = priceAt(await market.price(SYMBOL), share);
      const limit = { form: { type: 'limit', price } } as const;
      const given = typeof draft === 'string' ? limit : draft;
      const order = orderOf({ symbol: SYMBOL, quantity: requireDecimal('0.002'), ...given });
      const { profileId, symbol, purpose } = order;
      const clientOrderId = clientOrderIdOf({ profileId, symbol, purpose, sequence: ++sequence });
      return { order, clientOrderId, sendBeforeMs: market.clock.protocolMs() + 60_000, halted: () => false };
    },
    async listOf() {
      const price = await market.price(SYMBOL);
      const at = (share: string) => priceAt(price, share);
      const draft = { symbol: SYMBOL, quantity: requireDecimal('0.002'), side: 'sell' } as const;
      const below = { type: 'stop-loss-limit', stopPrice: at('0.8'), price: at('0.79') } as const;
      const stop = orderOf({ ...draft, purpose: 'stop', form: below });
      const target = orderOf({ ...draft, purpose: 'target', form: { type: 'limit', price: at('1.2'), maker: true } });
      const { profileId, symbol } = stop;
      const clientOrderId = clientOrderIdOf({ profileId, symbol, purpose: 'stop', sequence: ++sequence });
      return {
        stop: { order: stop, clientOrderId },
        target: { order: { ...target, profileId }, clientOrderId: targetIdOf(clientOrderId) },
        ...{ listId: listIdOf(clientOrderId), sendBeforeMs: market.clock.protocolMs() + 60_000, halted: () => false },
      };
    },
    async stateOf(trading, clientOrderId) {
      const lookup = await trading.findOrder(SYMBOL, { clientOrderId });
      return lookup.kind === 'found' ? lookup.order.state : lookup.kind;
    },
    [Symbol.asyncDispose]: () => paper[Symbol.asyncDispose](),
  };
}
