import { mergePatch } from '#core/merge.ts';
import {
  type DryRunCoins,
  dryRunCoins,
  type DryRunOpening,
  dryRunOpening,
  type DryRunResult,
} from '#core/research/dry-run.ts';
import { PREVIEW_BALANCE } from '#core/research/costs.ts';
import { runLimits } from '#core/research/research.ts';
import type { JobRun, Queue } from '#storage/jobs/queue.ts';
import { failDryRun, keepOpening, keepResult, listRunning, readRunning } from '#storage/research/dry-runs.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { compareApart } from '#worker/backtest-in-thread.ts';
import type { WorkerContext } from '#worker/context.ts';
import { notifyEvent } from '#worker/notify.ts';
import {
  assumptionsOf,
  type DryRunAccount,
  quoteAssetOf,
  readDryRunAccount,
  readMarketMs,
  readOpening,
} from './dry-run-opening.ts';
import { type DryRunStart, type Prepared, ResearchRefused } from './prepared.ts';
import { prepareResearch, requireStrategy } from './research-input.ts';
import { dryRunMessage } from './research-messages.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** A dry run is computed again when this share of its time has passed since, and at most once a minute: long ones stay cheap. */
const SHARE = 0.01;
/** Time after a minute has closed until its candle can be read. */
const CLOSE_MS = 3_000;
/** Attempts after which an unexpected error ends the dry run. */
const ATTEMPTS = 5;

interface Work {
  readonly context: WorkerContext;
  readonly queue: Queue;
}

type Running = NonNullable<Awaited<ReturnType<typeof readRunning>>>;

/** Takes the evaluations of dry runs from the queue. Those that run already may have lost their job, by a restore or an outage. */
export async function workDryRuns(context: WorkerContext, queue: Queue): Promise<void> {
  await queue.work('evaluate-dry-run', ({ dryRunId }, run) => evaluateDryRun({ context, queue }, dryRunId, run));
  for (const dryRunId of await listRunning(context.database.kysely))
    await queue.enqueue('evaluate-dry-run', { dryRunId }, { singletonKey: dryRunId });
}

/** Computes both sides of a running dry run up to now. It reads candles and positions, and cannot send an order. */
async function evaluateDryRun(work: Work, id: string, run: Pick<JobRun, 'attempt' | 'signal'>): Promise<void> {
  const { kysely } = work.context.database;
  const running = await readRunning(kysely, id);
  if (running === undefined) return;
  try {
    await evaluate(work, running, run.signal);
  } catch (error) {
    run.signal.throwIfAborted();
    if (!(error instanceof ResearchRefused) && run.attempt < ATTEMPTS) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    const failed = await failDryRun(kysely, id, reason);
    announce(work, running, 'failed');
    if (failed) await notify(work, running, { error: reason });
  }
}

const announce = ({ context }: Work, { id, profileId }: Running, state: string): void =>
  context.announcer.announce({ topic: 'dry-run', id: profileId, data: { id, state } });

const notify = ({ context }: Work, running: Running, ended: Parameters<typeof dryRunMessage>[1]): Promise<void> => {
  const symbols = coinsOf(running).map(({ symbol }) => symbol);
  return notifyEvent(context.notifyDeps, running.profileId, dryRunMessage(symbols, ended));
};

async function evaluate(work: Work, running: Running, signal: AbortSignal): Promise<void> {
  const { context } = work;
  const strategy = requireStrategy(running.strategyName);
  const account = await readDryRunAccount(context, running.profileId);
  if (account === undefined) return;
  const coins = coinsOf(running);
  const opening = await openingOf(context, running, account);
  if (opening === undefined) return enqueueNext(work, running.id, MINUTE_MS);
  const fromMs = Date.parse(opening.from);
  const marketMs = await readMarketMs(context, account.venue);
  const usualMs = (running.decisions / coins.length) * MINUTE_MS;
  const mostMs = fromMs + Math.ceil((2 * usualMs + DAY_MS) / MINUTE_MS) * MINUTE_MS;
  const toMs = Math.min(mostMs, marketMs - (marketMs % MINUTE_MS));
  if (toMs <= Math.max(fromMs, running.evaluatedTo?.getTime() ?? 0)) return enqueueNext(work, running.id, MINUTE_MS);
  const start = await prepare(context, { running, strategy, account, opening, coins, fromMs, toMs }, signal);
  const compared = await compareApart(start, { files: context.fileBacktests, signal });
  const result = { ...compared, assumptions: assumptionsOf(opening) };
  const finished = result.decisions >= running.decisions || toMs === mostMs;
  if (finished && result.decisions === 0) throw new ResearchRefused(`No coin could be computed. ${reasonIn(result)}`);
  const kept = await keepResult(context.database.kysely, running.id, { result, finished });
  announce(work, running, finished ? 'finished' : 'running');
  if (kept && finished) await notify(work, running, result);
  const left = (1 - result.decisions / running.decisions) * usualMs;
  if (!finished) await enqueueNext(work, running.id, Math.max(MINUTE_MS, Math.min((toMs - fromMs) * SHARE, left)));
}

