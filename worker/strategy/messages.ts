import type { Values } from '#authoring/schema.ts';
import { isObject } from '#core/merge.ts';
import type { StrategyFile } from '#strategies/strategy.ts';

/** A question to the process of a strategy file. Only numbers and text pass. */
export type Request = { readonly number: number } & (
  | { readonly kind: 'load'; readonly file: StrategyFile }
  | { readonly kind: 'declare'; readonly values: Values }
  | {
      readonly kind: 'open';
      readonly instance: number;
      readonly values: Values;
      readonly layout: string;
      readonly memory: string;
    }
  | { readonly kind: 'step'; readonly instance: number; readonly cells: Float64Array }
);
export const isRequest = (value: unknown): value is Request => isObject(value) && typeof value['number'] === 'number';

export interface Reply {
  readonly number: number;
  /** The sentence of a failure. */
  readonly failed?: string;
  readonly hung?: boolean;
  readonly description?: unknown;
  readonly declared?: unknown;
  readonly cells?: Float64Array;
  readonly memory?: string;
  readonly lines?: string;
  readonly problem?: string;
}
export const isReply = (value: unknown): value is Reply => isObject(value) && typeof value['number'] === 'number';
