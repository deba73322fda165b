import { z } from 'zod';

/** What the browser can be told about. */
export const TOPICS = [
  'price',
  'tick',
  'order',
  'position',
  'log',
  'profile',
  'account',
  'action',
  'halt',
  'orphan',
  'status',
] as const;
export type Topic = (typeof TOPICS)[number];

/**
 * An event on its way from a worker or the api to the browsers, over the cache channel `events`. `id` is the account id
 * for `account`, `action` and `orphan`, the coin for `price`, else the profile id. Data per topic: price {venue, symbol, price, at};
 * tick {symbol, state}; order {order}; log {row}; action {id, kind, profileId, symbol, state, reason}; position, profile,
 * account, halt, orphan and status carry what changed, at least {} (the browser fetches again).
 */
export const busEvent = z.object({ topic: z.enum(TOPICS), id: z.string().optional(), data: z.unknown() });
export type BusEvent = z.infer<typeof busEvent>;
