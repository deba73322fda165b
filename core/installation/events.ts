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
  'job',
  'dead-letter',
  'backtest',
  'sweep',
] as const;
export type Topic = (typeof TOPICS)[number];

/**
 * An event on its way from a worker or the api to the browsers, over the cache channel `events`. `id` is the account id
 * for `account`, `action` and `orphan`, the coin for `price`, the letter for `dead-letter`, else the profile id. Data per topic:
 * price {venue, symbol, price, at}; tick {symbol, state}; order {order}; log {row}; dead-letter {job, errorMessage};
 * backtest and sweep {id, state}, backtest also {id, slot, state} when the advisor has answered;
 * job {runId, kind} once it has ended;
 * action {id, kind, profileId, symbol, state, reason}; position, profile, account, halt, orphan and status carry what
 * changed, at least {} (the browser fetches again).
 */
const busEvent = z.object({ topic: z.enum(TOPICS), id: z.string().optional(), data: z.unknown() });
/** What one message of the channel carries. */
export const busMessage = z.array(busEvent);
export type BusEvent = z.infer<typeof busEvent>;
