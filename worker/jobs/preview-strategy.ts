import { referenceOf } from '#authoring/own-strategy.ts';
import type { Venue } from '#core/account/account.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { DEFAULT_COSTS, PREVIEW_BALANCE } from '#core/research/costs.ts';
import { PREVIEW_TTL_MS, runningPreview, type StrategyPreview } from '#core/research/strategy-preview.ts';
import { readVersion } from '#storage/operator/strategy-versions.ts';
import { runBacktestApart } from '#worker/backtest-in-thread.ts';
import type { WorkerContext } from '#worker/context.ts';
import { ResearchRefused } from './prepared.ts';
import { prepareResearch, requireStrategy } from './research-input.ts';

interface PreviewRequest {
  readonly hash: string;
  readonly venue: Venue;
  readonly symbol: string;
  /** ISO times. */
  readonly from: string;
  readonly to: string;
}

/** Runs a version with its default settings on one coin and caches the result, or the sentence of a refusal. */
export async function previewStrategy(
  context: WorkerContext,
  request: PreviewRequest,
  signal: AbortSignal,
): Promise<void> {
  const { hash, venue, symbol, from, to } = request;
  const preview = await resultOf(context, request, signal).catch((error: unknown): StrategyPreview => {
    if (!(error instanceof ResearchRefused)) throw error;
    return { ...runningPreview(from, to), state: 'failed', error: error.message };
  });
  const key = cacheKeys.strategyPreview(hash, venue, symbol);
  await context.cache.set(key, JSON.stringify(preview), PREVIEW_TTL_MS[preview.state]);
}

async function resultOf(
  context: WorkerContext,
  { hash, venue, symbol, from, to }: PreviewRequest,
  signal: AbortSignal,
): Promise<StrategyPreview> {
  const version = await readVersion(context.database.kysely, hash);
  if (version === undefined) throw new ResearchRefused('The version no longer exists.');
  const strategyName = referenceOf(version.name, hash);
  const config = requireStrategy(strategyName).config.parse({});
  const terms = { ...DEFAULT_COSTS, from, to, venue, detailInterval: '1m', balance: PREVIEW_BALANCE } as const;
  const profileId = newId<ProfileId>();
  const question = { strategyName, profileId, request: terms, symbol, config };
  const prepared = await prepareResearch(context, question, signal);
  const place = { files: context.fileBacktests, signal };
  const outcome = await runBacktestApart({ inputs: [{ ...prepared, profileId }] }, place);
  if (outcome.kind === 'refused') throw new ResearchRefused(outcome.sentence);
  const { metrics, drawdown, quoteAsset } = outcome.result;
  return { ...runningPreview(from, to), state: 'done', quoteAsset, metrics, drawdown: drawdown.depth };
}
