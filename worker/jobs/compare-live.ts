import { z } from 'zod';
import { newId, type ProfileId } from '#core/ids.ts';
import { compareResults, type LiveComparison, type Outcome, verdictOf } from '#core/research/live-comparison.ts';
import { runRequest } from '#core/research/research.ts';
import {
  cyclesSince,
  failComparison,
  keepComparison,
  listCompared,
  readComparison,
  requestComparison,
  slippagesSince,
} from '#storage/research/live-checks.ts';
import { readPinned } from '#storage/research/research.ts';
import type { JobRun, Queue } from '#storage/jobs/queue.ts';
import type { WorkerContext } from '#worker/context.ts';
import { replayDay } from './replay-day.ts';

/**
 * Compares one profile with what was tested: its results since the reference backtest with that backtest, and its last
 * day with a replay. Without a profile it queues one comparison for each profile.
 */
export async function compareLive(
  { context, queue }: { readonly context: WorkerContext; readonly queue: Queue },
  profileId: ProfileId | undefined,
  { signal }: Pick<JobRun, 'signal'>,
): Promise<void> {
  const { kysely } = context.database;
  if (profileId === undefined) {
    for (const id of await listCompared(kysely)) {
      await requestComparison(kysely, id);
      await queue.enqueue('compare-live', { profileId: id }, { singletonKey: id });
    }
    return;
  }
  try {
    const reference = await compareWithReference(context, profileId);
    const day = await replayDay(context, profileId, signal);
    if (day === null) return;
    const { reference: before } = await readComparison(kysely, profileId);
    await keepComparison(kysely, profileId, { reference, day });
    reportVerdict(context, profileId, { before, now: reference });
  } catch (error) {
    await failComparison(kysely, profileId, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** Closed positions and costs of a stored result. */
const testedResult = z.object({
  slippageBps: z.number(),
  spreadBps: z.number().default(0),
  cycles: z.array(z.object({ symbol: z.string().optional(), cycle: z.number(), net: z.string() })),
  fills: z.array(
    z.object({ symbol: z.string().optional(), cycle: z.number(), side: z.enum(['buy', 'sell']), quote: z.string() }),
  ),
});
type TestedResult = z.output<typeof testedResult>;

/** Expected cost of a market order against the last price: slippage and half the spread. */
const expectedBps = (result?: TestedResult): number =>
  result === undefined ? 0 : result.slippageBps + result.spreadBps / 2;

function outcomesOf({ cycles, fills }: TestedResult, isOwn: (symbol?: string) => boolean): Outcome[] {
  const keyOf = (row: { symbol?: string | undefined; cycle: number }): string => `${row.symbol} ${row.cycle}`;
  const bought = new Map<string, number>();
  for (const fill of fills)
    if (fill.side === 'buy') bought.set(keyOf(fill), (bought.get(keyOf(fill)) ?? 0) + Number(fill.quote));
  return cycles
    .filter(({ symbol }) => isOwn(symbol))
    .map((cycle) => {
      const net = Number(cycle.net);
      return { net, share: net / (bought.get(keyOf(cycle)) ?? Number.POSITIVE_INFINITY) };
    });
}

/** Null without a reference backtest. */
async function compareWithReference(
  { database }: Pick<WorkerContext, 'database'>,
  profileId: ProfileId,
): Promise<LiveComparison['reference']> {
  const run = await readPinned(database.kysely, profileId);
  if (run === undefined || run.pinnedAt === null) return null;
  const results = Object.values(run.results).flatMap((result) => testedResult.safeParse(result).data ?? []);
  // A run of all profiles of an account also holds the results of the others.
  const coins = runRequest.safeParse(run.request).data?.coins ?? [];
  const foreign = new Set(coins.flatMap((coin) => ((coin.profileId ?? profileId) === profileId ? [] : [coin.symbol])));
  const since = run.pinnedAt;
  const tests = compareResults({
    tested: {
      cycles: results.flatMap((result) => outcomesOf(result, (symbol) => !foreign.has(symbol ?? ''))),
      slippageBps: expectedBps(results[0]),
    },
    live: {
      cycles: await cyclesSince(database, profileId, since),
      slippages: await slippagesSince(database, profileId, since),
    },
  });
  return { at: new Date().toISOString(), runId: run.id, since: since.toISOString(), verdict: verdictOf(tests), tests };
}

interface Verdicts {
  readonly before: LiveComparison['reference'];
  readonly now: LiveComparison['reference'];
}

/** Logs a change of the verdict. A change to worse notifies the operator. */
function reportVerdict(
  { records }: Pick<WorkerContext, 'records'>,
  profileId: ProfileId,
  { before, now }: Verdicts,
): void {
  if (now === null) return;
  const { runId, verdict, tests } = now;
  if (verdict === (before?.runId === runId ? before.verdict : 'undecided')) return;
  const worse = tests.filter((one) => one.verdict === 'worse').map(({ sentence }) => sentence);
  const msg = {
    worse: `Live trading is worse than its reference backtest: ${worse.join(' ')}`,
    'as-tested': 'Live trading matches its reference backtest.',
    undecided: 'The comparison of live trading with its reference backtest has started again.',
  }[verdict];
  const [level, event] = verdict === 'worse' ? (['warn', 'drift_worse'] as const) : (['info', 'drift'] as const);
  const at = new Date(now.at);
  const row = { id: newId<string>(), profileId, symbol: null, level, msg, ctx: { event, runId, tests } };
  records.log({ ...row, count: 1, firstAt: at, lastAt: at });
}
