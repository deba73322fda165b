import { runRequest, type StoredRunRequest } from '#core/research/research.ts';
import { createRun, readRun } from '#storage/research/research.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { repeatBacktest } from '#api/contract/research.ts';
import type { Incoming, Routes } from '#api/handle.ts';
import { ApiProblem } from '#api/frame/problem.ts';
import { inTurn, requireLaunchAllowance, requireOpenSlot } from '#api/checks/research-limits.ts';
import { requireFewCandles } from '#api/checks/research-sharing.ts';
import { requireRun, runView } from './backtests.ts';

/** Terms of a stored request; an open window ends at the start of the run. */
function termsOf({ request, createdAt }: { readonly request: StoredRunRequest; readonly createdAt: Date }) {
  const kept = Object.entries(request).filter(([name]) => !OWN.includes(name));
  return { ...Object.fromEntries(kept), to: request.to ?? createdAt.toISOString() };
}

/** Fields that a repeated run keeps: its coins, how they share money, and the limits of its launch. */
const OWN = ['coins', 'venue', 'purse', 'scope', 'limits'];

/** The settings and coins of one run, over the window, candles, money and costs of another. */
async function repeat(context: ApiContext, incoming: Incoming<typeof repeatBacktest>) {
  const { profile, commit, body } = incoming;
  const { database, queue } = context;
  const run = await requireRun(context, incoming);
  const like = await readRun(database.kysely, profile.id, body.termsOf);
  if (like === undefined) throw new ApiProblem('not_found', `The profile has no backtest ${body.termsOf}.`);
  const own = Object.entries(run.request).filter(([name]) => OWN.includes(name));
  const request = { ...termsOf(like), ...Object.fromEntries(own) };
  const parsed = runRequest.safeParse(request);
  if (!parsed.success)
    throw new ApiProblem('conflict', 'Another version stored one of the two backtests: start it again.');
  requireFewCandles(parsed.data, 'termsOf');
  const { strategyName, config, warnings, fingerprints } = run;
  await requireLaunchAllowance(context);
  return inTurn(database, () =>
    commit(async ({ transaction }) => {
      await requireOpenSlot(context, transaction, { kind: 'backtest', profile });
      const copy = { profileId: profile.id, strategyName, config, request, warnings, fingerprints };
      const runId = await createRun(transaction, copy);
      const jobId = (await queue.enqueueIn(transaction, { name: 'run-backtest', data: { runId } })) ?? '';
      const after = { ...request, repeats: run.id };
      return { answer: { runId, jobId, warnings: runView(run).warnings }, subject: runId, after };
    }),
  );
}

export function mountBacktestRepeat({ context, handle }: Routes): void {
  handle(repeatBacktest, (incoming) => repeat(context, incoming));
}
