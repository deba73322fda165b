import type { AccountId, ProfileId } from '#core/ids.ts';

/** Another worker may find an action in state `taken`. Each action is still decided only once. */
export const ACTION_STATES = ['pending', 'taken', 'done', 'refused', 'expired'] as const;
export type ActionState = (typeof ACTION_STATES)[number];

/** Time within which the worker may start an action. */
export const ACTION_VALID_SECONDS = 300;

/** Outcome of an action: `reason` is a sentence for the operator, `detail` holds codes and numbers. */
export interface ActionOutcome {
  readonly state: 'done' | 'refused' | 'expired';
  readonly reason: string | null;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** An action that the worker of the account has taken. */
export interface OperatorAction {
  readonly id: string;
  readonly accountId: AccountId;
  readonly profileId: ProfileId | null;
  readonly symbol: string | null;
  readonly kind: string;
  readonly payload: unknown;
  readonly requestedAt: Date;
  /** Remaining validity when it was taken. Zero or below only for a resumed action. */
  readonly validMs: number;
  /** An earlier run took it and ended since. A part of it may be done. */
  readonly resumed: boolean;
  /** The order that an earlier run committed for it, or, of a resumed cancel, the order to cancel. */
  readonly clientOrderId: string | null;
  /** Price of the preview that the operator approved, for the action of a proposal. */
  readonly previewPrice: string | null;
}

export const done = (detail: ActionOutcome['detail'] = {}): ActionOutcome => ({ state: 'done', reason: null, detail });
export const refused = (reason: string, detail: ActionOutcome['detail'] = {}): ActionOutcome => ({
  state: 'refused',
  reason,
  detail,
});
export const EXPIRED: ActionOutcome = {
  state: 'expired',
  reason: 'The action was not carried out in time and was dropped. Request it again if you still want it.',
  detail: {},
};
