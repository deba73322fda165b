import { z } from 'zod';
import { runTerms, sweepTerms } from '#core/research.ts';
import { idSchema } from '#core/ids.ts';
import { instant, profileId, symbolName, warning } from './fields.ts';
import { operation } from './operation.ts';

const params = z.object({ id: profileId });
const runParams = z.object({ id: profileId, runId: idSchema() });
const sweepParams = z.object({ id: profileId, sweepId: idSchema() });
const json = z.record(z.string(), z.unknown());
const state = z.enum(['queued', 'running', 'done', 'failed', 'aborted']);
const overrideConfig = json.default({});

const run = z.object({
  id: z.string(),
  state,
  pinned: z.boolean(),
  strategyName: z.string(),
  request: json,
  config: json,
  /** By coin: the hash of its config, by which a live profile is compared with what was tested. */
  configFingerprints: z.record(z.string(), z.string()),
  warnings: z.array(warning),
  error: z.string().nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
});

export const launchBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests',
  auth: 'session',
  status: 202,
  summary: 'Runs the config of a profile, with a change to try, on candles of the past; missing candles are fetched',
  params,
  body: z.strictObject({
    ...runTerms.shape,
    /** Default: every coin of the profile. */
    symbols: z.array(symbolName).min(1).max(50).optional(),
    overrideConfig,
  }),
  response: z.object({ runId: z.string(), jobId: z.string(), warnings: z.array(warning) }),
});

export const listBacktests = operation({
  method: 'GET',
  path: '/profiles/:id/backtests',
  auth: 'session',
  status: 200,
  summary: 'Backtests of a profile, newest first, each with the metrics of its coins',
  params,
  response: z.object({ runs: z.array(run.extend({ metrics: json })) }),
});

export const readBacktest = operation({
  method: 'GET',
  path: '/profiles/:id/backtests/:runId',
  auth: 'session',
  status: 200,
  summary: 'One backtest with everything it says about each coin, fills included',
  params: runParams,
  response: run.extend({ results: json }),
});

export const deleteBacktest = operation({
  method: 'DELETE',
  path: '/profiles/:id/backtests/:runId',
  auth: 'session',
  status: 204,
  summary: 'Deletes a backtest that no longer runs',
  params: runParams,
});

export const abortBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests/:runId/abort',
  auth: 'session',
  status: 204,
  summary: 'Stops a backtest; coins that are finished keep their results',
  params: runParams,
});

export const pinBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests/:runId/pin',
  auth: 'session',
  status: 204,
  summary: 'Keeps a backtest for good, or no longer',
  params: runParams,
  body: z.strictObject({ pinned: z.boolean().default(true) }),
});

const sweep = z.object({
  id: z.string(),
  state,
  strategyName: z.string(),
  request: json,
  config: json,
  sets: z.number(),
  /** Jobs of the sweep; halving adds some with each stage. */
  units: z.number(),
  unitsDone: z.number(),
  warnings: z.array(warning),
  error: z.string().nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
});

export const launchSweep = operation({
  method: 'POST',
  path: '/profiles/:id/sweeps',
  auth: 'session',
  status: 202,
  summary: 'Tries many settings on one coin, shared by all workers',
  params,
  body: z.strictObject({ ...sweepTerms.shape, symbol: symbolName, overrideConfig }),
  response: z.object({ sweepId: z.string(), sets: z.number(), units: z.number(), warnings: z.array(warning) }),
});

export const listSweeps = operation({
  method: 'GET',
  path: '/profiles/:id/sweeps',
  auth: 'session',
  status: 200,
  summary: 'Sweeps of a profile, newest first',
  params,
  response: z.object({ sweeps: z.array(sweep) }),
});

export const readSweep = operation({
  method: 'GET',
  path: '/profiles/:id/sweeps/:sweepId',
  auth: 'session',
  status: 200,
  summary: 'One sweep with its best settings, how likely they are luck, and how far it has come',
  params: sweepParams,
  response: sweep.extend({ result: z.unknown() }),
});

export const abortSweep = operation({
  method: 'POST',
  path: '/profiles/:id/sweeps/:sweepId/abort',
  auth: 'session',
  status: 204,
  summary: 'Stops a sweep; what was tried still counts as tried',
  params: sweepParams,
});
