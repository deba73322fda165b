import type { AccountInput } from '#paper/exchange/accounts.ts';
import { type Limits, openLimits } from '#paper/rest/limits.ts';
import { orderRoutes } from '#paper/rest/order-routes.ts';
import { openParams } from '#paper/rest/params.ts';
import { RefusedError, refusalBody } from '#paper/exchange/refusal.ts';
import { accountRoutes } from '#paper/rest/rest-account.ts';
import { performSigned } from '#paper/rest/rest.ts';
import { openTestExchange, TEST_SYMBOL, type TestExchange } from './test-exchange.ts';
import { tableOf } from '#paper/rest/routes.ts';

interface OrderAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

/** A test exchange with signed routes as over HTTP, without sockets and signatures; `symbol` is filled in. */
export interface RestTestExchange extends TestExchange {
  request(operation: string, params?: Readonly<Record<string, string>>, account?: string): OrderAnswer;
}

export const openRestTestExchange = (accounts?: AccountInput[]): RestTestExchange =>
  withRoutes(openTestExchange(accounts), atOneInstant(openLimits()));

/** Adds the routes of orders and accounts to a test exchange. */
export function withRoutes(exchange: TestExchange, limits: Limits): RestTestExchange {
  const table = tableOf([...orderRoutes(exchange.venue), ...accountRoutes(exchange.venue, limits)]);
  return {
    ...exchange,
    request: (operation, params = {}, account = 'ann') => {
      const [method = '', path = ''] = operation.split(' ');
      const route = table.byPath(method, `/api/v3/${path}`);
      if (route === undefined || route.security === 'none') throw new Error(`there is no signed route ${operation}`);
      const values = openParams(
        new Map(Object.entries(path.endsWith('OrderList') ? params : { symbol: TEST_SYMBOL, ...params })),
      );
      try {
        const done = performSigned(limits, route, { params: values, account: exchange.venue.engine.account(account) });
        return { status: 200, ...done };
      } catch (error) {
        if (!(error instanceof RefusedError)) throw error;
        return { status: error.refusal.status, body: refusalBody(error.refusal), headers: {} };
      }
    },
  };
}

/** Limits whose windows never end, so that no test crosses one. */
const atOneInstant = (limits: Limits): Limits => ({
  ...limits,
  reachedOrderLimit: (account) => limits.reachedOrderLimit(account, 0),
  addOrder: (account) => limits.addOrder(account, 0),
});
