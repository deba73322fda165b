import type { Decision, Numbers } from './decision.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';

const TRIGGERS = ['price', 'candle', 'order', 'operator', 'timer', 'start'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** How the engine judged a decision: not needed for "nothing", else approved or refused with a reason. */
export type Approval =
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'approved'; readonly quantity: string; readonly numbers: Numbers }
  | { readonly kind: 'refused'; readonly reason: string; readonly numbers: Numbers };

/** What came of an approved decision. */
export type TickResult =
  | { readonly kind: 'order'; readonly orderId: OrderId; readonly clientOrderId: string; readonly outcome: string }
  | { readonly kind: 'not-sent'; readonly reason: string };

/**
 * What is recorded of a tick, kept whole in the cache store and returned verbatim by tick-trace. `at` is market time.
 * `ticks` is how many it stands for: itself, and those just before it that decided the same against the same thresholds.
 */
export interface TickAudit {
  readonly id: string;
  readonly at: string;
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly trigger: Trigger;
  readonly input: Numbers;
  readonly decision: {
    readonly kind: Decision['kind'];
    readonly reason: string;
    readonly numbers: Numbers;
    readonly sentence: string;
  };
  readonly approval: Approval;
  readonly results: readonly TickResult[];
  readonly latencyMicros: number;
  readonly ticks: number;
}
