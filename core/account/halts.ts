import type { AccountId, ProfileId } from '#core/ids.ts';
import type { OrderDraft } from '#core/order/order.ts';

export type HaltScope = 'all' | 'account' | 'profile';

/** One engaged kill switch, or what works like one. `freeze` also stops exits; it is off unless the operator asked for it. */
export interface Halt {
  readonly scope: HaltScope;
  /** The account or profile id; the literal `all` for scope all. */
  readonly subject: string;
  readonly since: Date;
  readonly reason: string;
  readonly freeze: boolean;
  /** Buys that rest on the exchange are cancelled while it is engaged. */
  readonly cancelEntries?: boolean;
  /** No switch: the exchange of the account was reset, and nobody has confirmed it yet. */
  readonly reset?: boolean;
}

/** Entries and manual buys are refused by every halt; everything else but a first stop by one that also freezes exits. */
export const isRefusedByEveryHalt = (order: Pick<OrderDraft, 'purpose' | 'side'>): boolean =>
  order.purpose === 'entry' || (order.purpose === 'manual' && order.side === 'buy');

/**
 * A protective stop where none rests only takes risk away: no halt refuses it. A freeze leaves a stop that rests as it is.
 */
export const isRefusedByNoHalt = (order: Pick<OrderDraft, 'purpose'>, stopRests: boolean): boolean =>
  order.purpose === 'stop' && !stopRests;

/** The halts that bind an order of (account, profile), widest scope first. */
export function haltsFor(halts: readonly Halt[], accountId: AccountId, profileId: ProfileId): Halt[] {
  const binds = (halt: Halt): boolean =>
    halt.scope === 'all' ||
    (halt.scope === 'account' && halt.subject === accountId) ||
    (halt.scope === 'profile' && halt.subject === profileId);
  const width: Readonly<Record<HaltScope, number>> = { all: 0, account: 1, profile: 2 };
  return halts.filter(binds).toSorted((a, b) => width[a.scope] - width[b.scope]);
}

/** The advisory lock key of a halt subject: intents take it shared, engaging takes it exclusively. */
export const haltLockText = (scope: HaltScope, subject: string): string => `tradewind:halt:${scope}:${subject}`;
