import { commissionRoutes } from './rest-commission.ts';
import { listRoutes } from './rest-lists.ts';
import { replaceRoutes } from './rest-replace.ts';
import { tradingRoutes } from './rest-trading.ts';
import type { SignedRoute } from './routes.ts';
import { unsupportedRoutes } from './unsupported.ts';
import type { Venue } from '#paper/exchange/venue.ts';

/** All operations on orders. */
export const orderRoutes = (venue: Venue): SignedRoute[] => [
  ...tradingRoutes(venue),
  ...commissionRoutes(venue),
  ...replaceRoutes(venue),
  ...listRoutes(venue),
  ...unsupportedRoutes,
];
