import type { AccountId, ProfileId } from '#core/ids.ts';

/** `taken` may be found by another owner than the one that took it: each action is decided once all the same. */
export const ACTION_STATES = ['pending', 'taken', 'done', 'refused', 'expired'] as const;
export type ActionState = (typeof ACTION_STATES)[number];

/** For how long the worker may begin what the operator asked for. */
export const ACTION_VALID_SECONDS = 300;

/** What came of an action: `reason` is a sentence for the operator, `detail` holds codes and numbers. */
export interface ActionOutcome {
  readonly state: 'done' | 'refused' | 'expired';
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An action in the hands of the account's owner. */
export interface OperatorAction {
  readonly id: string;
  readonly accountId: AccountId;
  readonly profileId: ProfileId | null;
  readonly symbol: string | null;
  readonly kind: string;
  readonly payload: unknown;
  readonly requestedAt: Date;
  /** How long it was still valid when it was taken; not above zero only for a resumed one. */
  readonly validMs: number;
  /** Taken before, by a run that has ended since: some of it may have been done. */
  readonly resumed: boolean;
  /** The order that was committed for it before. */
  readonly clientOrderId: string | null;
}

export const done = (detail: ActionOutcome['detail'] = {}): ActionOutcome => ({ state: 'done', reason: null, detail });
export const refused = (reason: string, detail: ActionOutcome['detail'] = {}): ActionOutcome => ({
  state: 'refused',
  reason,
  detail,
});
export const EXPIRED: ActionOutcome = {
  state: 'expired',
  reason: 'It was not carried out in time, so it was dropped. Ask for it again if it is still wanted.',
  detail: {},
};
