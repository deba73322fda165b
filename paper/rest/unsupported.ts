import { deny } from '#paper/exchange/refusal.ts';
import type { SignedRoute } from './routes.ts';

/** Refused operations of the real exchange: path below /api/v3, name in the WebSocket API, missing feature. */
const UNSUPPORTED = [
  ['POST', 'sor/order', 'sor.order.place', 'smart order routing'],
  ['POST', 'sor/order/test', 'sor.order.test', 'smart order routing'],
  ['GET', 'myAllocations', 'myAllocations', 'smart order routing'],
  ['POST', 'orderList/opo', 'orderList.place.opo', 'OPO lists'],
  ['POST', 'orderList/opoco', 'orderList.place.opoco', 'OPOCO lists'],
  ['PUT', 'order/amend/keepPriority', 'order.amend.keepPriority', 'amending of orders'],
  ['GET', 'order/amendments', 'order.amendments', 'amending of orders'],
] as const;

/** Answers to unsupported operations, so that clients read why. */
export const unsupportedRoutes: readonly SignedRoute[] = UNSUPPORTED.map(([method, path, wsMethod, missing]) => ({
  ...{ method, path: `/api/v3/${path}`, wsMethod, weight: 1, security: method === 'GET' ? 'read' : 'trade' },
  handle: () => deny(-1020, `This operation is not supported: the paper exchange has no ${missing}.`),
}));
