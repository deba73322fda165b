import type { Account } from '#paper/exchange/accounts.ts';
import type { Params } from './params.ts';
import type { Refusal } from '#paper/exchange/refusal.ts';
import type { Security } from './security.ts';

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The name of the operation in the WebSocket API; empty if it has none. */
  readonly wsMethod: string;
  readonly weight: number | ((params: Params) => number);
}

/** An operation without authentication. */
export interface PublicRoute extends RouteBase {
  readonly security: 'none';
  /** May return a promise. */
  readonly handle: (params: Params) => unknown;
}

/** A signed operation. `freeWhenDone`: its weight is charged only if it fails. */
export interface SignedRoute extends RouteBase {
  readonly security: Exclude<Security, 'none'>;
  readonly freeWhenDone?: true;
  /** Counts against the account's order limits. */
  readonly placesOrder?: true;
  /** The number of orders that it counts as; 1 if absent. */
  readonly orderCount?: number;
  readonly handle: (params: Params, account: Account) => unknown;
  /** The handler for the WebSocket API, if its answer differs from REST. */
  readonly wsHandle?: (params: Params, account: Account) => unknown;
  /** Replaces the placement when the account has reached its order limit. It always throws. */
  readonly whenLimited?: (params: Params, account: Account, refusal: Refusal) => never;
}

export type Route = PublicRoute | SignedRoute;

/** Path below /api/v3, name in the WebSocket API, and weight. */
type RouteName = readonly [path: string, wsMethod: string, weight: RouteBase['weight']];

/** A query without authentication. `source` is the venue or another source of its answer. */
export const publicQuery = <Source>(
  source: Source,
  [path, wsMethod, weight]: RouteName,
  answer: (source: Source, params: Params) => unknown,
): PublicRoute => ({
  ...{ method: 'GET', path: `/api/v3/${path}`, wsMethod, weight, security: 'none' },
  handle: (params) => answer(source, params),
});

/** A query of an account. */
export const accountQuery = <Source>(
  source: Source,
  [path, wsMethod, weight]: RouteName,
  answer: (source: Source, params: Params, account: Account) => unknown,
): SignedRoute => ({
  ...{ method: 'GET', path: `/api/v3/${path}`, wsMethod, weight, security: 'read' },
  handle: (params, account) => answer(source, params, account),
});

export interface RouteTable {
  byPath(method: string, path: string): Route | undefined;
  byWsMethod(method: string): Route | undefined;
}

export function tableOf(routes: readonly Route[]): RouteTable {
  const byPath = new Map(routes.map((route) => [`${route.method} ${route.path}`, route]));
  const byMethod = new Map(routes.filter((route) => route.wsMethod !== '').map((route) => [route.wsMethod, route]));
  return {
    byPath: (method, path) => byPath.get(`${method} ${path}`),
    byWsMethod: (method) => byMethod.get(method.replace(/^v3\//, '')),
  };
}

export const weightOf = (route: Route, params: Params): number =>
  typeof route.weight === 'number' ? route.weight : route.weight(params);
