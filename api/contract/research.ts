import { z } from 'zod';
import { storedMetrics, storedResult } from '#core/research/backtest-result.ts';
import { runSharing, runTerms, storedRunRequest, sweepRequest, sweepTerms } from '#core/research/research.ts';
import { storedRobustness, sweepResult } from '#core/research/research-results.ts';
import { idSchema } from '#core/id-schema.ts';
import { jsonObject } from '#core/text-fields.ts';
import { instant, ofProfile, symbolName, warning } from './fields.ts';
import { operation } from './operation.ts';

const ofRun = { ...ofProfile, params: ofProfile.params.extend({ runId: idSchema() }) };
const ofSweep = { ...ofProfile, params: ofProfile.params.extend({ sweepId: idSchema() }) };
const overrideConfig = jsonObject.default({});

/** A piece of research: what a profile tested, and how far it is. */
const research = z.object({
  id: z.string(),
  state: z.enum(['queued', 'running', 'done', 'failed', 'aborted']),
  strategyName: z.string(),
  /** Settings of the profile when it started; the request has those of each coin. */
  config: z.record(z.string(), z.unknown()),
  warnings: z.array(warning),
  error: z.string().nullable(),
  createdAt: instant,
  finishedAt: instant.nullable(),
});

const run = research.extend({
  request: storedRunRequest,
  pinned: z.boolean(),
  /** By result: the hash of settings, coins and limits, by which a live profile is compared with what was tested. */
  configFingerprints: z.record(z.string(), z.string()),
});

export const launchBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests',
  need: 'research',
  ...ofProfile,
  status: 202,
  summary: 'Runs the config of a profile, with a change to try, on candles of the past; missing candles are fetched',
  audit: 'backtest.launch',
  locks: ['account'],
  body: z.strictObject({
    ...runTerms.shape,
    ...runSharing.shape,
    /** Coins of this profile. Default: all of them. */
    symbols: z.array(symbolName).min(1).max(50).optional(),
    overrideConfig,
    /** Another version of the strategy file of the profile. Default: the version that the profile uses. */
    strategyName: z.string().max(200).optional(),
  }),
  response: z.object({ runId: z.string(), jobId: z.string(), warnings: z.array(warning) }),
});

export const repeatBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests/:runId/repeat',
  need: 'research',
  ...ofRun,
  status: 202,
  summary: 'Runs the settings and coins of a backtest again, with the window, candles, money and costs of another one',
  audit: 'backtest.launch',
  locks: ['account'],
  body: z.strictObject({ termsOf: idSchema() }),
  response: launchBacktest.response,
});

export const listBacktests = operation({
  method: 'GET',
  path: '/profiles/:id/backtests',
  ...ofProfile,
  status: 200,
  summary: 'Backtests of a profile, newest first, each with the metrics of its coins',
  response: z.object({ runs: z.array(run.extend({ metrics: z.record(z.string(), storedMetrics) })) }),
});

export const readBacktest = operation({
  method: 'GET',
  path: '/profiles/:id/backtests/:runId',
  ...ofRun,
  status: 200,
  summary:
    'One backtest with its results by coin, including fills and about 500 equity points; coins that share the balance have one result, named basket',
  response: run.extend({ results: z.record(z.string(), storedResult) }),
});

export const deleteBacktest = operation({
  method: 'DELETE',
  path: '/profiles/:id/backtests/:runId',
  need: 'research',
  ...ofRun,
  status: 204,
  summary: 'Deletes a backtest that no longer runs',
  audit: 'backtest.delete',
  locks: [],
});

export const abortBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests/:runId/abort',
  need: 'research',
  ...ofRun,
  status: 204,
  summary: 'Stops a backtest; coins that are finished keep their results',
  audit: 'backtest.abort',
  locks: [],
});

export const pinBacktest = operation({
  method: 'POST',
  path: '/profiles/:id/backtests/:runId/pin',
  need: 'research',
  ...ofRun,
  status: 204,
  summary: 'Pins a backtest, so that it is kept, or unpins it',
  audit: 'backtest.pin',
  locks: [],
  body: z.strictObject({ pinned: z.boolean().default(true) }),
});

