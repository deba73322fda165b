// The kill switch is described in storage/trading/halts.ts.
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { OrderDraft } from '#core/order/order.ts';

export type HaltScope = 'all' | 'account' | 'profile';

/** An engaged kill switch, or a halt that works like one. `freeze` also stops exits; it is off by default. */
export interface Halt {
  readonly scope: HaltScope;
  /** The account or profile id; the literal `all` for scope all. */
  readonly subject: string;
  readonly since: Date;
  readonly reason: string;
  readonly freeze: boolean;
  /** While engaged, the worker cancels resting buys. */
  readonly cancelEntries?: boolean;
  /** Not a switch: the exchange of the account was reset, and the operator has not confirmed it yet. */
  readonly reset?: boolean;
}

/** Every halt refuses entries and manual buys. A halt that freezes exits refuses everything except a first stop. */
export const isRefusedByEveryHalt = (order: Pick<OrderDraft, 'purpose' | 'side'>): boolean =>
  order.purpose === 'entry' || (order.purpose === 'manual' && order.side === 'buy');

/**
 * A first protective stop only reduces risk, so no halt refuses it. A freeze leaves a resting stop unchanged.
 */
export const isRefusedByNoHalt = (order: Pick<OrderDraft, 'purpose'>, stopRests: boolean): boolean =>
  order.purpose === 'stop' && !stopRests;

/** The halts that apply to an order of (account, profile), widest scope first. */
export function haltsFor(halts: readonly Halt[], accountId: AccountId, profileId: ProfileId): Halt[] {
  const binds = (halt: Halt): boolean =>
    halt.scope === 'all' ||
    (halt.scope === 'account' && halt.subject === accountId) ||
    (halt.scope === 'profile' && halt.subject === profileId);
  const width: Readonly<Record<HaltScope, number>> = { all: 0, account: 1, profile: 2 };
  return halts.filter(binds).toSorted((a, b) => width[a.scope] - width[b.scope]);
}

/** The advisory lock key of a halt subject. Intents take it shared, engaging a halt takes it exclusively. */
export const haltLockText = (scope: HaltScope, subject: string): string => `tradewind:halt:${scope}:${subject}`;
