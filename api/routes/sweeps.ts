import { drawOf, unitsOf } from '#core/research.ts';
import {
  abortResearch,
  createSweep,
  listSweeps as selectSweeps,
  readSweep as selectSweep,
  type SweepView,
} from '#storage/research.ts';
import { candidatesOf } from '#strategies/candidates.ts';
import { auditChange } from '../audit.ts';
import type { ApiContext } from '../context.ts';
import { abortSweep, launchSweep, listSweeps, readSweep } from '../contract/research.ts';
import type { Incoming, Routes } from '../handle.ts';
import { ApiProblem, invalidField } from '../problem.ts';
import { asRecord, prepareLaunch } from '../research-launch.ts';
import { requireProfile } from '../require.ts';
import { requireWindow } from './backtests.ts';

async function launch(context: ApiContext, { operator, caller, params, body }: Incoming<typeof launchSweep>) {
  const { database, queue } = context;
  const { symbol, overrideConfig, ...terms } = body;
  requireWindow(terms, context.now());
  const { profile, strategy, venue, config, coins, warnings } = await prepareLaunch(context, operator, {
    id: params.id,
    symbols: [symbol],
    overrideConfig,
  });
  const [coin] = coins;
  const made = candidatesOf(strategy, coin?.config, { knobs: terms.knobs, draw: drawOf(terms) });
  if (made.kind === 'problem') throw invalidField('knobs', made.sentence);
  const request = { ...terms, venue, coin };
  const units = unitsOf(made.value.candidates.map(({ set }) => set));
  return database.transaction(async (transaction) => {
    const { id: profileId, strategyName } = profile;
    const sweepId = await createSweep(transaction, { profileId, strategyName, config, request, warnings, units });
    for (const number of units.keys()) {
      await queue.enqueueIn(transaction, { name: 'run-sweep-unit', data: { sweepId, stage: 0, number } });
    }
    await auditChange(transaction, { operator, caller }, { action: 'sweep.launch', subject: sweepId, after: request });
    return { sweepId, sets: units.flat().length, units: units.length, warnings };
  });
}

const sweepView = (row: SweepView) => ({
  id: row.id,
  state: row.state,
  strategyName: row.strategyName,
  request: asRecord(row.request),
  config: asRecord(row.config),
  sets: row.sets,
  units: row.units ?? 0,
  unitsDone: row.unitsDone ?? 0,
  warnings: launchSweep.response.shape.warnings.parse(row.warnings),
  error: row.error,
  createdAt: row.createdAt.toISOString(),
  finishedAt: row.finishedAt?.toISOString() ?? null,
});

async function requireSweep(
  { database }: ApiContext,
  { operator, params }: Pick<Incoming<typeof readSweep>, 'operator' | 'params'>,
): Promise<SweepView> {
  await requireProfile(database.kysely, operator, params.id);
  const sweep = await selectSweep(database.kysely, params.sweepId);
  if (sweep?.profileId === params.id) return sweep;
  throw new ApiProblem('not_found', `The profile has no sweep ${params.sweepId}.`);
}

async function abort(context: ApiContext, incoming: Incoming<typeof abortSweep>) {
  const { id } = await requireSweep(context, incoming);
  const { operator, caller, params } = incoming;
  await context.database.transaction(async (transaction) => {
    const stopped = await abortResearch(transaction, 'sweeps', { profileId: params.id, id });
    if (!stopped) throw new ApiProblem('conflict', 'The sweep has ended already.');
    await auditChange(transaction, { operator, caller }, { action: 'sweep.abort', subject: id });
  });
  return undefined;
}

export function mountSweeps({ context, handle }: Routes): void {
  handle(launchSweep, (incoming) => launch(context, incoming));
  handle(listSweeps, async ({ operator, params }) => {
    await requireProfile(context.database.kysely, operator, params.id);
    return { sweeps: (await selectSweeps(context.database.kysely, params.id)).map(sweepView) };
  });
  handle(readSweep, async (incoming) => {
    const sweep = await requireSweep(context, incoming);
    return { ...sweepView(sweep), result: sweep.result };
  });
  handle(abortSweep, (incoming) => abort(context, incoming));
}
