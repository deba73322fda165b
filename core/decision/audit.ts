import type { Decision, Numbers } from './decision.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';

const TRIGGERS = ['price', 'candle', 'order', 'operator', 'external', 'timer', 'start'] as const;
export type Trigger = (typeof TRIGGERS)[number];

/** Approval of a decision: not needed for "nothing", otherwise approved or refused with a reason. */
export type Approval =
  | { readonly kind: 'not-needed' }
  | { readonly kind: 'approved'; readonly quantity: string; readonly numbers: Numbers }
  | { readonly kind: 'refused'; readonly reason: string; readonly numbers: Numbers };

/** Result of an approved decision. */
export type TickResult =
  | { readonly kind: 'order'; readonly orderId: OrderId; readonly clientOrderId: string; readonly outcome: string }
  | { readonly kind: 'not-sent'; readonly reason: string; readonly numbers?: Numbers };

/**
 * Record of a tick, stored in the cache store and returned verbatim by tick-trace. `at` is market time. `ticks` counts the
 * ticks that the record covers: this one, and the ticks just before it with the same decision and thresholds.
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
