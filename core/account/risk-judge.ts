import type { CapRoom } from '#core/sizing/budget.ts';
import type { ApprovalReason, Numbers } from '#core/decision/decision.ts';
import { type Decimal, maximum, requireDecimal, subtract, ZERO } from '#core/amount/decimal.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';
import {
  assetRefusal,
  type CountedEntry,
  exposureOf,
  hasLimits,
  openCoins,
  pastLimitUsage,
  presentLimitUsage,
  type RiskFacts,
  type RiskSubject,
  riskSubjects,
  type LimitUsage,
} from './risk.ts';

const MINUTE_MS = 60_000;

export interface CoinName {
  readonly profileId: ProfileId;
  readonly symbol: string;
}

/**
 * Checks buys against the risk limits of one account, in live trading and in backtests. The facts are read again after
 * every fill. A buy counts from its approval on, so that coins that decide at the same time cannot use the same room.
 * Times are market time.
 */
export interface RiskJudge {
  /** Sets limits, results and positions as of `now`. Open buys are read only the first time, then they are counted here. */
  take(facts: Omit<RiskFacts, 'pauses'>, now: Date): void;
  /** False without limits; undefined before the first facts. */
  isLimited(): boolean | undefined;
  /** The first limit that refuses a buy of the coin now. An exposure limit only makes a buy smaller: see `rooms`. */
  refusal(coin: CoinName, now: Date): { readonly reason: ApprovalReason; readonly numbers: Numbers } | undefined;
  /** Room that the exposure caps leave for the coin, in quote. */
  rooms(coin: CoinName): CapRoom[];
  /** Counts a buy that was approved at `entry.at`. */
  reserve(entry: Omit<CountedEntry, 'live'>, now: Date): void;
  /** A part of the buy is now in the position. */
  spent(orderId: OrderId, quote: Decimal): void;
  /** The buy is final. It still counts towards the buys of its minute. */
  finish(orderId: OrderId): void;
  /** The buy was never sent. */
  forget(orderId: OrderId): void;
}

interface Known extends RiskSubject {
  readonly subject: string;
  /** Limits that block until a time, as of the last facts. */
  readonly tripped: readonly LimitUsage[];
}

export function createRiskJudge(): RiskJudge {
  const entries = new Map<OrderId, CountedEntry>();
  let known: readonly Known[] | null = null;
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
  return {
    take(facts, now) {
      // Buys of an earlier run count too. Later snapshots are less exact than the buys counted here.
      if (known === null) for (const entry of facts.entries) entries.set(entry.orderId, entry);
      const asOf = latest(now, facts);
      known = riskSubjects({ ...facts, pauses: [] }).map((subject) => {
        return { ...subject, tripped: pastLimitUsage(subject, asOf).filter(({ blocked }) => blocked) };
      });
    },
    isLimited: () => known?.some(({ limits }) => hasLimits(limits)),
    refusal(coin, now) {
      for (const subject of subjectsOf(coin)) {
        const refusal =
          subject.tripped.find(({ until }) => until !== null && until > now) ??
          assetRefusal(subject, coin.symbol) ??
          presentLimitUsage(subject, now).find((usage) => usage.blocked && refusesNow(usage, subject, coin));
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
    reserve(entry, now) {
      const gone = now.getTime() - MINUTE_MS;
      for (const [orderId, { live, at }] of entries) if (!live && at.getTime() <= gone) entries.delete(orderId);
      entries.set(entry.orderId, { ...entry, live: true });
    },
    spent: (orderId, quote) => change(orderId, (entry) => maximum(subtract(entry.quote, quote), ZERO), true),
    finish: (orderId) => change(orderId, () => ZERO, false),
    forget: (orderId) => void entries.delete(orderId),
  };
}

/** A recorded gain has happened, even when the clock of the exchange is ahead of `now`. */
const latest = (now: Date, { gains, closings }: Pick<RiskFacts, 'gains' | 'closings'>): Date =>
  new Date(Math.max(now.getTime(), gains.at(-1)?.at.getTime() ?? 0, closings.at(-1)?.at.getTime() ?? 0));

/** A coin that is already open needs no new position slot. An exposure limit shrinks a buy before it refuses one. */
function refusesNow({ limit }: LimitUsage, { facts }: RiskSubject, { profileId, symbol }: CoinName): boolean {
  if (limit === 'exposure') return false;
  return limit !== 'openPositions' || !openCoins(facts).has(`${profileId}:${symbol}`);
}
