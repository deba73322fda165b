import { drawOf, foldsOf, openWindowEnd, unitsOf } from '#core/research/research.ts';
import { sweepResult } from '#core/research/research-results.ts';
import {
  abortResearch,
  createSweep,
  listSweeps as selectSweeps,
  readSweep as selectSweep,
  type SweepView,
  unitJobs,
} from '#storage/research/research.ts';
import { deleteWaitingUnits } from '#storage/research/open-research.ts';
import { countCandidates } from '#strategies/candidates.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { abortSweep, launchSweep, listSweeps, readSweep } from '#api/contract/research.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem, invalidField } from '#api/frame/problem.ts';
import { prepareLaunch } from '#api/checks/research-launch.ts';
import { researchView } from '#api/views/research.ts';
import { inTurn, requireLaunchAllowance, requireOpenSlot, researchLimits } from '#api/checks/research-limits.ts';
import { requireWindow } from './backtests.ts';

const DAY_MS = 86_400_000;
const MAX_FOLDS = 500;

/** Number of folds of a walk-forward with these terms. */
function foldCount({ walkForward, search, from, to }: SweepBody & { readonly to: string }): number {
  if (walkForward === undefined) return 0;
  if (search === 'halving')
    throw invalidField('walkForward', 'goes with grid and random: halving chooses on parts of the window already');
  const { trainDays, testDays } = walkForward;
  const window = { fromMs: Date.parse(from), toMs: Date.parse(to) };
  const folds = foldsOf(window, { trainMs: trainDays * DAY_MS, testMs: testDays * DAY_MS }).length;
  if (folds > 0 && folds <= MAX_FOLDS) return folds;
  throw invalidField(
    'walkForward',
    folds === 0
      ? `does not fit: the window is shorter than ${trainDays + testDays} days`
      : `makes ${folds} folds, more than ${MAX_FOLDS}: use longer tests`,
  );
}
type SweepBody = Omit<Incoming<typeof launchSweep>['body'], 'symbol' | 'overrideConfig'>;

function requireFewJobs(
  context: ApiContext,
  { sets, jobs, folds }: { readonly sets: number; readonly jobs: number; readonly folds: number },
): void {
  const { jobs: most } = researchLimits(context);
  if (jobs <= most) return;
  const [path, remedy] = folds === 0 ? ['knobs', 'fewer sets'] : ['walkForward', 'longer tests or fewer sets'];
  throw invalidField(path, `makes ${jobs} jobs of ${sets} sets, more than ${most} jobs: use ${remedy}`);
}

async function launch(context: ApiContext, incoming: Incoming<typeof launchSweep>) {
  const { profile, commit, body } = incoming;
  const { database, queue } = context;
  const { symbol, overrideConfig, ...input } = body;
  requireWindow(input, context.now());
  // Fixed now: every unit must use the same window.
  const endMs = openWindowEnd(Date.parse(input.from), context.now().getTime());
  const terms = { ...input, to: input.to ?? new Date(endMs).toISOString() };
  const folds = foldCount(terms);
  const { strategy, venue, config, coins, warnings } = await prepareLaunch(context, incoming, {
    symbols: [symbol],
    overrideConfig,
    balance: terms.balance,
  });
  if (strategy.plansBaskets === true)
    throw invalidField('symbol', `is one coin, but ${strategy.name} plans over all coins of a profile at once`);
  const [coin] = coins;
  // The worker creates the sets: that takes seconds of processor time.
  const counted = countCandidates(strategy, coin?.config, { knobs: terms.knobs, draw: drawOf(terms) });
  if (counted.kind === 'problem') throw invalidField('knobs', counted.sentence);
  const request = { ...terms, venue, coin };
  const units = unitsOf(Array.from({ length: counted.value }, (_, set) => set));
  const jobs = units.length * (folds + 1);
  requireFewJobs(context, { sets: counted.value, jobs, folds });
  await requireLaunchAllowance(context);
  return inTurn(database, () =>
    commit(async ({ transaction }) => {
      await requireOpenSlot(context, transaction, { kind: 'sweep', profile });
      const { id: profileId, strategyName } = profile;
      const sweep = { profileId, strategyName, config, request, warnings, units, folds };
      const sweepId = await createSweep(transaction, sweep);
      await queue.enqueueAllIn(transaction, 'run-sweep-unit', unitJobs(sweepId, { first: 0, last: folds }, units));
      return { answer: { sweepId, sets: counted.value, units: jobs, warnings }, subject: sweepId, after: request };
    }),
  );
}

const sweepView = (row: SweepView) => ({
  ...researchView(row),
  request: row.request,
  sets: row.sets,
  units: row.units ?? 0,
  unitsDone: row.unitsDone ?? 0,
});

/** A result without its other settings and without the folds of a walk-forward. */
function bestOf(stored: unknown) {
  const result = sweepResult.nullable().parse(stored);
  if (result === null) return null;
  const { rows, walkForward, ...numbers } = result;
  const unseen = walkForward === undefined ? {} : { walkForward: { ...walkForward, folds: [] } };
  return { ...numbers, rows: rows.slice(0, 1), ...unseen };
}

async function requireSweep(
  { database }: ApiContext,
  { params }: Pick<Incoming<typeof readSweep>, 'params'>,
): Promise<SweepView> {
  const sweep = await selectSweep(database.kysely, params.sweepId);
  if (sweep?.profileId === params.id) return sweep;
  throw new ApiProblem('not_found', `The profile has no sweep ${params.sweepId}.`);
}

async function abort(context: ApiContext, incoming: Incoming<typeof abortSweep>) {
  const { id } = await requireSweep(context, incoming);
  return incoming.commit(async ({ transaction, profile }) => {
    const stopped = await abortResearch(transaction, { profileId: profile.id, id });
    if (!stopped) throw new ApiProblem('conflict', 'The sweep has already ended.');
    await deleteWaitingUnits(transaction, id);
    return { answer: undefined, subject: id };
  });
}

export function mountSweeps({ context, handle }: Routes): void {
  handle(launchSweep, (incoming) => launch(context, incoming));
  handle(listSweeps, async ({ profile }) => ({
    sweeps: (await selectSweeps(context.database.kysely, profile.id)).map((row) => ({
      ...sweepView(row),
      result: bestOf(row.result),
    })),
  }));
  handle(readSweep, async (incoming) => {
    const sweep = await requireSweep(context, incoming);
    return { ...sweepView(sweep), result: sweepResult.nullable().parse(sweep.result) };
  });
  handle(abortSweep, (incoming) => abort(context, incoming));
}
