import type { ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import type { PERIODS, readPerformance } from '#api/contract/performance.ts';

export type Performance = Answer<typeof readPerformance>;

/** A period of an account; days such as `2026-11-25` in the operator's time zone. */
export interface PeriodChoice {
  readonly period: (typeof PERIODS)[number];
  readonly from?: string;
  readonly to?: string;
  readonly profileId?: ProfileId;
}
