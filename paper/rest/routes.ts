import type { Account } from '#paper/exchange/accounts.ts';
import type { Params } from './params.ts';
import type { Refusal } from '#paper/exchange/refusal.ts';
import type { Security } from './security.ts';

interface RouteBase {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  readonly path: string;
  /** The same operation over the WebSocket API; empty where it has none. */
  readonly wsMethod: string;
  readonly weight: number | ((params: Params) => number);
}

/** An operation anybody may call. */
export interface PublicRoute extends RouteBase {
  readonly security: 'none';
  /** May promise the answer. */
  readonly handle: (params: Params) => unknown;
}

/** A signed operation. `freeWhenDone`: its weight is charged only when it fails. */
export interface SignedRoute extends RouteBase {
  readonly security: Exclude<Security, 'none'>;
  readonly freeWhenDone?: true;
  /** Counts against the account's order limits. */
  readonly placesOrder?: true;
  /** How many orders it counts as; one when absent. */
  readonly orderCount?: number;
  readonly handle: (params: Params, account: Account) => unknown;
  /** The handler for the WebSocket API, where its answer differs from REST. */
  readonly wsHandle?: (params: Params, account: Account) => unknown;
  /** What a placement does instead when the account has reached its order limit; it always throws. */
  readonly whenLimited?: (params: Params, account: Account, refusal: Refusal) => never;
}

export type Route = PublicRoute | SignedRoute;

/** Path below /api/v3, name over the WebSocket API, and weight. */
type Named = readonly [path: string, wsMethod: string, weight: RouteBase['weight']];

/** A query that anybody may ask of a place. */
export const openQuery = <Place>(
  place: Place,
  [path, wsMethod, weight]: Named,
  answer: (place: Place, params: Params) => unknown,
): PublicRoute => ({
  ...{ method: 'GET', path: `/api/v3/${path}`, wsMethod, weight, security: 'none' },
  handle: (params) => answer(place, params),
});

/** A query of an account. */
export const ownQuery = <Place>(
  place: Place,
  [path, wsMethod, weight]: Named,
  answer: (place: Place, params: Params, account: Account) => unknown,
): SignedRoute => ({
  ...{ method: 'GET', path: `/api/v3/${path}`, wsMethod, weight, security: 'read' },
  handle: (params, account) => answer(place, params, account),
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
