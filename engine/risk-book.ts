import type { CapRoom } from '#core/budget.ts';
import type { ApprovalReason, Numbers } from '#core/decision.ts';
import { type Decimal, maximum, requireDecimal, subtract, ZERO } from '#core/decimal.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';
import {
  assetRefusal,
  type CoinPause,
  type CountedEntry,
  exposureOf,
  hasLimits,
  openCoins,
  pastStandings,
  presentStandings,
  type RiskFacts,
  type RiskSubject,
  riskSubjects,
  type Standing,
} from '#core/risk.ts';

const MINUTE_MS = 60_000;
/** Periodic reads take at most one twentieth of the time. */
const POLL_PACE = 20;

interface CoinName {
  readonly profileId: ProfileId;
  readonly symbol: string;
}

/**
 * The operator's limits of one account and what counts towards them. Stored facts are read again after every fill; a
 * buy counts from its approval on, before it is written down, so that coins deciding at once cannot share one room.
 */
export interface RiskBook {
  /** Reads limits, pauses, results and positions again; what was committed before the call is in them afterwards. */
  refresh(): Promise<void>;
  /** Refreshes, unless the last read was expensive and not long ago. */
  poll(): Promise<void>;
  /** A fill was booked: reads again, unless nothing is limited and nothing is being read. */
  booked(): Promise<void>;
  /** The first limit that refuses a buy of the coin now. Exposure makes a buy smaller: see `rooms`. */
  refusal(coin: CoinName, now: Date): { readonly reason: ApprovalReason; readonly numbers: Numbers } | undefined;
  /** What exposure caps leave for the coin, in quote. */
  rooms(coin: CoinName): CapRoom[];
  /** Counts a buy that is about to be written down. */
  reserve(entry: Omit<CountedEntry, 'live'>): void;
  /** A part of it is in the position now. */
  spent(orderId: OrderId, quote: Decimal): void;
  /** It is final; it still counts towards the buys of its minute. */
  finish(orderId: OrderId): void;
  /** It was never written down. */
  forget(orderId: OrderId): void;
}

interface Known extends RiskSubject {
  readonly subject: string;
  /** Limits that refuse until a time, as of the last read. */
  readonly tripped: readonly Standing[];
}

export function createRiskBook(read: () => Promise<RiskFacts>, now: () => Date): RiskBook {
  const entries = new Map<OrderId, CountedEntry>();
  let known: readonly Known[] | null = null;
  let pauses: readonly CoinPause[] = [];

  const load = async (): Promise<void> => {
    const facts = await read();
    // Buys of an earlier run count too; from then on this book knows them better than a snapshot does.
    if (known === null) for (const entry of facts.entries) entries.set(entry.orderId, entry);
    pauses = facts.pauses;
    known = riskSubjects(facts).map((subject) => {
      return { ...subject, tripped: pastStandings(subject, now()).filter(({ blocked }) => blocked) };
    });
  };
  const subjectsOf = ({ profileId }: CoinName): Known[] =>
    (known ?? [])
      .filter(({ scope, subject }) => scope === 'account' || subject === profileId)
      .map((each) => {
        const counted = [...entries.values()].filter(
          (entry) => each.scope === 'account' || entry.profileId === profileId,
        );
        return { ...each, facts: { ...each.facts, entries: counted } };
      });
  const change = (orderId: OrderId, quoteOf: (entry: CountedEntry) => Decimal, live: boolean): void => {
    const entry = entries.get(orderId);
    if (entry !== undefined) entries.set(orderId, { ...entry, quote: quoteOf(entry), live });
  };

  const { refresh, poll, isBusy } = oneByOne(load);
  return {
    refresh,
    poll,
    async booked() {
      if (isBusy() || known?.some(({ limits }) => hasLimits(limits)) !== false) await refresh();
    },
    refusal(coin, at) {
      const pause = pauses.find(({ profileId, symbol }) => profileId === coin.profileId && symbol === coin.symbol);
      if (pause !== undefined && pause.until.getTime() > Date.now()) {
        return { reason: 'halt-coin-paused', numbers: { until: pause.until.toISOString(), why: pause.why } };
      }
      for (const subject of subjectsOf(coin)) {
        const refusal =
          subject.tripped.find(({ until }) => until !== null && until > at) ??
          assetRefusal(subject, coin.symbol) ??
          presentStandings(subject, at).find((standing) => standing.blocked && refusesNow(standing, subject, coin));
        if (refusal !== undefined) return { reason: refusal.reason, numbers: refusal.numbers };
      }
      return undefined;
    },
    rooms: (coin) =>
      subjectsOf(coin).flatMap(({ scope, limits, facts }) => {
        if (limits.exposure === null) return [];
        const cap = requireDecimal(limits.exposure);
        const used = exposureOf(facts, limits.asset);
        return [{ reason: `cap-${scope}-exposure` as const, cap, used, room: maximum(subtract(cap, used), ZERO) }];
      }),
    reserve(entry) {
      const gone = now().getTime() - MINUTE_MS;
      for (const [orderId, { live, at }] of entries) if (!live && at.getTime() <= gone) entries.delete(orderId);
      entries.set(entry.orderId, { ...entry, live: true });
    },
    spent: (orderId, quote) => change(orderId, (entry) => maximum(subtract(entry.quote, quote), ZERO), true),
    finish: (orderId) => change(orderId, () => ZERO, false),
    forget: (orderId) => void entries.delete(orderId),
  };
}

/** One read after the other, so that an older one never overwrites a younger; all who wait for the next share it. */
function oneByOne(load: () => Promise<void>): Pick<RiskBook, 'refresh' | 'poll'> & { isBusy: () => boolean } {
  let last: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | null = null;
  let reads = 0;
  let pollFromMs = Number.NEGATIVE_INFINITY;
  const begin = async (): Promise<void> => {
    waiting = null;
    const startMs = performance.now();
    await load();
    const endMs = performance.now();
    pollFromMs = endMs + POLL_PACE * (endMs - startMs);
  };
  const refresh = (): Promise<void> => {
    if (waiting !== null) return waiting;
    reads += 1;
    waiting = last.then(begin).finally(() => void (reads -= 1));
    last = waiting.catch(() => {});
    return waiting;
  };
  return {
    refresh,
    isBusy: () => reads > 0,
    poll: () => (performance.now() < pollFromMs ? Promise.resolve() : refresh()),
  };
}

/** A coin that is open already takes no new place; an exposure shrinks a buy before it refuses one. */
function refusesNow({ limit }: Standing, { facts }: RiskSubject, { profileId, symbol }: CoinName): boolean {
  if (limit === 'exposure') return false;
  return limit !== 'openPositions' || !openCoins(facts).has(`${profileId}:${symbol}`);
}
