import { newId, type ProfileId } from '#core/ids.ts';
import type { MarketSubscription, ProfileToRun } from '#core/ports.ts';
import type { SymbolRules } from '#core/symbol.ts';
import type { OrderRecord } from '#core/order.ts';
import { encodeRules } from '#core/symbol-codec.ts';
import { type AccountContext, marketNow } from './account-context.ts';
import { mergedConfig } from './coin.ts';
import type { CoinRunner } from './coin-runner.ts';
import type { Roster } from './ports.ts';
import { openCoin } from './recover.ts';

/** The coins of one account that run now, kept equal to what is stored. */
export interface RunningCoins {
  /**
   * Reads the profiles again: opens new coins, closes unbound ones, rebuilds those whose config or rules changed. Rejects
   * once closed: a coin that was opened then would never do anything, and whoever asked it would wait for ever.
   */
  refresh(): Promise<void>;
  /** Trading rules as just read, from the next refresh on; a coin that is no longer listed counts as absent. */
  setRules(list: readonly SymbolRules[]): void;
  all(): Iterable<CoinRunner>;
  of(symbol: string): readonly CoinRunner[];
  wanted(): MarketSubscription[];
  close(): Promise<void>;
}

/** Coins opened at the same time: each waits for the database and for its candles. */
const LANES = 8;
/** Coins that share one read of the account's open orders; those of them that run already stand still meanwhile. */
const GROUP = 64;

interface Wanted {
  readonly profile: ProfileToRun;
  readonly symbol: string;
}

interface Entry {
  readonly fingerprint: string;
  readonly runner: CoinRunner;
}

const keyOf = (profileId: ProfileId, symbol: string): string => `${profileId}:${symbol}`;
const fingerprintOf = (profile: ProfileToRun, symbol: string, rules: SymbolRules | undefined): string =>
  JSON.stringify([profile.strategyName, mergedConfig(profile, symbol), rules && encodeRules([rules])]);

export function createRunningCoins(
  context: AccountContext,
  roster: Roster,
  listed: readonly SymbolRules[],
): RunningCoins {
  const rules = new Map(listed.map((each) => [each.symbol, each]));
  const entries = new Map<string, Entry>();
  const bySymbol = new Map<string, CoinRunner[]>();
  const open = createOpener(context, roster, rules);
  let closed = false;
  const retire = async (key: string): Promise<void> => {
    const entry = entries.get(key);
    entries.delete(key);
    reindex(entries, bySymbol);
    await entry?.runner.close();
  };
  const bring = async (group: Wanted[]): Promise<void> => {
    for (const { profile, symbol } of group) await retire(keyOf(profile.id, symbol));
    const liveOrders = await context.ports.store.liveOrders(context.account.id);
    const lane = async (): Promise<void> => {
      for (let next = group.shift(); next !== undefined; next = group.shift()) {
        const opened = await open(next, liveOrders);
        if (closed) await opened?.runner.close();
        else if (opened !== undefined) entries.set(keyOf(next.profile.id, next.symbol), opened);
        reindex(entries, bySymbol);
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
  };
  const read = async (): Promise<void> => {
    if (closed) throw new Error('The account does not run any more.');
    const profiles = await roster.loadProfiles();
    const kept = new Set(profiles.flatMap((profile) => profile.symbols.map(({ symbol }) => keyOf(profile.id, symbol))));
    for (const key of [...entries.keys()]) if (!kept.has(key)) await retire(key);
    const coins = profiles.flatMap((profile) => profile.symbols.map(({ symbol }) => ({ profile, symbol })));
    const changed = coins.filter((coin) => !keep(entries, coin, rules.get(coin.symbol)));
    for (let first = 0; first < changed.length; first += GROUP) await bring(changed.slice(first, first + GROUP));
  };

  let refreshing: Promise<void> = Promise.resolve();
  return {
    refresh() {
      // One at a time: two at once could open the same coin twice. A failed one ends the run, not the next one's turn.
      const next = refreshing.then(read);
      refreshing = next.catch(() => {});
      return next;
    },
    setRules(list) {
      const now = new Map(list.map((each) => [each.symbol, each]));
      for (const [symbol, old] of rules) if (!now.has(symbol)) now.set(symbol, { ...old, status: 'absent' });
      for (const [symbol, each] of now) rules.set(symbol, keepGrid(rules.get(symbol), each));
    },
    *all() {
      for (const { runner } of entries.values()) yield runner;
    },
    of: (symbol) => bySymbol.get(symbol) ?? [],
    wanted: () =>
      [...entries.values()].flatMap(({ runner: { coin } }) =>
        coin.sources.map(({ interval }) => ({ symbol: coin.symbol, interval })),
      ),
    async close() {
      closed = true;
      for (const key of [...entries.keys()]) await retire(key);
    },
  };
}

/** Rules that cannot be read now leave those of before in force for exits and stops. */
const keepGrid = (old: SymbolRules | undefined, now: SymbolRules): SymbolRules =>
  now.status !== 'unreadable' || old === undefined
    ? now
    : { ...old, status: 'unreadable', ...(now.problem !== undefined && { problem: now.problem }) };

/** True when the coin runs as it should. */
function keep(
  entries: ReadonlyMap<string, Entry>,
  { profile, symbol }: Wanted,
  rules: SymbolRules | undefined,
): boolean {
  const entry = entries.get(keyOf(profile.id, symbol));
  if (entry?.fingerprint !== fingerprintOf(profile, symbol, rules)) return false;
  entry.runner.onProfile(profile);
  return true;
}

function reindex(entries: ReadonlyMap<string, Entry>, bySymbol: Map<string, CoinRunner[]>): void {
  bySymbol.clear();
  for (const { runner } of entries.values()) {
    const runners = bySymbol.get(runner.coin.symbol);
    if (runners === undefined) bySymbol.set(runner.coin.symbol, [runner]);
    else runners.push(runner);
  }
}

/** Opens coins; one that cannot run is told in its profile's log, once per reason. */
function createOpener(
  context: AccountContext,
  roster: Roster,
  rules: ReadonlyMap<string, SymbolRules>,
): (wanted: Wanted, liveOrders: readonly OrderRecord[]) => Promise<Entry | undefined> {
  const refused = new Map<string, string>();
  return async ({ profile, symbol }, liveOrders) => {
    const key = keyOf(profile.id, symbol);
    const strategy = roster.strategies.get(profile.strategyName);
    const plan = await openCoin(context, { profile, symbol, rules: rules.get(symbol), strategy, liveOrders });
    if (plan.kind === 'run') {
      refused.delete(key);
      return { fingerprint: fingerprintOf(profile, symbol, rules.get(symbol)), runner: plan.runner };
    }
    if (refused.get(key) !== plan.reason) tellRefusal(context, { profile, symbol, reason: plan.reason });
    refused.set(key, plan.reason);
    return undefined;
  };
}

function tellRefusal(context: AccountContext, told: { profile: ProfileToRun; symbol: string; reason: string }): void {
  const at = marketNow(context);
  context.ports.records.log({
    id: newId<string>(),
    profileId: told.profile.id,
    symbol: told.symbol,
    level: 'error',
    msg: `${told.symbol} is not traded: ${told.reason}`,
    ctx: { event: 'coin_cannot_run', reason: told.reason },
    count: 1,
    firstAt: at,
    lastAt: at,
  });
}