const reasonIn = ({ coins }: DryRunResult): string =>
  coins.map(({ symbol, refused }) => `${symbol}: ${refused}`)[0] ?? '';

/** A crash before it leaves the attempt to the queue; a second job of the same dry run is not added. */
async function enqueueNext({ queue }: Work, dryRunId: string, afterMs: number): Promise<void> {
  const atMs = Date.now() + afterMs;
  const startAfter = new Date(atMs - (atMs % MINUTE_MS) + CLOSE_MS);
  await queue.enqueue('evaluate-dry-run', { dryRunId }, { singletonKey: dryRunId, startAfter });
}

type Coin = DryRunCoins[number];

const coinsOf = ({ coins }: Running): Coin[] => dryRunCoins.parse(coins);

/** The stored opening; the first evaluation reads and stores it. Undefined while the exchange cannot be read, and after the end. */
async function openingOf(
  context: WorkerContext,
  running: Running,
  account: DryRunAccount,
): Promise<DryRunOpening | undefined> {
  const symbols = coinsOf(running).map(({ symbol }) => symbol);
  const read = async (): Promise<unknown> => {
    try {
      return await readOpening(context, account, symbols);
    } catch (error) {
      const msg = 'The start of a dry run could not be read. It is tried again in a minute.';
      context.log.warn({ event: 'dry_run_not_opened', dryRunId: running.id, err: error }, msg);
      return undefined;
    }
  };
  const opening = running.opening ?? (await read());
  if (opening === undefined) return undefined;
  const stored = await keepOpening(context.database.kysely, running.id, opening);
  return stored === undefined ? undefined : dryRunOpening.parse(stored);
}

interface Preparing {
  readonly running: Running;
  readonly strategy: AnyStrategy;
  readonly account: DryRunAccount;
  readonly opening: DryRunOpening;
  readonly coins: readonly Coin[];
  readonly fromMs: number;
  readonly toMs: number;
}

async function prepare(context: WorkerContext, input: Preparing, signal: AbortSignal): Promise<DryRunStart> {
  const { account, opening, fromMs, toMs } = input;
  const coins: DryRunStart['coins'][number][] = [];
  for (const coin of input.coins) coins.push(await preparePair(context, { ...input, coin }, signal));
  const limits = opening.limits === null ? undefined : runLimits.parse(opening.limits);
  return { profileId: account.profileId, coins, fromMs, toMs, ...(limits && { limits }) };
}

/** A coin with both configs. One that cannot be prepared now is named with the reason, and tried again the next time. */
async function preparePair(
  context: WorkerContext,
  { running, strategy, account, opening, coin, fromMs, toMs }: Preparing & { readonly coin: Coin },
  signal: AbortSignal,
): Promise<DryRunStart['coins'][number]> {
  const { symbol, overrideConfig } = coin;
  const { profileId, venue } = account;
  const own = opening.coins.find((each) => each.symbol === symbol);
  let quoteAsset = '';
  try {
    quoteAsset = await quoteAssetOf(context, venue, symbol);
    const window = { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
    const balance = opening.balances[quoteAsset] ?? PREVIEW_BALANCE;
    const request = { ...opening.costs, ...window, detailInterval: '1m' as const, balance, venue };
    const side = async (base: unknown): Promise<Prepared> => {
      const config = strategy.plansBaskets === true ? base : mergePatch(base, overrideConfig);
      const question = { strategyName: running.strategyName, profileId, request, symbol, config };
      return { ...(await prepareResearch(context, question, signal)), ...(own && { opening: own }) };
    };
    const [present, changed] = [await side(running.present), await side(running.changed)];
    // Both load the same candles, with the longer of their warm-ups.
    const stored = { ...present.stored, fromMs: Math.min(present.stored.fromMs, changed.stored.fromMs) };
    return { symbol, quoteAsset, input: { present: { ...present, stored }, changed: { ...changed, stored } } };
  } catch (error) {
    signal.throwIfAborted();
    return { symbol, quoteAsset, input: { refused: error instanceof Error ? error.message : String(error) } };
  }
}
