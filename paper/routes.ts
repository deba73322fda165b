import type { Account } from './accounts.ts';
import type { Params } from './params.ts';
import type { Refusal } from './refusal.ts';
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
  /** What a placement does instead when the account has reached its order limit; it always throws. */
  readonly whenLimited?: (params: Params, account: Account, refusal: Refusal) => never;
}

export type Route = PublicRoute | SignedRoute;

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
