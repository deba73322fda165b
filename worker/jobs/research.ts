import type { ProfileId } from '#core/ids.ts';
import { BASKET } from '#core/research/costs.ts';
import { runRequest, type RunRequest } from '#core/research/research.ts';
import { SEPARATE_WARNING } from '#backtest/portfolio-backtest.ts';
import { type BacktestResult, storedResult } from '#core/research/backtest-result.ts';
import type { JobRun } from '#storage/jobs/queue.ts';
import {
  addResult,
  finishResearch,
  readAnyRun,
  readRun,
  type ResearchKind,
  saveRobustness,
  stateOf,
  startRun,
} from '#storage/research/research.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { examineApart, runBacktestApart } from '#worker/backtest-in-thread.ts';
import type { WorkerContext } from '#worker/context.ts';
import { notifyEvent } from '#worker/notify.ts';
import { prepareResearch } from './research-input.ts';
import { backtestMessage } from './research-messages.ts';
import { type BacktestStart, ResearchRefused } from './prepared.ts';

const CHECK_EVERY_MS = 1_000;
/** Largest results of a run in a live demo, where any visitor may start backtests that trade every minute. */
const MOST_DEMO_BYTES = 500_000;

class Stopped extends Error {}

interface Work {
  readonly kind: ResearchKind;
  readonly id: string;
  readonly profileId: string;
  readonly run: JobRun;
}

/**
 * Runs work that the operator can stop; checks for a stop every second. A refusal by strategy or data ends the whole
 * run with a sentence; the queue retries after any other error.
 */
export async function stoppable(
  context: WorkerContext,
  { kind, id, profileId, run }: Work,
  work: (signal: AbortSignal) => Promise<void>,
) {
  const { kysely } = context.database;
  const stop = new AbortController();
  const checks = setInterval(() => {
    stateOf(kysely, id).then(
      (state) => (state === 'running' ? undefined : stop.abort(new Stopped('stopped by the operator'))),
      () => {},
    );
  }, CHECK_EVERY_MS);
  try {
    await work(AbortSignal.any([stop.signal, run.signal]));
  } catch (error) {
    if (error instanceof Stopped) return;
    if (!(error instanceof ResearchRefused)) throw error;
    await finishResearch(kysely, { id, state: 'failed', error: error.message });
  } finally {
    clearInterval(checks);
    const state = await stateOf(kysely, id).catch(() => undefined);
    context.announcer.announce({ topic: kind, id: profileId, data: { id, state } });
  }
}

type Coins = RunRequest['coins'];

interface Run {
  readonly strategyName: string;
  readonly profileId: ProfileId;
  readonly request: RunRequest;
}

/** The parts of a run with separate results, by name: every coin, or all coins that share a balance. */
function resultUnits({ strategyName, request: { purse, coins } }: Run): [string, Coins][] {
  const isBasket = STRATEGIES.get(strategyName)?.plansBaskets === true;
  if (isBasket || (purse === 'shared' && coins.length > 1)) return [[BASKET, coins]];
  return coins.map((coin): [string, Coins] => [coin.symbol, [coin]]);
}

async function startOf(
  context: WorkerContext,
  { run, coins }: { readonly run: Run; readonly coins: Coins },
  signal: AbortSignal,
): Promise<BacktestStart> {
  const { request } = run;
  const inputs: BacktestStart['inputs'][number][] = [];
  for (const { symbol, config, profileId = run.profileId, strategyName = run.strategyName } of coins) {
    const prepared = await prepareResearch(context, { strategyName, profileId, request, symbol, config }, signal);
    inputs.push({ ...prepared, profileId });
  }
  return { inputs, ...(request.limits === undefined ? {} : { limits: request.limits }) };
}

const withWarning = (result: BacktestResult, { purse }: RunRequest): BacktestResult =>
  purse === 'separate' ? { ...result, warnings: [SEPARATE_WARNING, ...result.warnings] } : result;

/**
 * Runs a backtest: coins one after the other, or together when they share a balance. Keeps results of an earlier
 * attempt. Publishes the end, unless the operator stopped it.
 */
export async function runBacktestJob(context: WorkerContext, runId: string, run: JobRun): Promise<void> {
  const { kysely } = context.database;
  const taken = await startRun(kysely, runId);
  if (taken === undefined) return;
  const { strategyName, profileId } = taken;
  const request = runRequest.parse(taken.request);
  const wanted = { strategyName, profileId, request };
  await stoppable(context, { kind: 'backtest', id: runId, profileId, run }, async (signal) => {
    let bytes = 0;
    for (const [symbol, coins] of resultUnits(wanted)) {
      if (symbol in taken.results) continue;
      const start = await startOf(context, { run: wanted, coins }, signal);
      const outcome = await runBacktestApart(start, { files: context.fileBacktests, signal });
      if (outcome.kind === 'refused') throw new ResearchRefused(outcome.sentence);
      const result = withWarning(outcome.result, request);
      bytes += JSON.stringify(result).length;
      if (context.env.LIVE_DEMO && bytes > MOST_DEMO_BYTES) throw tooLong();
      await addResult(kysely, runId, { symbol, result });
    }
    await finishResearch(kysely, { id: runId, state: 'done' });
  });
  const ended = await readRun(kysely, profileId, runId);
  if (ended?.state !== 'done' && ended?.state !== 'failed') return;
  const symbols = request.coins.map(({ symbol }) => symbol);
  await notifyEvent(context.notifyDeps, profileId, backtestMessage(symbols, { id: runId, error: ended.error }));
}

const tooLong = (): ResearchRefused =>
  new ResearchRefused(
    `The results are longer than the ${MOST_DEMO_BYTES / 1000} kB that a live demo keeps. Choose fewer coins, a shorter time, or settings that trade less.`,
  );

/** Parts of a stored result that the robustness report needs. */
const examinable = storedResult.pick({ balance: true, cycles: true, dailyEquity: true });

/** Computes the robustness report of a finished backtest, coin by coin, each in a separate thread. */
export async function testRobustnessJob(context: WorkerContext, runId: string, run: JobRun): Promise<void> {
  const { kysely } = context.database;
  const stored = await readAnyRun(kysely, runId);
  if (stored?.state !== 'done') return;
  const { strategyName, profileId, results } = stored;
  const wanted = { strategyName, profileId, request: runRequest.parse(stored.request) };
  const found: Record<string, unknown> = {};
  let error: string | null = null;
  try {
    for (const [symbol, coins] of resultUnits(wanted)) {
      const result = examinable.safeParse(results[symbol]);
      if (!result.success) continue;
      const start = await startOf(context, { run: wanted, coins }, run.signal);
      found[symbol] = await examineApart(
        { ...start, result: result.data },
        { files: context.fileBacktests, signal: run.signal },
      );
    }
  } catch (thrown) {
    if (!(thrown instanceof ResearchRefused)) throw thrown;
    error = thrown.message;
  }
  const state = error === null ? 'done' : 'failed';
  await saveRobustness(kysely, runId, { state, error, coins: found });
  context.announcer.announce({ topic: 'backtest', id: profileId, data: { id: runId, state } });
}
