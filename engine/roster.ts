import { newId, type ProfileId } from '#core/ids.ts';
import type { MarketSubscription, ProfileToRun } from '#core/ports.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { encodeRules } from '#core/symbol-codec.ts';
import { type AccountContext, marketNow } from './account-context.ts';
import { mergedConfig } from './coin.ts';
import type { CoinRunner } from './coin-runner.ts';
import type { Roster } from './ports.ts';
import { openCoin } from './recover.ts';

/** The coins of one account that run now, kept equal to what is stored. */
export interface RunningCoins {
  /** Reads the profiles again: opens new coins, closes unbound ones, rebuilds those whose config or rules changed. */
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
  const retire = async (key: string): Promise<void> => {
    const entry = entries.get(key);
    entries.delete(key);
    reindex(entries, bySymbol);
    await entry?.runner.close();
  };
  const bring = async (profile: ProfileToRun, symbol: string): Promise<void> => {
    const key = keyOf(profile.id, symbol);
    const entry = entries.get(key);
    if (entry?.fingerprint === fingerprintOf(profile, symbol, rules.get(symbol))) {
      entry.runner.onProfile(profile);
      return;
    }
    await retire(key);
    const opened = await open(profile, symbol);
    if (opened !== undefined) entries.set(key, opened);
    reindex(entries, bySymbol);
  };
  const read = async (): Promise<void> => {
    const profiles = await roster.loadProfiles();
    const kept = new Set(profiles.flatMap((profile) => profile.symbols.map(({ symbol }) => keyOf(profile.id, symbol))));
    for (const key of [...entries.keys()]) if (!kept.has(key)) await retire(key);
    const coins = profiles.flatMap((profile) => profile.symbols.map(({ symbol }) => ({ profile, symbol })));
    const lane = async (): Promise<void> => {
      for (let next = coins.shift(); next !== undefined; next = coins.shift()) await bring(next.profile, next.symbol);
    };
    await Promise.all(Array.from({ length: LANES }, lane));
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
      for (const [symbol, each] of now) rules.set(symbol, each);
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
      for (const key of [...entries.keys()]) await retire(key);
    },
  };
}

function reindex(entries: ReadonlyMap<string, Entry>, bySymbol: Map<string, CoinRunner[]>): void {
  bySymbol.clear();
  for (const { runner } of entries.values()) {
    bySymbol.set(runner.coin.symbol, [...(bySymbol.get(runner.coin.symbol) ?? []), runner]);
  }
}

/** Opens coins; one that cannot run is told in its profile's log, once per reason. */
function createOpener(
  context: AccountContext,
  roster: Roster,
  rules: ReadonlyMap<string, SymbolRules>,
): (profile: ProfileToRun, symbol: string) => Promise<Entry | undefined> {
  const refused = new Map<string, string>();
  return async (profile, symbol) => {
    const key = keyOf(profile.id, symbol);
    const strategy = roster.strategies.get(profile.strategyName);
    const plan = await openCoin(context, { profile, symbol, rules: rules.get(symbol), strategy });
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