export const testRobustness = operation({
  method: 'POST',
  path: '/profiles/:id/backtests/:runId/robustness',
  need: 'research',
  ...ofRun,
  status: 202,
  summary: 'Tests the robustness of a backtest: Monte Carlo, fragility, look-ahead',
  audit: 'backtest.test-robustness',
  locks: [],
  response: z.object({ jobId: z.string() }),
});

export const readRobustness = operation({
  method: 'GET',
  path: '/profiles/:id/backtests/:runId/robustness',
  ...ofRun,
  status: 200,
  summary: 'Robustness report of a backtest, by coin',
  response: storedRobustness,
});

const comparedResult = z.object({
  runId: z.string(),
  metrics: storedMetrics,
  drawdown: z.number(),
  outOfSample: z.number().nullable(),
});

export const compareBacktests = operation({
  method: 'GET',
  path: '/profiles/:id/backtest-comparison',
  ...ofProfile,
  status: 200,
  summary: 'Two to eight backtests side by side: their numbers by coin and the settings in which they differ',
  query: z.strictObject({
    /** Comma list of ids. */
    runs: z
      .string()
      .max(400)
      .transform((text) => [...new Set(text.split(','))])
      .pipe(z.array(idSchema()).min(2, 'names fewer than two runs').max(8, 'names more than eight runs')),
  }),
  response: z.object({
    runs: z.array(run),
    /** False when window, candles or money differ: such numbers say little about the settings. */
    sameTerms: z.boolean(),
    /** The newest run, and those whose terms differ from its terms: `repeat` runs them again on those. */
    newest: z.string(),
    differing: z.array(z.string()),
    /** For each coin those runs that have a result of it. */
    coins: z.array(z.object({ symbol: z.string(), results: z.array(comparedResult) })),
    /** Settings that differ, with the value in each run, in the order of `runs`. */
    settings: z.array(z.object({ path: z.string(), values: z.array(z.unknown()) })),
  }),
});

export const readTrials = operation({
  method: 'GET',
  path: '/trials',
  auth: 'session',
  status: 200,
  summary:
    'How many parameter sets were ever tried on each question; the deflated Sharpe ratio of the best set depends on it',
  response: z.object({
    questions: z.array(
      z.object({
        strategyName: z.string(),
        symbol: z.string(),
        trials: z.number(),
        sweeps: z.number(),
        lastAt: instant,
      }),
    ),
  }),
});

const sweep = research.extend({
  request: sweepRequest,
  sets: z.number(),
  /** Jobs of the sweep; halving adds some with each stage. */
  units: z.number(),
  unitsDone: z.number(),
});

export const launchSweep = operation({
  method: 'POST',
  path: '/profiles/:id/sweeps',
  need: 'research',
  ...ofProfile,
  status: 202,
  summary: 'Tries many settings on one coin, shared by all workers; walkForward also tests each choice on later days',
  audit: 'sweep.launch',
  locks: ['account'],
  body: z.strictObject({ ...sweepTerms.shape, symbol: symbolName, overrideConfig }),
  response: z.object({ sweepId: z.string(), sets: z.number(), units: z.number(), warnings: z.array(warning) }),
});

export const listSweeps = operation({
  method: 'GET',
  path: '/profiles/:id/sweeps',
  ...ofProfile,
  status: 200,
  summary: 'Sweeps of a profile, newest first, each with its best settings alone',
  response: z.object({ sweeps: z.array(sweep.extend({ result: sweepResult.nullable() })) }),
});

export const readSweep = operation({
  method: 'GET',
  path: '/profiles/:id/sweeps/:sweepId',
  ...ofSweep,
  status: 200,
  summary: 'One sweep with its best settings, the probability that they are luck, and its progress',
  response: sweep.extend({ result: sweepResult.nullable() }),
});

export const abortSweep = operation({
  method: 'POST',
  path: '/profiles/:id/sweeps/:sweepId/abort',
  need: 'research',
  ...ofSweep,
  status: 204,
  summary: 'Stops a sweep; sets that were tried still count as trials',
  audit: 'sweep.abort',
  locks: [],
});
