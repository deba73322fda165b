import { readAction } from '#api/contract/actions.ts';
import { detectOrphanOrders, listOrphanOrders } from '#api/contract/orphans.ts';
import type { Answer } from '#api/contract/operation.ts';
import { type Decimal, floorToStep, formatDecimal, multiply, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { clientOrderIdOf, type OrderPurpose } from '#core/order/order.ts';
import { createMarketReader } from '#exchange/read.ts';
import { createSigner } from '#exchange/signing.ts';
import { isOpen } from '#paper/exchange/order.ts';
import { KEY, type Stack } from './stack.ts';
import { until } from './until.ts';

type Orphans = Answer<typeof listOrphanOrders>['orphans'];
type Params = Readonly<Record<string, string>>;

/** Another program that trades on the account: its orders are unknown to this service. */
export interface Hands {
  /** A price on the grid, as a share of the one now. */
  at(share: string, symbol?: string): Promise<string>;
  send(path: string, params: Params): Promise<void>;
  /** A buy that rests far below the price. */
  restBuy(clientOrderId: string, symbol?: string): Promise<void>;
}

/** That program next to a paper exchange in this process. */
export interface Outside extends Hands {
  /** Client ids of the resting orders. */
  resting(): string[];
}

const TICK = requireDecimal('0.01');

/** Signs for the account whose key it is, at the paper exchange of that address. */
export function openHands(restUrl: string, key: Readonly<{ apiKey: string; secret: string }>): Hands {
  const market = createMarketReader({ restUrl });
  const signer = createSigner(key);
  const hands: Hands = {
    async at(share, symbol = 'BTCUSDT') {
      const price: Decimal = multiply(await market.price(symbol), requireDecimal(share));
      return formatDecimal(floorToStep(price, TICK));
    },
    async send(path, params) {
      await market.clock.sync();
      const { query, headers } = signer.signQuery({ ...params, timestamp: market.clock.protocolMs() });
      const reply = await fetch(`${restUrl}/api/v3/${path}?${query}`, { method: 'POST', headers });
      if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${await reply.text()}`);
    },
    async restBuy(newClientOrderId, symbol = 'BTCUSDT') {
      const limit = { side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.01' };
      await hands.send('order', { symbol, ...limit, price: await hands.at('0.85', symbol), newClientOrderId });
    },
  };
  return hands;
}

export const openOutside = ({ paper }: Stack): Outside => ({
  ...openHands(paper.url, KEY),
  resting: () => [...paper.venue.engine.orders.byId.values()].filter(isOpen).map((order) => order.clientOrderId),
});

/** The id that a profile gives to one of its orders. */
export const ownId = (profileId: ProfileId, purpose: OrderPurpose, symbol = 'BTCUSDT'): string =>
  clientOrderIdOf({ profileId, symbol, purpose, sequence: 900 });

interface RequestedAction {
  readonly actionId: string | null;
}

/** The outcome of an action. */
export const outcomeOf = ({ call, accountId: own }: Stack, { actionId }: RequestedAction, accountId: AccountId = own) =>
  until('the outcome of an action', async () => {
    const params = { id: accountId, actionId: actionId ?? '' };
    const action = await call(readAction, { params });
    return action.finishedAt !== null && action;
  });

/** Makes the worker search, and lists its findings. */
export async function detect(stack: Stack, id: AccountId = stack.accountId): Promise<Orphans> {
  const params = { id };
  await outcomeOf(stack, await stack.call(detectOrphanOrders, { params }), id);
  return (await stack.call(listOrphanOrders, { params })).orphans;
}
