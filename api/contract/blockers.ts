import { z } from 'zod';
import { accountId, instant, orderId, profileId } from './fields.ts';

/** Kinds of blockers, the most important first. `exit` blocks a sale, all others a buy. */
export const BLOCKER_KINDS = [
  'worker-down',
  'account-down',
  'api-key',
  'buying-stopped',
  'exchange-reset',
  'profile-paused',
  'coin-paused',
  'limit',
  'order-unconfirmed',
  'exit',
  'orphan',
  'price',
  'wallet',
  'candles',
  'coin-down',
  'rating',
  'cool-down',
  'rules',
  'balance',
  'size',
] as const;

export const blocker = z.object({
  kind: z.enum(BLOCKER_KINDS),
  scope: z.enum(['all', 'account', 'profile', 'coin']),
  accountId: accountId.nullable(),
  profileId: profileId.nullable(),
  symbol: z.string().nullable(),
  /** Name of the account, profile or coin that the sentence is about; null for everything. */
  name: z.string().nullable(),
  /** Follows the name, so it starts with a verb. Without a full stop where `since` follows. Times in it are market time. */
  sentence: z.string(),
  /** Wall time since which it lasts, where that is known. */
  since: instant.nullable(),
  /** The unconfirmed order. */
  orderId: orderId.nullable(),
  /** A more important blocker already stops all of its coins. */
  behind: z.boolean(),
  /** Stops every coin of every running profile. */
  everything: z.boolean(),
});

export const blockers = z.object({
  /** When all of it was checked. */
  checkedAt: instant,
  list: z.array(blocker),
  /** Coins that are not held, not blocked, and wait for their buy price. */
  waiting: z.number(),
  /** Coins of running profiles. */
  coins: z.number(),
  /** Coins of running profiles without a decision yet: what blocks them is not known. */
  undecided: z.number(),
});
