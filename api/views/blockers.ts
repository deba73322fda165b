import type { z } from 'zod';
import { type Decimal, formatDecimal, requireDecimal } from '#core/amount/decimal.ts';
import type { Halt } from '#core/account/halts.ts';
import type { AccountRunState } from '#core/installation/cache-keys.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';
import { isSellable } from '#core/position/position.ts';
import { SNAPSHOT_MAX_AGE_MS } from '#core/position/cost-basis.ts';
import type { AccountView } from '#storage/operator/accounts.ts';
import type { ProfileView } from '#storage/operator/profiles.ts';
import { BLOCKER_KINDS, type blocker, type blockers } from '#api/contract/blockers.ts';
import { type CachedWallet, type MarketTime, type Rules, toMarketTime } from '#api/frame/venues.ts';
import type { CoinView } from './coins.ts';
import type { limitUsageOf } from './limit-usage.ts';

type Blocker = z.output<typeof blocker>;
type Kind = Blocker['kind'];
/** A blocker before it is compared with the others. */
type Found = Omit<Blocker, 'behind' | 'everything'>;

/** Everything that is known about one account with at least one profile. */
export interface AccountFacts {
  readonly account: AccountView;
  readonly profiles: readonly ProfileView[];
  readonly coins: readonly { readonly profileId: ProfileId; readonly coin: CoinView }[];
  readonly run: AccountRunState | undefined;
  readonly wallet: CachedWallet | undefined;
  readonly rules: Rules | undefined;
  readonly limits: Awaited<ReturnType<typeof limitUsageOf>>;
  /** Clock of the venue; undefined before a worker has reported it. */
  readonly market: MarketTime | undefined;
}

export interface Facts {
  readonly workers: number;
  readonly halts: readonly Halt[];
  readonly unconfirmed: readonly {
    readonly id: OrderId;
    readonly profileId: ProfileId;
    readonly symbol: string;
    readonly createdAt: Date;
  }[];
  readonly accounts: readonly AccountFacts[];
  readonly now: Date;
}

const ALL = { scope: 'all', accountId: null, profileId: null, symbol: null, name: null } as const;
const NOTHING = { since: null, orderId: null } as const;
const ofAccount = ({ id, name }: AccountView) =>
  ({ scope: 'account', accountId: id, profileId: null, symbol: null, name }) as const;
const ofProfile = ({ id, accountId, name }: ProfileView) =>
  ({ scope: 'profile', accountId, profileId: id, symbol: null, name }) as const;

/** The kind of a refusal that only the engine can judge; the api judges all others from what is stored. */
const ENGINE_KINDS: Readonly<Record<string, Kind>> = {
  'stale-price': 'price',
  'data-price-missing': 'price',
  'data-candles-missing': 'candles',
  'data-order-unreadable': 'candles',
  'rating-too-low': 'rating',
  'rating-stale': 'rating',
  'rating-missing': 'rating',
  'regime-bear': 'rating',
  'regime-not-bull': 'rating',
  'regime-unavailable': 'rating',
  'cap-symbol-exposure': 'limit',
  'cap-position-loss': 'limit',
  'cap-other-asset': 'limit',
  'size-no-funds': 'balance',
  'size-below-minimum': 'size',
  'size-exit-infeasible': 'size',
  'order-refused-repeatedly': 'size',
  'exit-unsellable': 'exit',
  'exit-nothing-free': 'exit',
  'exit-locked-by-orphan': 'exit',
};

/** A sentence of the engine as the continuation of a name: `Not buying: the rating …` becomes `is not bought: the rating …`. */
const afterName = (sentence: string): string =>
  sentence
    .replace(/^Not buying: /, 'is not bought: ')
    .replace(/^Not selling: /, 'is not sold: ')
    .replace(/^Not trading: /, 'is not traded: ')
    .replace(/^(Waiting|Doing nothing): /, 'waits: ');

/** A wall time as the pages show it: at market time in a replay. */
const marketText = (at: Date | string, market: MarketTime | undefined): string =>
  toMarketTime(new Date(at), market).toISOString();

