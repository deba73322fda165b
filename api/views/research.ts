import { isObject } from '#core/merge.ts';
import type { ResearchRow } from '#storage/research/research.ts';
import { launchBacktest } from '#api/contract/research.ts';

/** The fields that backtests and sweeps share. */
export const researchView = (row: Omit<ResearchRow, 'profileId' | 'request'>) => ({
  id: row.id,
  state: row.state,
  strategyName: row.strategyName,
  config: isObject(row.config) ? row.config : {},
  warnings: launchBacktest.response.shape.warnings.parse(row.warnings),
  error: row.error,
  createdAt: row.createdAt,
  finishedAt: row.finishedAt,
});
