import { openWindowEnd, type RunLimits, type RunSharing } from '#core/research/research.ts';
import {
  abortResearch,
  createRun,
  deleteRun,
  listRuns as selectRuns,
  pinRun,
  readRun as selectRun,
  type RunRow,
} from '#storage/research/research.ts';
import { auditChange } from '#api/audit.ts';
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
import { asRecord, type Launch, prepareLaunch } from '#api/checks/research-launch.ts';
import { launchInTurn, requireLaunchAllowance, requireOpenSlot } from '#api/checks/research-limits.ts';
import { isOfOneProfile, prepareSharing, requireFewCandles, type RunCoin } from '#api/checks/research-sharing.ts';
import { requireProfile } from '#api/require.ts';

export function requireWindow(
  { from, to }: { readonly from: string; readonly to?: string | undefined },
  now: Date,
): void {
  if (Date.parse(from) >= (to === undefined ? now.getTime() : Date.parse(to)))
    throw invalidField('from', 'must lie before the end of the window');
}

async function launch(context: ApiContext, { operator, caller, params, body }: Incoming<typeof launchBacktest>) {
  const { database, queue } = context;
  const { symbols, overrideConfig, purse, scope, ...terms } = body;
  requireWindow(terms, context.now());
  const input = { id: params.id, symbols, overrideConfig, balance: terms.balance };
  const prepared = await prepareLaunch(context, operator, input);
  const { profile, venue, config } = prepared;
  const { coins, limits, ...shared } = await prepareSharing(context, prepared, { operator, purse, scope });
  const to = terms.to ?? new Date(openWindowEnd(Date.parse(terms.from), context.now().getTime())).toISOString();
  const fingerprints = runFingerprints(prepared, { purse, coins, limits });
  const { strategyName } = profile;
  const warnings = [...prepared.warnings, ...shared.warnings];
  const request = { ...terms, to, venue, purse, scope, coins, ...(limits === undefined ? {} : { limits }) };
  requireFewCandles(request, 'detailInterval');
  await requireLaunchAllowance(context);
  return launchInTurn(database, async (transaction) => {
    await requireOpenSlot(context, transaction, { table: 'backtest_runs', profile });
    const run = { profileId: profile.id, strategyName, config, request, warnings, fingerprints };
    const runId = await createRun(transaction, run);
    const jobId = await queue.enqueueIn(transaction, { name: 'run-backtest', data: { runId } });
    await auditChange(transaction, { operator, caller }, { action: 'backtest.launch', subject: runId, after: request });
    return { runId, jobId: jobId ?? '', warnings };
  });
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
  id: row.id,
  state: row.state,
  pinned: row.pinned,
  strategyName: row.strategyName,
  request: asRecord(row.request),
  config: asRecord(row.config),
  configFingerprints: Object.fromEntries(
    Object.entries(asRecord(row.fingerprints)).map(([symbol, hash]) => [symbol, String(hash)]),
  ),
  warnings: launchBacktest.response.shape.warnings.parse(row.warnings),
  error: row.error,
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
});

export async function requireRun(
  { database }: ApiContext,
  { operator, params }: Pick<Incoming<typeof readBacktest>, 'operator' | 'params'>,
) {
  await requireProfile(database.kysely, operator, params.id);
  const run = await selectRun(database.kysely, params.id, params.runId);
  if (run === undefined) throw new ApiProblem('not_found', `The profile has no backtest ${params.runId}.`);
  return run;
}

async function abort(context: ApiContext, incoming: Incoming<typeof abortBacktest>) {
  const { id } = await requireRun(context, incoming);
  const { operator, caller, params } = incoming;
  await context.database.transaction(async (transaction) => {
    const stopped = await abortResearch(transaction, 'backtest_runs', { profileId: params.id, id });
    if (!stopped) throw new ApiProblem('conflict', 'The backtest has already ended.');
    await auditChange(transaction, { operator, caller }, { action: 'backtest.abort', subject: id });
  });
  return undefined;
}

async function remove(context: ApiContext, incoming: Incoming<typeof deleteBacktest>) {
  const { id } = await requireRun(context, incoming);
  const { operator, caller, params } = incoming;
  await context.database.transaction(async (transaction) => {
    const deleted = await deleteRun(transaction, params.id, id);
    if (!deleted) throw new ApiProblem('conflict', 'The backtest is still running: abort it first.');
    await auditChange(transaction, { operator, caller }, { action: 'backtest.delete', subject: id });
  });
  return undefined;
}

async function pin(context: ApiContext, incoming: Incoming<typeof pinBacktest>) {
  const { id } = await requireRun(context, incoming);
  const { operator, caller, params, body } = incoming;
  await context.database.transaction(async (transaction) => {
    await pinRun(transaction, params.id, { id, pinned: body.pinned });
    await auditChange(transaction, { operator, caller }, { action: 'backtest.pin', subject: id, after: body });
  });
  return undefined;
}

export function mountBacktests({ context, handle }: Routes): void {
  handle(launchBacktest, (incoming) => launch(context, incoming));
  handle(listBacktests, async ({ operator, params }) => {
    await requireProfile(context.database.kysely, operator, params.id);
    const runs = await selectRuns(context.database.kysely, params.id);
    return { runs: runs.map((row) => ({ ...runView(row), metrics: asRecord(row.metrics) })) };
  });
  handle(readBacktest, async (incoming) => {
    const run = await requireRun(context, incoming);
    return { ...runView(run), results: asRecord(run.results) };
  });
  handle(deleteBacktest, (incoming) => remove(context, incoming));
  handle(abortBacktest, (incoming) => abort(context, incoming));
  handle(pinBacktest, (incoming) => pin(context, incoming));
}
