import { shadowReport } from '#core/research/shadow.ts';
import { driftReport } from '#core/research/drift.ts';
import { readReport, requestReport, saveGateBars } from '#storage/research/live-checks.ts';
import { readPinned } from '#storage/research/research.ts';
import { auditChange } from '#api/audit.ts';
import type { ApiContext } from '#api/frame/context.ts';
import {
  changeLiveGate,
  readDrift,
  readLiveGate,
  readShadowReplay,
  startShadowReplay,
} from '#api/contract/live-checks.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { barsOf, readGate } from '#api/checks/live-gate.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { requireProfile } from '#api/require.ts';

async function changeBars(context: ApiContext, { operator, caller, params, body }: Incoming<typeof changeLiveGate>) {
  const { database } = context;
  const profile = await requireProfile(database.kysely, operator, params.id);
  const before = await barsOf(context, profile.id);
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const after = { ...before, ...given };
  await database.transaction(async (transaction) => {
    await saveGateBars(transaction, profile.id, after);
    const change = { action: 'live-gate.change', subject: profile.id, before, after };
    await auditChange(transaction, { operator, caller }, change);
  });
  return readGate(context, profile);
}

async function startShadow(context: ApiContext, { operator, caller, params }: Incoming<typeof startShadowReplay>) {
  const { database, queue } = context;
  const { id, symbols } = await requireProfile(database.kysely, operator, params.id);
  if (symbols.length === 0) throw new ApiProblem('conflict', 'The profile has no coin to replay: add one first.');
  const jobId = await database.transaction(async (transaction) => {
    await requestReport(transaction, id, 'shadow');
    const job = { name: 'shadow-replay', data: { profileId: id }, singletonKey: id } as const;
    const queued = await queue.enqueueIn(transaction, job);
    await auditChange(transaction, { operator, caller }, { action: 'shadow-replay.start', subject: id });
    return queued;
  });
  return { jobId: jobId ?? '' };
}

export function mountLiveChecks({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(readLiveGate, async ({ operator, params }) =>
    readGate(context, await requireProfile(kysely, operator, params.id)),
  );
  handle(changeLiveGate, (incoming) => changeBars(context, incoming));
  handle(readDrift, async ({ operator, params }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const pinned = await readPinned(kysely, id);
    const stored = driftReport.nullish().parse((await readReport(kysely, id, 'drift'))?.report) ?? null;
    const report = stored?.runId === pinned?.id ? stored : null;
    return { pinnedRunId: pinned?.id ?? null, report };
  });
  handle(readShadowReplay, async ({ operator, params }) => {
    const { id } = await requireProfile(kysely, operator, params.id);
    const stored = await readReport(kysely, id, 'shadow');
    return {
      requestedAt: stored?.requestedAt?.toISOString() ?? null,
      error: stored?.error ?? null,
      report: shadowReport.nullish().parse(stored?.report) ?? null,
    };
  });
  handle(startShadowReplay, (incoming) => startShadow(context, incoming));
}
