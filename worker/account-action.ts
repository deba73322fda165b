import type { ActionOutcome, OperatorAction } from '#core/order/operator-action.ts';
import type { AccountLoop } from './account-loop.ts';
import type { WorkerContext } from './context.ts';

/** Whoever carries out an action owns the account; `loop.running` is null only where the account has no key. */
export interface ActionDeps {
  readonly context: WorkerContext;
  readonly loop: AccountLoop;
}

/**
 * Carries out one action and says what came of it. A resumed action may have been done in part, or in full: look before
 * doing anything twice. Throw only for a bug; what the exchange or the operator's data refuse is an outcome.
 */
export type AccountAction = (deps: ActionDeps, action: OperatorAction) => Promise<ActionOutcome>;
