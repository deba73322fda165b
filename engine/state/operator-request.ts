import type { Decimal } from '#core/amount/decimal.ts';
import type { ManualSize } from '#core/judge/manual.ts';
import type { ActionOutcome } from '#core/order/operator-action.ts';
import type { Side } from '#core/order/order.ts';
import type { LiveOrder } from './live-order.ts';

/** A request of the operator for one coin. */
export type OperatorRequest =
  | {
      /** A preview is judged like an order and not placed. */
      readonly kind: 'order' | 'preview';
      readonly side: Side;
      readonly limit: Decimal | null;
      readonly size: ManualSize;
      /** Price of the preview that the operator approved; absent or null for an order that no program proposed. */
      readonly previewed?: Decimal | null;
    }
  | { readonly kind: 'cancel'; readonly orderId: string }
  | { readonly kind: 'force-sell' };

/** A request that one coin executes; `id` is the id of the action. */
export interface CoinAction {
  readonly id: string;
  readonly request: OperatorRequest;
  /** performance.now() of the request, and the time after which nothing is started for it. */
  readonly requestedMs: number;
  readonly deadlineMs: number;
  /** The order that it placed, or the order that it cancels once the cancel was sent. */
  order: LiveOrder | null;
  readonly finish: (outcome: ActionOutcome) => void;
}
