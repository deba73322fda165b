import { shadowReport } from '#core/research/shadow.ts';
import { driftReport } from '#core/research/drift.ts';
import { readReport, requestReport, saveGateBars } from '#storage/research/live-checks.ts';
import { readPinned } from '#storage/research/research.ts';
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

async function changeBars(context: ApiContext, { profile, commit, body }: Incoming<typeof changeLiveGate>) {
  const before = await barsOf(context, profile.id);
  const given = Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
  const after = { ...before, ...given };
  await commit(async ({ transaction }) => {
    await saveGateBars(transaction, profile.id, after);
    return { answer: undefined, before, after };
  });
  return readGate(context, profile);
}

async function startShadow({ queue }: ApiContext, { profile, commit }: Incoming<typeof startShadowReplay>) {
  const { id, symbols } = profile;
  if (symbols.length === 0) throw new ApiProblem('conflict', 'The profile has no coin to replay: add one first.');
  return commit(async ({ transaction }) => {
    await requestReport(transaction, id, 'shadow');
    const job = { name: 'shadow-replay', data: { profileId: id }, singletonKey: id } as const;
    return { answer: { jobId: (await queue.enqueueIn(transaction, job)) ?? '' } };
  });
}

export function mountLiveChecks({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(readLiveGate, ({ profile }) => readGate(context, profile));
  handle(changeLiveGate, (incoming) => changeBars(context, incoming));
  handle(readDrift, async ({ profile: { id } }) => {
    const pinned = await readPinned(kysely, id);
    const stored = driftReport.nullish().parse((await readReport(kysely, id, 'drift'))?.report) ?? null;
    const report = stored?.runId === pinned?.id ? stored : null;
    return { pinnedRunId: pinned?.id ?? null, report };
  });
  handle(readShadowReplay, async ({ profile: { id } }) => {
    const stored = await readReport(kysely, id, 'shadow');
    return {
      requestedAt: stored?.requestedAt?.toISOString() ?? null,
      error: stored?.error ?? null,
      report: shadowReport.nullish().parse(stored?.report) ?? null,
    };
  });
  handle(startShadowReplay, (incoming) => startShadow(context, incoming));
}
