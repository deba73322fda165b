import { isSameFile } from '#authoring/own-strategy.ts';
import { openWindowEnd, type RunLimits, type RunSharing } from '#core/research/research.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import {
  abortResearch,
  createRun,
  deleteRun,
  listRuns as selectRuns,
  pinRun,
  readRun as selectRun,
  type RunRow,
} from '#storage/research/research.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { fingerprintsOf, separateFingerprints } from '#api/checks/config-fingerprint.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  abortBacktest,
  deleteBacktest,
  launchBacktest,
  listBacktests,
  pinBacktest,
  readBacktest,
} from '#api/contract/research.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { type Launch, prepareLaunch } from '#api/checks/research-launch.ts';
import { researchView } from '#api/views/research.ts';
import { inTurn, requireLaunchAllowance, requireOpenSlot } from '#api/checks/research-limits.ts';
import { isOfOneProfile, prepareSharing, requireFewCandles, type RunCoin } from '#api/checks/research-sharing.ts';

export function requireWindow(
  { from, to }: { readonly from: string; readonly to?: string | undefined },
  now: Date,
): void {
  if (Date.parse(from) >= (to === undefined ? now.getTime() : Date.parse(to)))
    throw invalidField('from', 'must lie before the end of the window');
}

async function launch(context: ApiContext, incoming: Incoming<typeof launchBacktest>) {
  const { operator, commit, body } = incoming;
  const { database, queue } = context;
  const { symbols, overrideConfig, purse, scope, strategyName = incoming.profile.strategyName, ...terms } = body;
  requireWindow(terms, context.now());
  const profile = withVersion(incoming.profile, strategyName);
  const { readAccount } = incoming;
  const prepared = await prepareLaunch(
    context,
    { profile, readAccount },
    { symbols, overrideConfig, balance: terms.balance },
  );
  const { venue, config } = prepared;
  const { coins, limits, ...shared } = await prepareSharing(context, prepared, { operator, purse, scope });
  const to = terms.to ?? new Date(openWindowEnd(Date.parse(terms.from), context.now().getTime())).toISOString();
  const fingerprints = runFingerprints(prepared, { purse, coins, limits });
  const warnings = [...prepared.warnings, ...shared.warnings];
  const request = { ...terms, to, venue, purse, scope, coins, ...(limits === undefined ? {} : { limits }) };
  requireFewCandles(request, 'detailInterval');
  await requireLaunchAllowance(context);
  return inTurn(database, () =>
    commit(async ({ transaction }) => {
      await requireOpenSlot(context, transaction, { kind: 'backtest', profile });
      const run = { profileId: profile.id, strategyName, config, request, warnings, fingerprints };
      const runId = await createRun(transaction, run);
      const jobId = (await queue.enqueueIn(transaction, { name: 'run-backtest', data: { runId } })) ?? '';
      return { answer: { runId, jobId, warnings }, subject: runId, after: request };
    }),
  );
}

/** The profile with another version of its strategy file, for one run. */
function withVersion(profile: ProfileView, strategyName: string): ProfileView {
  if (strategyName === profile.strategyName) return profile;
  if (!isSameFile(profile.strategyName, strategyName) || !STRATEGIES.has(strategyName))
    throw invalidField('strategyName', 'is not a version of the strategy file that the profile uses');
  return { ...profile, strategyName };
}

/** Fingerprints by result. A run with coins of other profiles has none, because it does not test its profile alone. */
function runFingerprints(
  { profile, strategy }: Launch,
  run: {
    readonly purse: RunSharing['purse'];
    readonly coins: readonly RunCoin[];
    readonly limits: RunLimits | undefined;
  },
): Record<string, string | null> {
  const { purse, coins, limits } = run;
  if (!isOfOneProfile(coins, profile.id)) return {};
  const found = purse === 'separate' ? separateFingerprints(strategy, coins) : fingerprintsOf(strategy, coins, limits);
  return Object.fromEntries([...found].filter(([, fingerprint]) => fingerprint !== null));
}

export const runView = (row: Omit<RunRow, 'metrics' | 'profileId'>) => ({
  ...researchView(row),
  request: row.request,
  pinned: row.pinned,
  configFingerprints: row.fingerprints,
});

export async function requireRun({ database }: ApiContext, { params }: Pick<Incoming<typeof readBacktest>, 'params'>) {
  const run = await selectRun(database.kysely, params.id, params.runId);
  if (run === undefined) throw new ApiProblem('not_found', `The profile has no backtest ${params.runId}.`);
  return run;
}

async function abort(context: ApiContext, incoming: Incoming<typeof abortBacktest>) {
  const { id } = await requireRun(context, incoming);
  return incoming.commit(async ({ transaction, profile }) => {
    const stopped = await abortResearch(transaction, { profileId: profile.id, id });
    if (!stopped) throw new ApiProblem('conflict', 'The backtest has already ended.');
    return { answer: undefined, subject: id };
  });
}

async function remove(context: ApiContext, incoming: Incoming<typeof deleteBacktest>) {
  const { id } = await requireRun(context, incoming);
  return incoming.commit(async ({ transaction, profile }) => {
    const deleted = await deleteRun(transaction, profile.id, id);
    if (!deleted) throw new ApiProblem('conflict', 'The backtest is still running: abort it first.');
    return { answer: undefined, subject: id };
  });
}

async function pin(context: ApiContext, incoming: Incoming<typeof pinBacktest>) {
  const { id } = await requireRun(context, incoming);
  const { commit, body } = incoming;
  return commit(async ({ transaction, profile }) => {
    await pinRun(transaction, profile.id, { id, pinned: body.pinned });
    return { answer: undefined, subject: id, after: body };
  });
}

export function mountBacktests({ context, handle }: Routes): void {
  handle(launchBacktest, (incoming) => launch(context, incoming));
  handle(listBacktests, async ({ params }) => {
    const runs = await selectRuns(context.database.kysely, params.id);
    return { runs: runs.map((row) => ({ ...runView(row), metrics: row.metrics })) };
  });
  handle(readBacktest, async (incoming) => {
    const run = await requireRun(context, incoming);
    return { ...runView(run), results: run.results };
  });
  handle(deleteBacktest, (incoming) => remove(context, incoming));
  handle(abortBacktest, (incoming) => abort(context, incoming));
  handle(pinBacktest, (incoming) => pin(context, incoming));
}