function accountBlockers({ account, profiles, run, wallet, limits }: AccountFacts, now: Date): Found[] {
  const about = { ...ofAccount(account), ...NOTHING };
  const found: Found[] = [];
  const { apiKey, resetAt } = account;
  if (run?.faults) {
    const { count, cause } = run.faults;
    const times = count === 1 ? 'once' : `${count} times`;
    const sentence = `stopped on an error and restarted ${times}: ${cause}`;
    found.push({ ...about, kind: 'account-down', sentence });
  } else if (run?.downSince) {
    found.push({ ...about, kind: 'account-down', sentence: 'has been starting', since: new Date(run.downSince) });
  }
  if (apiKey === null) found.push({ ...about, kind: 'api-key', sentence: 'cannot trade: it has no API key.' });
  else if (apiKey.status === 'error') {
    const cause = apiKey.cause ?? 'no reason given';
    found.push({ ...about, kind: 'api-key', sentence: `cannot trade: the exchange rejects its API key (${cause}).` });
  }
  if (resetAt !== null) {
    const sentence = 'was reset: its exchange started from zero. Confirm the reset to allow buying.';
    found.push({ ...about, kind: 'exchange-reset', sentence });
  }
  for (const { scope, subject, standings } of limits) {
    const profile = profiles.find(({ id }) => id === subject);
    const place = scope === 'account' ? ofAccount(account) : profile?.enabled === true ? ofProfile(profile) : undefined;
    for (const { blocked, sentence } of standings) {
      if (blocked && place !== undefined)
        found.push({ ...place, ...NOTHING, kind: 'limit', sentence: limitText(sentence) });
    }
  }
  if (run?.streamConnected === false) {
    const sentence = 'has lost the price stream of the exchange: buys wait until it is back.';
    found.push({ ...about, kind: 'price', sentence });
  }
  if (wallet === undefined) found.push({ ...about, kind: 'wallet', sentence: 'has no wallet loaded yet.' });
  else if (now.getTime() - Date.parse(wallet.keptAt) > SNAPSHOT_MAX_AGE_MS) {
    found.push({
      ...about,
      kind: 'wallet',
      sentence: 'has an old wallet, not updated',
      since: new Date(wallet.keptAt),
    });
  }
  return found;
}

const limitText = (sentence: string | null): string =>
  sentence?.replace(/^Not buying: /, 'buys nothing: ') ?? 'has reached a limit.';

/** The operator's words for a stop, which may be empty. */
const reasonText = (reason: string): string => (reason === '' ? '' : ` (${reason})`);

function profileBlockers({ account, profiles }: AccountFacts, halts: readonly Halt[]): Found[] {
  const stopped = ({ since, reason }: Halt): Pick<Found, 'kind' | 'sentence' | 'since' | 'orderId'> => ({
    kind: 'buying-stopped',
    sentence: `buys nothing${reasonText(reason)}`,
    since,
    orderId: null,
  });
  const haltsOf = (subject: string): Halt[] =>
    halts.filter((halt) => halt.scope !== 'all' && halt.subject === subject && halt.reset !== true);
  return [
    ...haltsOf(account.id).map((halt) => ({ ...ofAccount(account), ...stopped(halt) })),
    ...profiles.flatMap((profile): Found[] => {
      if (!profile.enabled)
        return [{ ...ofProfile(profile), ...NOTHING, kind: 'profile-paused', sentence: 'is paused.' }];
      return haltsOf(profile.id).map((halt) => ({ ...ofProfile(profile), ...stopped(halt) }));
    }),
  ];
}

interface CoinFacts extends AccountFacts {
  readonly profile: ProfileView;
  readonly coin: CoinView;
  readonly workers: number;
  readonly nowMs: number;
}

/** The smallest order of a coin and the amount that the account has for it, when both are known. */
function balanceOf({ coin, rules, wallet }: CoinFacts): { least: Decimal; free: Decimal } | undefined {
  const known = rules?.get(coin.symbol);
  if (known === undefined || wallet === undefined) return undefined;
  return { least: known.notional.min, free: requireDecimal(wallet.balances[known.quoteAsset]?.free ?? '0') };
}

function ruleSentence({ coin, rules }: CoinFacts): string | undefined {
  if (rules === undefined) return 'has no trading rules yet; a worker loads them within minutes.';
  const known = rules.get(coin.symbol);
  if (known === undefined) return 'is not listed by the exchange.';
  return known.status === 'TRADING' ? undefined : `is not traded by the exchange now (${known.status}).`;
}

