import { z } from 'zod';
import { dayStart } from './day-start.ts';
import {
  add,
  type Decimal,
  formatDecimal,
  formatFixed,
  maximum,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import type { ApprovalReason, Numbers } from '#core/decision/decision.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { positiveAmount } from '#core/text-fields.ts';

const upTo = (most: number) => z.int().min(1).max(most);
const amount = (title: string, description: string) =>
  positiveAmount.nullable().meta({ title, description, form: { unit: 'quote' } });

/** Risk limits of an account or a profile; null is no limit. Amounts are in `asset`. */
export const riskLimits = z.strictObject({
  asset: z
    .string()
    .regex(/^[A-Z0-9]{2,12}$/, 'is not an asset such as USDT')
    .nullable()
    .meta({ form: { hidden: true } }),
  /** Of a calendar day. */
  dailyLoss: amount('Loss today', 'Realised, after fees. Stops buying until the next day in your time zone.'),
  /** Between any two moments of the last `drawdownHours`. */
  drawdown: amount('Drawdown', 'Realised loss within the window below. Stops buying until it is older.'),
  drawdownHours: upTo(720).meta({
    title: 'Drawdown window',
    description: 'How far back the drawdown is measured.',
    form: { unit: 'h' },
  }),
  lossStreak: upTo(20)
    .nullable()
    .meta({
      title: 'Losses in a row',
      description: 'This many losing trades in a row pause buying.',
      form: { unit: 'trades' },
    }),
  lossPauseMinutes: upTo(10_080).meta({
    title: 'Pause',
    description: 'Length of the pause after losses in a row.',
    form: { unit: 'min' },
  }),
  openPositions: upTo(1_000)
    .nullable()
    .meta({
      title: 'Open positions',
      description: 'Maximum number; existing positions may still be added to.',
      form: { unit: 'coins' },
    }),
  exposure: amount('Exposure', 'Maximum cost of positions and open buys. Buys get smaller first.'),
  entriesPerMinute: upTo(600)
    .nullable()
    .meta({ title: 'Buys per minute', description: 'Further buys wait.', form: { unit: 'buys' } }),
});
export type RiskLimits = z.infer<typeof riskLimits>;

export const NO_LIMITS: RiskLimits = {
  asset: null,
  dailyLoss: null,
  drawdown: null,
  drawdownHours: 24,
  lossStreak: null,
  lossPauseMinutes: 60,
  openPositions: null,
  exposure: null,
  entriesPerMinute: null,
};

/** The amount limits that are set although `asset` is null. */
export const limitsWithoutAsset = ({ asset, ...limits }: RiskLimits): string[] =>
  asset === null ? (['dailyLoss', 'drawdown', 'exposure'] as const).filter((name) => limits[name] !== null) : [];

/** True when a limit is set. Hours, minutes and the asset alone are no limit. */
export const hasLimits = ({ asset: _a, drawdownHours: _h, lossPauseMinutes: _m, ...limits }: RiskLimits): boolean =>
  Object.values(limits).some((limit) => limit !== null);

/** Stored limits over the defaults. Unreadable limits stop entries, not exits: no position may be opened. */
export function readRiskLimits(stored: unknown): RiskLimits {
  const parsed = riskLimits.safeParse({ ...NO_LIMITS, ...(isObject(stored) ? stored : {}) });
  return parsed.success ? parsed.data : { ...NO_LIMITS, openPositions: 0 };
}

export const RISK_SCOPES = ['account', 'profile'] as const;
export type RiskScope = (typeof RISK_SCOPES)[number];

interface OfCoin {
  readonly profileId: ProfileId;
  readonly symbol: string;
}
/** Realised P&L of one order or one closed trade, fees included, in quote. */
export interface Gain extends OfCoin {
  readonly at: Date;
  readonly net: Decimal;
}
export interface Holding extends OfCoin {
  readonly cost: Decimal;
  /** A cycle is open. The rest of a closed cycle is too small to sell. */
  readonly open: boolean;
}
/** A recorded buy. `quote` is the amount that it may still spend; zero once it is final. */
export interface CountedEntry extends OfCoin {
  readonly orderId: OrderId;
  readonly at: Date;
  readonly quote: Decimal;
  readonly live: boolean;
}
/** A pause of buying one coin, set by the operator; wall time. */
export interface CoinPause extends OfCoin {
  readonly since: Date;
  readonly until: Date;
  readonly why: string;
}

/** All facts of one account that count towards limits; gains and closings oldest first. */
export interface RiskFacts {
  readonly timezone: string;
  readonly limits: readonly { readonly scope: RiskScope; readonly subject: string; readonly limits: RiskLimits }[];
  readonly gains: readonly Gain[];
  readonly closings: readonly Gain[];
  readonly holdings: readonly Holding[];
  readonly entries: readonly CountedEntry[];
  readonly pauses: readonly CoinPause[];
}

type LimitName = 'dailyLoss' | 'drawdown' | 'lossStreak' | 'openPositions' | 'exposure' | 'entriesPerMinute';

/**
 * Usage of one limit. It refuses entries while `blocked`, at most until `until`. `numbers` fill the sentence of `reason`.
 */
export interface LimitUsage {
  readonly limit: LimitName;
  readonly reason: ApprovalReason;
  readonly blocked: boolean;
  readonly until: Date | null;
  readonly numbers: Numbers & {
    readonly scope: RiskScope;
    readonly used: string | number;
    readonly most: string | number;
  };
}

interface Trip {
  readonly since: Date;
  readonly until: Date;
}

interface Loss {
  /** The largest loss, at least zero. */
  readonly loss: Decimal;
  readonly trip: Trip | null;
}

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
const before = (gains: readonly Gain[], end: Date): Gain[] => gains.filter(({ at }) => at <= end);

/** The loss of the day so far. Once it reaches `most`, buying stops for the day, whatever later exits earn. */
export function dailyLoss(
  gains: readonly Gain[],
  most: Decimal,
  { now, timezone }: { now: Date; timezone: string },
): Loss {
  const start = dayStart(now.getTime(), timezone);
  // A day has 23 to 25 hours: 36 hours after its start lie within the next one.
  const until = dayStart(start.getTime() + 36 * HOUR_MS, timezone);
  let sum = ZERO;
  let trip: Trip | null = null;
  for (const { at, net } of before(gains, now)) {
    if (at < start) continue;
    sum = add(sum, net);
    if (trip === null && subtract(ZERO, sum) >= most) trip = { since: at, until };
  }
  return { loss: maximum(subtract(ZERO, sum), ZERO), trip };
}

/**
 * The max drawdown of the realised P&L within the last `hours`. A drawdown of `most` or more refuses entries until its
 * first loss is older than `hours`.
 */
export function drawdown(gains: readonly Gain[], most: Decimal, { now, hours }: { now: Date; hours: number }): Loss {
  const seen = before(gains, now).filter(({ at }) => at.getTime() > now.getTime() - hours * HOUR_MS);
  let deepest = ZERO;
  let trip: Trip | null = null;
  // Backwards: `fall` is the deepest fall that starts with this gain.
  let fall = ZERO;
  let bottom = now;
  for (const { at, net } of seen.toReversed()) {
    if (fall === 0n) bottom = at;
    fall = maximum(subtract(fall, net), ZERO);
    deepest = maximum(deepest, fall);
    if (trip === null && fall >= most) trip = { since: bottom, until: new Date(at.getTime() + hours * HOUR_MS) };
  }
  return { loss: deepest, trip };
}

/** Consecutive losing trades up to now, and the pause after a streak of `most`. */
export function lossStreak(
  closings: readonly Gain[],
  most: number,
  { now, minutes }: { now: Date; minutes: number },
): { readonly losses: number; readonly trip: Trip | null } {
  const seen = before(closings, now);
  const losses = seen.length - 1 - seen.findLastIndex(({ net }) => net >= 0n);
  const last = seen.at(-1)?.at;
  if (last === undefined || losses < most) return { losses, trip: null };
  const until = new Date(last.getTime() + minutes * MINUTE_MS);
  return { losses, trip: until > now ? { since: last, until } : null };
}

/** The limits of one account or profile, with the facts that count towards them. */
export interface RiskSubject {
  readonly scope: RiskScope;
  readonly limits: RiskLimits;
  readonly timezone: string;
  readonly facts: Pick<RiskFacts, 'gains' | 'closings' | 'holdings' | 'entries'>;
}

/** Account first. A profile gets only its own facts. */
export const riskSubjects = (facts: RiskFacts): (RiskSubject & { readonly subject: string })[] =>
  facts.limits
    .toSorted((one, other) => RISK_SCOPES.indexOf(one.scope) - RISK_SCOPES.indexOf(other.scope))
    .map((each) => {
      const counts = ({ profileId }: OfCoin): boolean => each.scope === 'account' || profileId === each.subject;
      const { gains, closings, holdings, entries } = facts;
      const own = { gains: gains.filter(counts), closings: closings.filter(counts), holdings: holdings.filter(counts) };
      return { ...each, timezone: facts.timezone, facts: { ...own, entries: entries.filter(counts) } };
    });

/** The symbol ends with its quote asset: BTCUSDT counts in USDT. */
const isIn = (asset: string | null, { symbol }: Pick<OfCoin, 'symbol'>): boolean =>
  asset !== null && symbol.endsWith(asset);

/** At most eight decimals, for sentences. */
const amountText = (value: Decimal, asset: string | null): string =>
  `${formatDecimal(requireDecimal(formatFixed(value, 8)))} ${asset ?? ''}`;

/** Limits on past results. They change only with fills: a trip stays in force until its `until`. */
export function pastLimitUsage({ scope, limits, timezone, facts }: RiskSubject, now: Date): LimitUsage[] {
  const { asset, drawdownHours: hours, lossPauseMinutes: minutes } = limits;
  const gains = facts.gains.filter((gain) => isIn(asset, gain));
  const usages: LimitUsage[] = [];
  const addUsage = (
    limit: LimitName,
    reason: ApprovalReason,
    result: { trip: Trip | null; used: string | number; most: string | number },
  ) => {
    const { trip, used, most } = result;
    const times = trip === null ? {} : { since: trip.since.toISOString(), until: trip.until.toISOString() };
    const numbers = { scope, used, most, hours, ...times };
    usages.push({ limit, reason, blocked: trip !== null, until: trip?.until ?? null, numbers });
  };
  if (limits.dailyLoss !== null) {
    const most = requireDecimal(limits.dailyLoss);
    const { loss, trip } = dailyLoss(gains, most, { now, timezone });
    addUsage('dailyLoss', 'halt-daily-loss', { trip, used: amountText(loss, asset), most: amountText(most, asset) });
  }
  if (limits.drawdown !== null) {
    const most = requireDecimal(limits.drawdown);
    const { loss, trip } = drawdown(gains, most, { now, hours });
    addUsage('drawdown', 'halt-drawdown', { trip, used: amountText(loss, asset), most: amountText(most, asset) });
  }
  if (limits.lossStreak !== null) {
    const { losses, trip } = lossStreak(facts.closings, limits.lossStreak, { now, minutes });
    addUsage('lossStreak', 'cooldown-loss-streak', { trip, used: losses, most: limits.lossStreak });
  }
  return usages;
}

const coinKey = ({ profileId, symbol }: OfCoin): string => `${profileId}:${symbol}`;

/** Coins with a position or an open buy. */
export const openCoins = ({ holdings, entries }: RiskSubject['facts']): Set<string> =>
  new Set([...holdings.filter(({ open }) => open), ...entries.filter(({ live }) => live)].map(coinKey));

/** Cost of the coins bought with `asset`, plus the amount that open buys may still spend. */
export function exposureOf({ holdings, entries }: RiskSubject['facts'], asset: string | null): Decimal {
  const held = holdings.reduce((sum, each) => (isIn(asset, each) ? add(sum, each.cost) : sum), ZERO);
  return entries.reduce((sum, each) => (each.live && isIn(asset, each) ? add(sum, each.quote) : sum), held);
}

/** Limits on open positions and recent buys, including a used-up exposure limit. */
export function presentLimitUsage({ scope, limits, facts }: RiskSubject, now: Date): LimitUsage[] {
  const { asset, openPositions, exposure, entriesPerMinute } = limits;
  const usages: LimitUsage[] = [];
  if (openPositions !== null) {
    const used = openCoins(facts).size;
    const numbers = { scope, used, most: openPositions };
    usages.push({
      limit: 'openPositions',
      reason: 'cap-open-positions',
      blocked: used >= openPositions,
      until: null,
      numbers,
    });
  }
  if (exposure !== null) {
    const cap = requireDecimal(exposure);
    const used = exposureOf(facts, asset);
    const room = amountText(maximum(subtract(cap, used), ZERO), asset);
    const numbers = {
      scope,
      used: amountText(used, asset),
      most: amountText(cap, asset),
      cap: amountText(cap, asset),
      room,
    };
    usages.push({ limit: 'exposure', reason: `cap-${scope}-exposure`, blocked: used >= cap, until: null, numbers });
  }
  if (entriesPerMinute !== null) {
    const times = facts.entries
      .map(({ at }) => at.getTime() + MINUTE_MS)
      .filter((gone) => gone > now.getTime() && gone <= now.getTime() + MINUTE_MS);
    const used = times.length;
    const free = used < entriesPerMinute ? undefined : times.toSorted((a, b) => a - b)[used - entriesPerMinute];
    const until = free === undefined ? null : new Date(free);
    const numbers = { scope, used, most: entriesPerMinute, until: until?.toISOString() ?? null };
    usages.push({ limit: 'entriesPerMinute', reason: 'cap-entry-rate', blocked: until !== null, until, numbers });
  }
  return usages;
}

/** Amount limits count one asset. A buy with another quote asset is refused, because they cannot count it. */
export function assetRefusal(
  { scope, limits }: Pick<RiskSubject, 'scope' | 'limits'>,
  symbol: string,
): { reason: ApprovalReason; numbers: Numbers } | undefined {
  const { asset, dailyLoss: loss, drawdown: fall, exposure } = limits;
  if ((loss ?? fall ?? exposure) === null || isIn(asset, { symbol })) return undefined;
  return { reason: 'cap-other-asset', numbers: { scope, asset } };
}
