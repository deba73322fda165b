import { z } from 'zod';
import { type DriftReport, driftReport, driftTests, driftVerdict, type Outcome } from '#core/research/drift.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { runRequest } from '#core/research/research.ts';
import { cyclesSince, keepReport, listPinning, readReport, slippagesSince } from '#storage/research/live-checks.ts';
import { readPinned } from '#storage/research/research.ts';
import type { WorkerContext } from '#worker/context.ts';

/** Closed positions and costs of a stored result. */
const testedResult = z.object({
  slippageBps: z.number(),
  spreadBps: z.number().default(0),
  cycles: z.array(z.object({ symbol: z.string().optional(), cycle: z.number(), net: z.string() })),
  fills: z.array(
    z.object({ symbol: z.string().optional(), cycle: z.number(), side: z.enum(['buy', 'sell']), quote: z.string() }),
  ),
});

/** Expected cost of a market order against the last price: slippage and half the spread. */
const expectedBps = (result?: z.output<typeof testedResult>): number =>
  result === undefined ? 0 : result.slippageBps + result.spreadBps / 2;

/** Coins that other profiles traded in a run: their results do not count for this profile. */
function foreignSymbols(request: unknown, profileId: ProfileId): ReadonlySet<string | undefined> {
  const coins = runRequest.safeParse(request).data?.coins ?? [];
  const foreign = coins.filter((coin) => (coin.profileId ?? profileId) !== profileId);
  return new Set(foreign.map(({ symbol }) => symbol));
}

function outcomesOf({ cycles, fills }: z.output<typeof testedResult>): Outcome[] {
  const keyOf = (row: { symbol?: string | undefined; cycle: number }): string => `${row.symbol} ${row.cycle}`;
  const bought = new Map<string, number>();
  for (const fill of fills)
    if (fill.side === 'buy') bought.set(keyOf(fill), (bought.get(keyOf(fill)) ?? 0) + Number(fill.quote));
  return cycles.map((cycle) => ({
    net: Number(cycle.net),
    share: Number(cycle.net) / (bought.get(keyOf(cycle)) ?? Number.POSITIVE_INFINITY),
  }));
}

type Watching = Pick<WorkerContext, 'database' | 'records'>;

/**
 * Compares the trades of each profile since its backtest was pinned with that backtest. A change of the verdict is
 * logged and published.
 */
export async function watchDrift(context: Watching, now = new Date()): Promise<void> {
  for (const profileId of await listPinning(context.database.kysely)) await watch(context, profileId, now);
}

async function watch({ database, records }: Watching, profileId: ProfileId, now: Date): Promise<void> {
  const { kysely } = database;
  const run = await readPinned(kysely, profileId);
  if (run === undefined || run.pinnedAt === null) return;
  const results = Object.values(isObject(run.results) ? run.results : {}).flatMap((result) => {
    const parsed = testedResult.safeParse(result);
    return parsed.success ? [parsed.data] : [];
  });
  const foreign = foreignSymbols(run.request, profileId);
  const own = results.map((result) => {
    return { ...result, cycles: result.cycles.filter(({ symbol }) => !foreign.has(symbol)) };
  });
  const since = run.pinnedAt;
  const tests = driftTests({
    tested: { cycles: own.flatMap(outcomesOf), slippageBps: expectedBps(results[0]) },
    live: {
      cycles: await cyclesSince(database, profileId, since),
      slippages: await slippagesSince(database, profileId, since),
    },
  });
  const verdict = driftVerdict(tests);
  const before = driftReport.safeParse((await readReport(kysely, profileId, 'drift'))?.report).data;
  const report: DriftReport = { at: now.toISOString(), runId: run.id, since: since.toISOString(), verdict, tests };
  await keepReport(kysely, { profileId, kind: 'drift' }, { report });
  if (verdict === (before?.runId === run.id ? before.verdict : 'undecided')) return;
  const worse = tests.filter((one) => one.verdict === 'worse').map(({ sentence }) => sentence);
  const sentence =
    verdict === 'worse'
      ? `Live trading is worse than its pinned backtest: ${worse.join(' ')}`
      : verdict === 'as-tested'
        ? 'Live trading matches its pinned backtest.'
        : 'The comparison of live trading with its pinned backtest has started again.';
  records.log({
    id: newId<string>(),
    profileId,
    symbol: null,
    level: verdict === 'worse' ? 'warn' : 'info',
    msg: sentence,
    ctx: { event: verdict === 'worse' ? 'drift_worse' : 'drift', runId: run.id, tests },
    count: 1,
    firstAt: now,
    lastAt: now,
  });
}