function coinBlockers(facts: CoinFacts): Found[] {
  const { coin, profile, run, market, workers } = facts;
  const place = { scope: 'coin', accountId: profile.accountId, profileId: profile.id, symbol: coin.symbol } as const;
  const about = { ...place, ...NOTHING, name: coin.baseAsset ?? coin.symbol };
  const found: Found[] = [];
  const add = (kind: Kind, sentence: string): void => {
    found.push({ ...about, kind, sentence });
  };
  const { pause, cooldownUntil, state } = coin;
  if (pause !== null) {
    const sentence = `is paused until ${marketText(pause.until, market)}. ${pause.reason}`.trim();
    add('coin-paused', sentence);
  }
  for (const { sentence } of coin.blockers) add('orphan', afterName(sentence));
  const trouble = run?.coins.find(({ profileId, symbol }) => profileId === profile.id && symbol === coin.symbol);
  if (trouble !== undefined) add('coin-down', `${trouble.runs ? 'is not bought' : 'does not run'}: ${trouble.cause}`);
  if (cooldownUntil !== null && cooldownUntil.getTime() > (market?.marketMs ?? facts.nowMs))
    add('cool-down', `has a cool-down until ${cooldownUntil.toISOString()} after a loss.`);
  const rule = ruleSentence(facts);
  if (rule !== undefined) add('rules', rule);
  const balance = balanceOf(facts);
  if (balance !== undefined && balance.free < balance.least) {
    const asset = coin.quoteAsset ?? '';
    const [free, least] = [formatDecimal(balance.free), formatDecimal(balance.least)];
    add('balance', `cannot be bought: ${free} ${asset} are available, the smallest order is ${least} ${asset}.`);
  }
  // Without a worker the last decision says nothing about now.
  if (workers === 0 || state?.approval.kind !== 'refused') return found;
  const kind = ENGINE_KINDS[state.approval.reason ?? ''];
  if (kind !== undefined && found.every((other) => other.kind !== kind)) add(kind, afterName(state.decision.sentence));
  return found;
}

const covers = (wide: Found, { accountId, profileId, symbol }: Pick<Found, 'accountId' | 'profileId' | 'symbol'>) => {
  if (wide.scope === 'all') return true;
  if (wide.scope === 'account') return wide.accountId === accountId;
  return wide.profileId === profileId && (wide.scope === 'profile' || wide.symbol === symbol);
};

/** A rest that is too small to be sold is no position. */
function isHeld({ position, price, costBasis, symbol }: CoinView, rules: Rules | undefined): boolean {
  const quantity = requireDecimal(position.quantity);
  if (quantity === 0n || (costBasis?.note ?? null) !== null) return false;
  const known = rules?.get(symbol);
  return known === undefined || price === null || isSellable(quantity, requireDecimal(price), known);
}

const rankOf = ({ kind }: Found): number => BLOCKER_KINDS.indexOf(kind);

/** All that blocks buying now, the most important first; the one place where the service judges it. */
export function blockersOf({ workers, halts, unconfirmed, accounts, now }: Facts): z.output<typeof blockers> {
  const running = accounts.flatMap((facts) => {
    const enabled = new Map(
      facts.profiles.filter((profile) => profile.enabled).map((profile) => [profile.id, profile]),
    );
    return facts.coins.flatMap(({ profileId, coin }) => {
      const profile = enabled.get(profileId);
      return profile === undefined ? [] : [{ ...facts, coin, profile, workers, nowMs: now.getTime() }];
    });
  });
  const trading = new Set(running.map(({ account }) => account.id));
  const found: Found[] = [];
  if (workers === 0) {
    const sentence = 'The worker is down: no decisions are made. Open orders stay active on the exchange.';
    found.push({ ...ALL, ...NOTHING, kind: 'worker-down', sentence });
  }
  for (const { since, reason } of halts.filter(({ scope }) => scope === 'all')) {
    const sentence = `Buying is stopped on all accounts${reasonText(reason)}`;
    found.push({ ...ALL, ...NOTHING, kind: 'buying-stopped', sentence, since });
  }
  for (const facts of accounts) {
    found.push(...profileBlockers(facts, halts));
    if (trading.has(facts.account.id)) found.push(...accountBlockers(facts, now));
  }
  for (const coin of running) found.push(...coinBlockers(coin));
  for (const { id, profileId, symbol, createdAt } of unconfirmed) {
    const owner = running.find(({ profile, coin }) => profile.id === profileId && coin.symbol === symbol);
    const sentAt = createdAt.toISOString();
    const place = { scope: 'coin', accountId: owner?.account.id ?? null, profileId, symbol } as const;
    const name = owner?.coin.baseAsset ?? symbol;
    const sentence = `waits for the answer to an order sent at ${sentAt}. Exits still work.`;
    found.push({ ...place, name, kind: 'order-unconfirmed', sentence, since: null, orderId: id });
  }
  const ordered = found.toSorted((a, b) => rankOf(a) - rankOf(b));
  const placeOf = ({ profile, coin }: CoinFacts) => {
    return { accountId: profile.accountId, profileId: profile.id, symbol: coin.symbol };
  };
  const list = ordered.map((one, i) => ({
    ...one,
    behind: ordered.slice(0, i).some((above) => covers(above, one)),
    everything: running.length > 0 && running.every((coin) => covers(one, placeOf(coin))),
  }));
  const isFree = (coin: CoinFacts): boolean => !list.some((one) => covers(one, placeOf(coin)));
  return {
    checkedAt: now,
    list,
    waiting: running.filter((coin) => !isHeld(coin.coin, coin.rules) && isFree(coin)).length,
    coins: running.length,
    undecided: running.filter(({ coin }) => coin.state === null).length,
  };
}
