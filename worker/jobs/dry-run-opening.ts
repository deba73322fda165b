import { z } from 'zod';
import { type Venue, venueOf } from '#core/account/account.ts';
import { type Decimal, divide, formatDecimal, fromNumber, multiply, requireDecimal } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { cachedWallet, cacheKeys, marketClock } from '#core/installation/cache-keys.ts';
import { readJson } from '#core/json.ts';
import { totalOf } from '#core/position/cost-basis.ts';
import { DEFAULT_COSTS, PREVIEW_BALANCE } from '#core/research/costs.ts';
import { type DryRunOpening, dryRunOpening } from '#core/research/dry-run.ts';
import { costTerms } from '#core/research/research.ts';
import { readChecked } from '#storage/research/live-checks.ts';
import { levelFills } from '#storage/trading/level-fills.ts';
import { readRunLimits } from '#storage/trading/risk.ts';
import { loadRunner } from '#storage/trading/runners.ts';
import type { WorkerContext } from '#worker/context.ts';
import { ResearchRefused } from './prepared.ts';
import { readSymbolRules } from './research-input.ts';

const MINUTE_MS = 60_000;
const BPS = requireDecimal('10000');

/** The account that a profile trades, for a dry run. */
export interface DryRunAccount {
  readonly profileId: ProfileId;
  readonly accountId: AccountId;
  readonly venue: Venue;
}

/** Undefined for a profile that is gone. */
export async function readDryRunAccount(
  { database }: Pick<WorkerContext, 'database'>,
  profileId: ProfileId,
): Promise<DryRunAccount | undefined> {
  const found = await readChecked(database.kysely, profileId);
  return found && { profileId, accountId: found.accountId, venue: venueOf(found) };
}

/** Time of the market: that of the exchange, or of the days that the paper exchange replays. */
export async function readMarketMs({ cache }: Pick<WorkerContext, 'cache'>, venue: Venue): Promise<number> {
  const clock = marketClock.safeParse(readJson((await cache.get(cacheKeys.marketClock(venue))) ?? 'null')).data;
  const nowMs = Date.now();
  return clock === undefined ? nowMs : clock.marketMs + (nowMs - clock.wallMs) * clock.speed;
}

/** Reads where both sides start: with the coins that the profile holds now, from the next full minute on. */
export async function readOpening(
  context: WorkerContext,
  { profileId, accountId, venue }: DryRunAccount,
  symbols: readonly string[],
): Promise<unknown> {
  const { kysely } = context.database;
  const coins: DryRunOpening['coins'] = [];
  for (const symbol of symbols) {
    const key = { profileId, symbol };
    const { position, strategyState } = await loadRunner(kysely, key);
    const levels = await levelFills(kysely, key);
    coins.push({ symbol, position, levels: [...levels], state: strategyState });
  }
  const wallet = cachedWallet.safeParse(
    readJson((await context.cache.get(cacheKeys.wallet(accountId))) ?? 'null'),
  ).data;
  const balances: Record<string, string> = {};
  for (const symbol of symbols) {
    const quote = await quoteAssetOf(context, venue, symbol);
    if (quote === '' || wallet === undefined) continue;
    const total = totalOf(wallet.balances, quote);
    if (total !== undefined) balances[quote] = formatDecimal(total);
  }
  const fee = wallet?.takerFee === undefined ? {} : { feeBps: bpsOf(wallet.takerFee) };
  const limits = await readRunLimits(kysely, { accountId, profileIds: new Set([profileId]) });
  const fromMs = Math.ceil((await readMarketMs(context, venue)) / MINUTE_MS) * MINUTE_MS;
  return z.encode(dryRunOpening, {
    ...{ from: new Date(fromMs).toISOString(), balances, coins, limits: limits ?? null },
    costs: costTerms.parse({ ...DEFAULT_COSTS, ...fee }),
  });
}

const bpsOf = (share: number): string => formatDecimal(multiply(fromNumber(share), BPS));

/** Empty for a coin that the exchange does not list. */
export async function quoteAssetOf(context: WorkerContext, venue: Venue, symbol: string): Promise<string> {
  try {
    return (await readSymbolRules(context, { request: { venue }, symbol })).quoteAsset;
  } catch (error) {
    if (error instanceof ResearchRefused) return '';
    throw error;
  }
}

/** The assumptions of both sides, as sentences. */
export function assumptionsOf({ from, balances, costs, coins, limits }: DryRunOpening): string[] {
  const held = coins.filter(({ position }) => position.firstBuyAt !== null).map(({ symbol }) => symbol);
  const had = held.length === 0 ? 'no coins' : `the positions that the profile held then in ${held.join(', ')}`;
  const cash = Object.entries(balances).map(([asset, amount]) => `${amount} ${asset}`);
  const money =
    cash.length === 0
      ? `The wallet of the account was not known: both sides have ${PREVIEW_BALANCE} in each quote asset.`
      : `Both sides have ${cash.join(' and ')}, the whole balance of the account.`;
  const { feeBps, slippageBps, spreadBps, volumePercent } = costs;
  const percent = (bps: string): string => `${formatDecimal(hundredth(bps))} %`;
  return [
    `Both sides start on ${from} with ${had}, and without open orders. Trades, deposits and withdrawals after that count on neither side.`,
    money,
    'Both sides decide at the close of each minute and fill by the rules of a backtest. Live trading also decides between the closes.',
    `Costs: ${percent(feeBps)} fee, ${percent(slippageBps)} slippage, ${percent(spreadBps)} spread, at most ${volumePercent} % of the volume of a candle.`,
    'In a doubtful candle the price is assumed to rise before it falls.',
    ...(limits === null
      ? []
      : ['The risk limits of profile and account at the start apply. They count only the coins of this profile.']),
  ];
}

const hundredth = (bps: string): Decimal => divide(requireDecimal(bps), requireDecimal('100'));
