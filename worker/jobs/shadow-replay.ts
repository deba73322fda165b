import { venueOf } from '#core/account/account.ts';
import type { ProfileId } from '#core/ids.ts';
import { mergePatch } from '#core/merge.ts';
import { costTerms } from '#core/research/research.ts';
import type { ShadowCoin, ShadowReport } from '#core/research/shadow.ts';
import { openKernel } from '#backtest/run.ts';
import { compareDay } from '#backtest/shadow.ts';
import {
  decisionsOf,
  heldSince,
  keepReport,
  listEnabled,
  readChecked,
  requestReport,
  tradesOf,
} from '#storage/research/live-checks.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import type { JobRun, Queue } from '#storage/jobs/queue.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { WorkerContext } from '#worker/context.ts';
import { loadPrepared, prepareResearch } from './research-input.ts';
import { ResearchRefused } from './prepared.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/**
 * Longest replay. A replay starts without a position: a position from before the day is replayed from its opening.
 */
const LONGEST_MS = 60 * DAY_MS;
/** Enough for orders of a fixed size; sizes that depend on the equity are not compared. */
const BALANCE = '1000000';
/** The replay fills at the plain price, because the report measures how much live fills differ from it. */
const NO_COSTS = costTerms.parse({ slippageBps: '0', spreadBps: '0', volumePercent: '0' });

/** Replays the last day of one profile; without a profile it queues a replay for every enabled one. */
export async function shadowReplay(
  { context, queue }: { readonly context: WorkerContext; readonly queue: Queue },
  profileId: ProfileId | undefined,
  run: JobRun,
): Promise<void> {
  const { kysely } = context.database;
  if (profileId === undefined) {
    for (const id of await listEnabled(kysely)) {
      await requestReport(kysely, id, 'shadow');
      await queue.enqueue('shadow-replay', { profileId: id }, { singletonKey: id });
    }
    return;
  }
  const key = { profileId, kind: 'shadow' } as const;
  const report = await replayDay(context, profileId, run.signal);
  if (report === undefined) return;
  const refused = report.coins.length > 0 && report.coins.every((coin) => coin.refused !== null);
  await keepReport(kysely, key, refused ? { error: report.coins[0]?.refused ?? '' } : { report });
  const state = refused ? 'failed' : 'done';
  context.announcer.announce({ topic: 'backtest', id: profileId, data: { id: 'shadow-replay', state } });
}

async function replayDay(
  context: WorkerContext,
  profileId: ProfileId,
  signal: AbortSignal,
): Promise<ShadowReport | undefined> {
  const { kysely } = context.database;
  const profile = await readChecked(kysely, profileId);
  if (profile === undefined) return undefined;
  const venue = venueOf(profile);
  const nowMs = context.venues.of(venue).market.clock.marketMs();
  const to = new Date(nowMs - (nowMs % MINUTE_MS));
  const from = new Date(to.getTime() - DAY_MS);
  const coins: ShadowCoin[] = [];
  for (const { symbol, overrideConfig } of await listBoundSymbols(kysely, profileId)) {
    const day = { profileId, symbol, from, to };
    const { strategyName } = profile;
    const config = mergePatch(profile.config, overrideConfig);
    try {
      coins.push(await replayCoin(context, { day, strategyName, config, venue }, signal));
    } catch (error) {
      if (!(error instanceof ResearchRefused)) throw error;
      const nothing = { replayedFrom: null, compared: 0, agreed: 0, differing: [], fills: [] };
      coins.push({ symbol, refused: error.message, ...nothing });
    }
  }
  return { at: new Date().toISOString(), from: from.toISOString(), to: to.toISOString(), coins };
}

interface Replayed {
  readonly day: Parameters<typeof heldSince>[1];
  readonly strategyName: string;
  readonly config: unknown;
  readonly venue: ReturnType<typeof venueOf>;
}

async function replayCoin(
  context: WorkerContext,
  { day, strategyName, config, venue }: Replayed,
  signal: AbortSignal,
): Promise<ShadowCoin> {
  const { database } = context;
  const { symbol, from, to } = day;
  if (STRATEGIES.get(strategyName)?.plansBaskets === true)
    throw new ResearchRefused(
      `${strategyName} plans over all coins and their holdings. A replay cannot start with holdings.`,
    );
  const opened = await heldSince(database, day);
  if (opened !== null && from.getTime() - opened.getTime() > LONGEST_MS)
    throw new ResearchRefused(`The position was opened on ${opened.toISOString()}, too long ago to be replayed.`);
  // The decision to buy is at the close before its fill.
  const startMs = opened === null ? from.getTime() : opened.getTime() - (opened.getTime() % MINUTE_MS) - MINUTE_MS;
  const replayedFrom = new Date(startMs).toISOString();
  const terms = { from: replayedFrom, to: to.toISOString(), detailInterval: '1m' as const, balance: BALANCE };
  const request = { ...terms, ...NO_COSTS, venue };
  const prepared = await prepareResearch(context, { strategyName, request, symbol, config }, signal);
  const opening = openKernel(await loadPrepared(prepared));
  if (opening.kind === 'refused') throw new ResearchRefused(opening.sentence);
  const [decisions, trades] = [await decisionsOf(database, day), await tradesOf(database, day)];
  const compared = compareDay(opening.kernel, {
    fromMs: from.getTime(),
    toMs: to.getTime(),
    decisions: decisions.map(({ firstAt, lastAt, ...row }) => ({
      ...row,
      firstMs: firstAt.getTime(),
      lastMs: lastAt.getTime(),
    })),
    trades: trades.map(({ at, ...trade }) => ({ ...trade, atMs: at.getTime() })),
  });
  return { symbol, refused: null, replayedFrom, ...compared };
}
