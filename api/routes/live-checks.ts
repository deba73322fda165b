import { readComparison, requestComparison, saveGateBars } from '#storage/research/live-checks.ts';
import { readPinned } from '#storage/research/research.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { changeLiveGate, readLiveComparison, readLiveGate, startLiveComparison } from '#api/contract/live-checks.ts';
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

async function start({ queue }: ApiContext, { profile, commit }: Incoming<typeof startLiveComparison>) {
  const { id, symbols } = profile;
  if (symbols.length === 0) throw new ApiProblem('conflict', 'The profile has no coin to compare: add one first.');
  return commit(async ({ transaction }) => {
    await requestComparison(transaction, id);
    const job = { name: 'compare-live', data: { profileId: id }, singletonKey: id } as const;
    return { answer: { jobId: (await queue.enqueueIn(transaction, job)) ?? '' } };
  });
}

export function mountLiveChecks({ context, handle }: Routes): void {
  const { kysely } = context.database;
  handle(readLiveGate, ({ profile }) => readGate(context, profile));
  handle(changeLiveGate, (incoming) => changeBars(context, incoming));
  handle(readLiveComparison, async ({ profile: { id } }) => {
    const pinnedRunId = (await readPinned(kysely, id))?.id ?? null;
    const { requestedAt, reference, ...stored } = await readComparison(kysely, id);
    return {
      ...{ ...stored, pinnedRunId, requestedAt },
      reference: reference?.runId === pinnedRunId ? reference : null,
    };
  });
  handle(startLiveComparison, (incoming) => start(context, incoming));
}
