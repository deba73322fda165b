import { INTERVAL_MS } from '#core/market/candle.ts';
import type { ProfileId } from '#core/ids.ts';
import type { RunLimits, RunRequest, RunSharing } from '#core/research/research.ts';
import type { Reader } from '#storage/postgres/database.ts';
import { listBoundSymbols } from '#storage/operator/profile-symbols.ts';
import { listProfiles, type ProfileView } from '#storage/operator/profiles.ts';
import { readRunLimits } from '#storage/trading/risk.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { requireListed } from './coin-binding.ts';
import type { Warning } from './config-check.ts';
import type { ApiContext } from '#api/frame/context.ts';
import type { Operator } from '#api/guard/session.ts';
import { invalidField } from '#api/frame/problem.ts';
import { coinConfigs, type Launch } from './research-launch.ts';
import type { Rules } from '#api/frame/venues.ts';

/** Maximum candles of all coins of one result. A worker holds them in memory, 48 bytes each. */
const MAX_CANDLES = 20_000_000;

/** A coin of a run, with the profile that trades it and its strategy. */
export interface RunCoin {
  readonly symbol: string;
  readonly config: unknown;
  readonly profileId: ProfileId;
  readonly strategyName: string;
}

interface Shared {
  readonly coins: readonly RunCoin[];
  /** Undefined when no limit is set. */
  readonly limits: RunLimits | undefined;
  readonly warnings: readonly Warning[];
}

const coinsOf = ({ id, strategyName }: ProfileView, coins: Launch['coins']): RunCoin[] =>
  coins.map((coin) => ({ ...coin, profileId: id, strategyName }));

/** The coins that share a balance in a run, and their limits; refuses coins that cannot share one. */
export async function prepareSharing(
  context: ApiContext,
  launch: Launch,
  { operator, purse, scope }: RunSharing & { readonly operator: Operator },
): Promise<Shared> {
  const { profile, strategy, rules } = launch;
  const own = coinsOf(profile, launch.coins);
  if (purse === 'separate') {
    if (scope === 'account') throw invalidField('purse', 'must be shared: all profiles of an account have one balance');
    if (strategy.plansBaskets === true)
      throw invalidField('purse', `must be shared: ${strategy.name} plans over all coins at once`);
    return { coins: own, limits: undefined, warnings: [] };
  }
  const { kysely } = context.database;
  const all = await listProfiles(kysely, operator.user.id);
  const others = all.filter(
    ({ id, accountId, symbols }) => accountId === profile.accountId && id !== profile.id && symbols.length > 0,
  );
  const joining = scope === 'account' ? others : [];
  requireOneOwner(own, joining);
  const coins = [...own];
  for (const other of joining) coins.push(...(await joinCoins(kysely, other, rules)));
  requireOneQuote(coins, { rules, scope });
  const profileIds = new Set(coins.map(({ profileId }) => profileId));
  const limits = await readRunLimits(kysely, { accountId: profile.accountId, profileIds });
  const isShort = others.length > joining.length && limits?.limits.some((limit) => limit.scope === 'account') === true;
  return { coins, limits, warnings: isShort ? [OTHERS_NOT_COUNTED] : [] };
}

const OTHERS_NOT_COUNTED: Warning = {
  code: 'other-profiles-not-counted',
  message: 'Limits of the account',
  reason: 'limits',
  detail:
    'The trades of other profiles do not count towards the limits of the account in this run. Choose all profiles of the account to count them.',
};

/** The coins of another profile, with its own strategy and settings. */
async function joinCoins(reader: Reader, other: ProfileView, rules: Rules | undefined): Promise<RunCoin[]> {
  const strategy = STRATEGIES.get(other.strategyName);
  if (strategy === undefined)
    throw invalidField('scope', `includes the profile "${other.name}", whose strategy this version does not have`);
  requireListed(other.symbols, rules, 'scope');
  return coinsOf(other, coinConfigs(strategy, other.config, await listBoundSymbols(reader, other.id)));
}

/** Refuses a coin that two profiles would trade: a launch may name coins that its profile does not have. */
function requireOneOwner(own: readonly RunCoin[], joining: readonly ProfileView[]): void {
  for (const { symbol } of own) {
    const owner = joining.find(({ symbols }) => symbols.includes(symbol));
    if (owner !== undefined)
      throw invalidField('symbols', `names ${symbol}, which the profile "${owner.name}" of the account trades`);
  }
}

/** Quote assets of coins with known trading rules. */
export const quotesOf = (coins: readonly { readonly symbol: string }[], rules: Rules | undefined): string[] =>
  [...new Set(coins.flatMap(({ symbol }) => rules?.get(symbol)?.quoteAsset ?? []))].toSorted();

function requireOneQuote(
  coins: readonly RunCoin[],
  { rules, scope }: { readonly rules: Rules | undefined; readonly scope: RunSharing['scope'] },
): void {
  const quotes = quotesOf(coins, rules);
  if (quotes.length < 2) return;
  const path = scope === 'account' ? 'scope' : 'purse';
  throw invalidField(
    path,
    `needs coins that are bought with one asset, but these are bought with ${quotes.join(', ')}`,
  );
}

/** Refuses a run whose coins share a balance and have more candles than a worker may hold. */
export function requireFewCandles(
  {
    purse,
    coins,
    from,
    to,
    detailInterval,
  }: Pick<RunRequest, 'purse' | 'from' | 'to' | 'detailInterval'> & {
    readonly coins: readonly unknown[];
  },
  path: string,
): void {
  if (purse !== 'shared' || to === undefined) return;
  const candles = (coins.length * (Date.parse(to) - Date.parse(from))) / INTERVAL_MS[detailInterval];
  if (candles <= MAX_CANDLES) return;
  const size = `${Math.ceil(candles / 1e6)} million candles of ${detailInterval}`;
  throw invalidField(
    path,
    `makes ${size} in one run, more than ${MAX_CANDLES / 1e6} million: use longer candles, fewer coins or a shorter time`,
  );
}

/** Whether a run holds coins of its own profile only. */
export const isOfOneProfile = (coins: readonly RunCoin[], id: ProfileId): boolean =>
  coins.every(({ profileId }) => profileId === id);
