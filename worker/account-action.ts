import type { ActionOutcome, OperatorAction } from '#core/order/operator-action.ts';
import type { AccountLoop } from './account-loop.ts';
import type { WorkerContext } from './context.ts';

/** Dependencies of an action. The worker owns the account; `loop.running` is null only when the account has no key. */
export interface ActionDeps {
  readonly context: WorkerContext;
  readonly loop: AccountLoop;
}

/**
 * Executes one action and returns its outcome. A resumed action may have been done in part or in full: check before a
 * step is repeated. Throw only for a bug; a refusal by the exchange or by the operator's data is an outcome.
 */
export type AccountAction = (deps: ActionDeps, action: OperatorAction) => Promise<ActionOutcome>;
