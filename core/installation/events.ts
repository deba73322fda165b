import { z } from 'zod';

/** Topics of events for the browser. */
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
  'dry-run',
] as const;
export type Topic = (typeof TOPICS)[number];

/**
 * An event from a worker or the api to the browsers, over the cache channel `events`. `id` is the account id for `account`,
 * `action` and `orphan`, the coin for `price`, the letter for `dead-letter`, otherwise the profile id. Data per topic:
 * price {venue, symbol, price, at}; tick {symbol, state}; order {order}; log {row}; dead-letter {job, errorMessage};
 * backtest, sweep and dry-run {id, state}, a running dry run at each new result; backtest also {id, slot, state} when the
 * advisor has answered; job {runId, kind} once it has ended;
 * action {id, kind, profileId, symbol, state, reason}; position, profile, account, halt, orphan and status carry what
 * changed, at least {} (the browser fetches again).
 */
const busEvent = z.object({ topic: z.enum(TOPICS), id: z.string().optional(), data: z.unknown() });
/** One message of the channel. */
export const busMessage = z.array(busEvent);
export type BusEvent = z.infer<typeof busEvent>;
