import type { Fraction } from './fraction.ts';
import type { Bar, Costs, Market } from './market.ts';
import type { Position } from './position.ts';
import type { SizeSettings } from './size.ts';

/** How a buy waits, in ticks. */
export type Form = { readonly limit: bigint; readonly trigger: bigint };

export type Decision =
  | { readonly kind: 'nothing' | 'cancel' }
  | { readonly kind: 'buy'; readonly level: number; readonly form: Form | null }
  | { readonly kind: 'sell'; readonly lots: bigint | 'all' };

export const NOTHING: Decision = { kind: 'nothing' };
export const CANCEL: Decision = { kind: 'cancel' };
export const SELL_ALL: Decision = { kind: 'sell', lots: 'all' };

/** The first answer of a list of rules. */
export function firstOf(rules: readonly (() => Decision | undefined)[]): Decision {
  for (const rule of rules) {
    const answer = rule();
    if (answer !== undefined) return answer;
  }
  return NOTHING;
}

/** A buy that waits, as a strategy sees it. */
export interface WaitingBuy extends Form {
  readonly level: number;
  readonly placedMs: number;
  /** It has triggered, or has filled in part. */
  readonly touched: boolean;
}

/** The moment of a decision. */
export interface Moment {
  readonly nowMs: number;
  readonly price: bigint;
  readonly buying: boolean;
  readonly selling: boolean;
  readonly waiting: WaitingBuy | null;
  readonly target: number;
  readonly trendFalls: boolean;
}

/** Input of a new strategy. */
export interface Setting {
  readonly market: Market;
  readonly costs: Costs;
  readonly position: Position;
}

export interface Strategy {
  readonly intervalMs: number;
  readonly warmUp: number;
  readonly sizes: SizeSettings;
  readonly pauseMs: number;
  /** Share of the price at which the stop of a buy lies; 0 without one. */
  stopShare(price: bigint): Fraction;
  /** The same as the settings name it, whatever the market does. */
  readonly plainStop: Fraction;
  closed(candle: Bar): void;
  filled(side: 'buy' | 'sell'): void;
  decide(moment: Moment): Decision;
  /** Level of the protective stop in ticks; 0 for none. */
  stopLevel(): bigint;
  /** The price in ticks at which everything is sold; absent or 0 for none. */
  targetLevel?(): bigint;
}
