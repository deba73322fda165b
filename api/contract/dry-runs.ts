import { z } from 'zod';
import { idSchema } from '#core/id-schema.ts';
import {
  DRY_RUN_STATES,
  dryRunResult,
  dryRunSummary,
  FEWEST_DECISIONS,
  MOST_DECISIONS,
} from '#core/research/dry-run.ts';
import { jsonObject } from '#core/text-fields.ts';
import { instant, ofProfile, warning } from './fields.ts';
import { operation } from './operation.ts';
import { savedProfile } from './profiles.ts';

const json = z.record(z.string(), z.unknown());
const ofDryRun = { ...ofProfile, params: ofProfile.params.extend({ dryRunId: idSchema() }) };

const dryRun = z.object({
  id: z.string(),
  state: z.enum(DRY_RUN_STATES),
  strategyName: z.string(),
  /** The config of the profile at the start, its version in the history of settings, and the changed config. */
  version: z.number(),
  present: json,
  changed: json,
  /** Settings that differ between the two, by path. */
  differs: z.array(z.string()),
  /** Settings of the profile that have changed since the start: promoting is then refused. Empty once it has ended. */
  changedSince: z.array(z.string()),
  /** Coins of the profile at the start. */
  symbols: z.array(z.string()),
  /** Decisions, over all coins, after which it is finished. */
  decisions: z.number(),
  warnings: z.array(warning),
  /** Why it failed; null otherwise. */
  error: z.string().nullable(),
  startedAt: instant,
  /** When it was finished, promoted, dropped or failed; null while it runs. */
  endedAt: instant.nullable(),
});

/** A dry run with its result so far; null before the first candle has closed. */
const fullDryRun = dryRun.extend({ result: dryRunResult.nullable() });

export const startDryRun = operation({
  method: 'POST',
  path: '/profiles/:id/dry-runs',
  need: 'research',
  ...ofProfile,
  status: 201,
  summary: 'Runs a changed config next to the present one on the live candles, without sending orders',
  audit: 'dry-run.start',
  body: z.strictObject({
    config: jsonObject,
    /** Decisions, over all coins, after which it is finished: each coin decides once a minute. */
    decisions: z.int().min(FEWEST_DECISIONS).max(MOST_DECISIONS).default(1440),
  }),
  response: z.object({ dryRun: fullDryRun }),
});

export const listDryRuns = operation({
  method: 'GET',
  path: '/profiles/:id/dry-runs',
  ...ofProfile,
  status: 200,
  summary: 'Dry runs of a profile, newest first, each with the totals of its result',
  response: z.object({ dryRuns: z.array(dryRun.extend({ result: dryRunSummary.nullable() })) }),
});

export const readDryRun = operation({
  method: 'GET',
  path: '/profiles/:id/dry-runs/:dryRunId',
  ...ofDryRun,
  status: 200,
  summary: 'One dry run: what would have differed in decisions and money, by coin and in total',
  response: fullDryRun,
});

export const promoteDryRun = operation({
  method: 'POST',
  path: '/profiles/:id/dry-runs/:dryRunId/promote',
  need: 'manage',
  ...ofDryRun,
  status: 200,
  summary: 'Saves the changed config as that of the profile, unless its settings have changed since the start',
  audit: 'dry-run.promote',
  response: savedProfile,
});

export const dropDryRun = operation({
  method: 'POST',
  path: '/profiles/:id/dry-runs/:dryRunId/drop',
  need: 'research',
  ...ofDryRun,
  status: 204,
  summary: 'Ends a dry run; the profile keeps its settings',
  audit: 'dry-run.drop',
});
