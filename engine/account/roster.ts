import type { ProfileId } from '#core/ids.ts';
import type { MarketSubscription } from '#core/ports/exchange.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { AccountContext } from '#engine/state/account-context.ts';
import {
  candleTrouble,
  type CoinTrouble,
  createCandleReader,
  createOpener,
  type Entry,
  fingerprintOf,
  keyOf,
  PARALLEL_COINS,
  type Wanted,
} from './coin-opener.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import type { Coin } from '#engine/state/coin.ts';
import type { Roster } from '#engine/state/ports.ts';

/** The running coins of one account, kept equal to the stored profiles. */
export interface RunningCoins {
  /**
   * Reads the profiles again: opens new coins, closes unbound ones, rebuilds those whose config or rules changed.
   * Rejects once closed: a coin opened after that would never run, and its callers would wait forever.
   */
  refresh(): Promise<void>;
  /** Sets new trading rules, used from the next refresh on; a coin that is no longer listed counts as absent. */
  setRules(list: readonly SymbolRules[]): void;
  all(): Iterable<CoinRunner>;
  /** The running coins; after `close`, the coins that ran last. */
  newest(): Iterable<CoinRunner>;
  of(symbol: string): readonly CoinRunner[];
  wanted(): MarketSubscription[];
  /** Coins that do not run, or that run with missing candles. */
  troubles(): CoinTrouble[];
  /** True when a coin that could not be opened is due for a retry. */
  isRetryDue(): boolean;
  /** Closes the coins; their last state stays readable. */
  close(): Promise<void>;
}

/** Number of coins that share one read of the account's open orders; running ones among them pause meanwhile. */
const GROUP = 64;

interface RosterOptions {
  readonly roster: Roster;
  readonly onUnbound: (profileId: ProfileId, symbol: string) => void;
}

export function createRunningCoins(
  context: AccountContext,
  { roster, onUnbound }: RosterOptions,
  listed: readonly SymbolRules[],
): RunningCoins {
  const rules = new Map(listed.map((each) => [each.symbol, each]));
  const entries = new Map<string, Entry>();
  const bySymbol = new Map<string, CoinRunner[]>();
  const opener = createOpener(context, roster, rules);
  const readCandles = createCandleReader(() => ended !== null);
  let ended: readonly CoinRunner[] | null = null;
  const running = () => entries.values().map(({ runner }) => runner);
  const retire = async (key: string): Promise<void> => {
    const entry = entries.get(key);
    entries.delete(key);
    reindex(entries, bySymbol);
    await entry?.runner.close();
  };
  const openGroup = async (group: Wanted[]): Promise<void> => {
    for (const { profile, symbol } of group) await retire(keyOf(profile.id, symbol));
    const liveOrders = await context.ports.store.liveOrders(context.account.id);
    const runReader = async (): Promise<void> => {
      for (let next = group.shift(); next !== undefined; next = group.shift()) {
        const opened = await opener.open(next, liveOrders);
        if (ended !== null) await opened?.runner.close();
        if (opened === undefined || ended !== null) continue;
        opened.runner.coin.siblings = () => siblingsOf(running(), next.profile.id);
        entries.set(keyOf(next.profile.id, next.symbol), opened);
        reindex(entries, bySymbol);
        readCandles(opened.runner);
      }
    };
    await Promise.all(Array.from({ length: PARALLEL_COINS }, runReader));
  };
  const read = async (): Promise<void> => {
    if (ended !== null) throw new Error('The account does not run any more.');
    const profiles = await roster.loadProfiles();
    const coins = profiles.flatMap((profile) => profile.symbols.map(({ symbol }) => ({ profile, symbol })));
    const kept = new Set(coins.map(({ profile, symbol }) => keyOf(profile.id, symbol)));
    for (const [key, { runner }] of [...entries]) {
      if (kept.has(key)) continue;
      await retire(key);
      onUnbound(runner.coin.profile.id, runner.coin.symbol);
    }
    opener.forget(kept);
    const changed = coins.filter((coin) => !keep(entries, coin, rules.get(coin.symbol)) && opener.mayOpen(coin));
    for (let first = 0; first < changed.length; first += GROUP) await openGroup(changed.slice(first, first + GROUP));
  };

  let refreshing: Promise<void> = Promise.resolve();
  return {
    refresh() {
      // One at a time: two in parallel could open the same coin twice. A failed refresh does not block the next one.
      const next = refreshing.then(read);
      refreshing = next.catch(() => {});
      return next;
    },
    setRules: (list) => replaceRules(rules, list),
    all: running,
    newest: () => ended ?? running(),
    of: (symbol) => bySymbol.get(symbol) ?? [],
    wanted: () => [...running()].flatMap(sourcesOf),
    troubles: () => [...opener.troubles(), ...[...running()].flatMap(candleTrouble)],
    isRetryDue: opener.isRetryDue,
    async close() {
      ended = [...running()];
      for (const key of [...entries.keys()]) await retire(key);
    },
  };
}

const sourcesOf = ({ coin: { symbol, sources } }: CoinRunner): MarketSubscription[] =>
  sources.map(({ interval }) => ({ symbol, interval }));

/** When new rules are unreadable, the previous ones stay in force for exits and stops. */
const keepGrid = (old: SymbolRules | undefined, now: SymbolRules): SymbolRules =>
  now.status !== 'unreadable' || old === undefined
    ? now
    : { ...old, status: 'unreadable', ...(now.problem !== undefined && { problem: now.problem }) };

/** Replaces the rules; a coin that is no longer listed counts as absent. */
function replaceRules(rules: Map<string, SymbolRules>, list: readonly SymbolRules[]): void {
  const now = new Map(list.map((each) => [each.symbol, each]));
  for (const [symbol, old] of rules) if (!now.has(symbol)) now.set(symbol, { ...old, status: 'absent' });
  for (const [symbol, each] of now) rules.set(symbol, keepGrid(rules.get(symbol), each));
}

/** True when the coin already runs with this config and these rules. */
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

const siblingsOf = (runners: Iterable<CoinRunner>, profileId: ProfileId): Coin[] =>
  [...runners].map(({ coin }) => coin).filter(({ profile }) => profile.id === profileId);
