import { type Venue, venueOf } from '#core/account/account.ts';
import type { ProfileId } from '#core/ids.ts';
import { mergePatch } from '#core/merge.ts';
import type { ComparedCoin, LiveComparison } from '#core/research/live-comparison.ts';
import { costTerms } from '#core/research/research.ts';
import { compareDay } from '#backtest/compare-day.ts';
import { openKernel } from '#backtest/run.ts';
import { heldSince, readChecked, readLiveDay } from '#storage/research/live-checks.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { WorkerContext } from '#worker/context.ts';
import { loadPrepared, prepareResearch } from './research-input.ts';
import { ResearchRefused } from './prepared.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Longest replay. It starts without a position: a position from before the day is replayed from its opening. */
const LONGEST_MS = 60 * DAY_MS;
/** Enough for orders of a fixed size; sizes that depend on the equity are not compared. */
const BALANCE = '1000000';
/** The replay fills at the plain price, because the report measures how much live fills differ from it. */
const NO_COSTS = costTerms.parse({ slippageBps: '0', spreadBps: '0', volumePercent: '0' });

/** Replays the last day of a profile and compares it with live trading; null for a profile that is gone. */
export async function replayDay(
  context: WorkerContext,
  profileId: ProfileId,
  signal: AbortSignal,
): Promise<LiveComparison['day']> {
  const { kysely } = context.database;
  const profile = await readChecked(kysely, profileId);
  if (profile === undefined) return null;
  const venue = venueOf(profile);
  const nowMs = context.venues.of(venue).market.clock.marketMs();
  const to = new Date(nowMs - (nowMs % MINUTE_MS));
  const from = new Date(to.getTime() - DAY_MS);
  const coins: ComparedCoin[] = [];
  for (const { symbol, overrideConfig } of await listBoundSymbols(kysely, profileId)) {
    const { strategyName } = profile;
    const config = mergePatch(profile.config, overrideConfig);
    const day = { profileId, symbol, from, to };
    try {
      const compared = await replayCoin(context, { day, strategyName, config, venue }, signal);
      coins.push({ symbol, refused: null, ...compared });
    } catch (error) {
      if (!(error instanceof ResearchRefused)) throw error;
      const nothing = { replayedFrom: null, compared: 0, agreed: 0, differing: [], fills: [] };
      coins.push({ symbol, refused: error.message, ...nothing });
    }
  }
  return { at: new Date().toISOString(), from: from.toISOString(), to: to.toISOString(), coins };
}

interface CoinReplay {
  readonly day: Parameters<typeof readLiveDay>[1];
  readonly strategyName: string;
  readonly config: unknown;
  readonly venue: Venue;
}

async function replayCoin(
  context: WorkerContext,
  { day, strategyName, config, venue }: CoinReplay,
  signal: AbortSignal,
): Promise<Omit<ComparedCoin, 'symbol' | 'refused'>> {
  const { symbol, from, to } = day;
  if (STRATEGIES.get(strategyName)?.plansBaskets === true)
    throw new ResearchRefused(
      `${strategyName} plans over all coins and their holdings. A replay cannot start with holdings.`,
    );
  const opened = await heldSince(context.database, day);
  if (opened !== null && from.getTime() - opened.getTime() > LONGEST_MS)
    throw new ResearchRefused(`The position was opened on ${opened.toISOString()}, too long ago to be replayed.`);
  // The decision to buy is at the close before its fill.
  const startMs = opened === null ? from.getTime() : opened.getTime() - (opened.getTime() % MINUTE_MS) - MINUTE_MS;
  const replayedFrom = new Date(startMs).toISOString();
  const terms = { from: replayedFrom, to: to.toISOString(), detailInterval: '1m' as const, balance: BALANCE };
  const request = { ...terms, ...NO_COSTS, venue };
  const prepared = await prepareResearch(
    context,
    { strategyName, profileId: day.profileId, request, symbol, config },
    signal,
  );
  const opening = openKernel(await loadPrepared(prepared));
  if (opening.kind === 'refused') throw new ResearchRefused(opening.sentence);
  return { replayedFrom, ...compareDay(opening.kernel, await readLiveDay(context.database, day)) };
}
