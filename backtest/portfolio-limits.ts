import { dayStart } from '#core/account/day-start.ts';
import { add, type Decimal, ZERO } from '#core/amount/decimal.ts';
import type { OrderId, ProfileId } from '#core/ids.ts';
import { type Gain, hasLimits, type Holding, type RiskFacts } from '#core/account/risk.ts';
import { createRiskJudge, type RiskJudge } from '#core/account/risk-judge.ts';
import type { Book } from './book.ts';
import type { AccountView } from './situation.ts';

/** Risk limits of an account and its profiles, and the time zone of the day for the daily loss. */
export type AccountLimits = Pick<RiskFacts, 'limits' | 'timezone'>;

/** A coin that counts towards limits. */
interface LimitedCoin {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly book: Book;
}

/** Checks of one coin before a buy. */
type Judged = Pick<AccountView, 'refusal' | 'rooms' | 'placed'>;

const HOUR_MS = 3_600_000;
/** The longest loss streak that a limit can have (core/account/risk.ts). */
const CLOSINGS_PER_PROFILE = 20;

/** Realised P&L of an order or a cycle so far; `key` names it. */
interface Made extends Gain {
  readonly key: string;
}

/** A coin, and how many fills and cycles of its book are already counted. */
interface Counted extends LimitedCoin {
  fills: number;
  cycles: number;
  /** Its buys that are not final, by number. */
  readonly buys: Map<number, OrderId>;
}

/**
 * Checks the buys of all coins against the risk limits, with the code of the live engine. Before each check it reads new
 * fills from the books. Undefined without limits.
 */
export function openLimits(
  coins: readonly LimitedCoin[],
  { limits, timezone }: AccountLimits,
): ((coin: LimitedCoin) => Judged) | undefined {
  if (!limits.some((each) => hasLimits(each.limits))) return undefined;
  const judge = createRiskJudge();
  const counted = new Map<string, Counted>();
  for (const coin of coins) counted.set(coin.symbol, { ...coin, fills: 0, cycles: 0, buys: new Map() });
  const all = [...counted.values()];
  const longestMs = longestLookBackMs(limits);
  const [gains, closings] = [new Map<string, Made>(), new Map<string, Made>()];
  let isKnown = false;
  const count = (now: Date): void => {
    if (isKnown && !all.some(hasNews)) return;
    isKnown = true;
    const made = all.flatMap((coin) => countFills(coin, judge));
    const closed = all.flatMap(countCycles);
    const sinceMs = Math.min(dayStart(now.getTime(), timezone).getTime(), now.getTime() - longestMs);
    for (const [key, { at }] of gains) if (at.getTime() < sinceMs) gains.delete(key);
    addInOrder(gains, made, (former) => former.net);
    addInOrder(closings, closed, () => ZERO);
    forgetOld(closings);
    const facts = { gains: [...gains.values()], closings: [...closings.values()], holdings: all.flatMap(holdingOf) };
    judge.take({ limits, timezone, entries: [], ...facts }, now);
  };
  return ({ profileId, symbol }) => ({
    refusal(nowMs) {
      const now = new Date(nowMs);
      count(now);
      return judge.refusal({ profileId, symbol }, now);
    },
    rooms: () => judge.rooms({ profileId, symbol }),
    placed({ number, quote, nowMs }) {
      const [at, orderId] = [new Date(nowMs), `${symbol} ${number}` as OrderId];
      counted.get(symbol)?.buys.set(number, orderId);
      judge.reserve({ orderId, profileId, symbol, at, quote }, at);
    },
  });
}

const longestLookBackMs = (limits: AccountLimits['limits']): number =>
  HOUR_MS * Math.max(...limits.map((each) => (each.limits.drawdown === null ? 0 : each.limits.drawdownHours)));

function hasNews({ book, fills, buys }: Counted): boolean {
  if (book.fills.length > fills) return true;
  for (const number of buys.keys()) if (isFinal(book, number)) return true;
  return false;
}

const isFinal = ({ pending, entry }: Book, number: number): boolean =>
  pending?.number !== number && entry?.number !== number;

/** Reports the spending of buys and the final buys to the risk judge; returns the realised P&L of the sales. */
function countFills(coin: Counted, judge: RiskJudge): Made[] {
  const { profileId, symbol, book, buys } = coin;
  const made: Made[] = [];
  for (; coin.fills < book.fills.length; coin.fills++) {
    const booked = book.fills[coin.fills];
    if (booked === undefined) break;
    const { exchangeOrderId, side, quoteQuantity, at } = booked.fill;
    const orderId = buys.get(Number(exchangeOrderId));
    if (orderId !== undefined) judge.spent(orderId, quoteQuantity);
    if (side === 'sell')
      made.push({ key: `${symbol} ${exchangeOrderId}`, profileId, symbol, at, net: booked.realised });
  }
  for (const [number, orderId] of buys) {
    if (!isFinal(book, number)) continue;
    judge.finish(orderId);
    buys.delete(number);
  }
  return made;
}

/** The rest of an exit may have changed the last cycle. */
function countCycles(coin: Counted): Made[] {
  const { profileId, symbol, book } = coin;
  const fresh = book.cycles.slice(Math.max(0, coin.cycles - 1));
  coin.cycles = book.cycles.length;
  return fresh.map(({ number, closedMs, net }) => {
    return { key: `${symbol} ${number}`, profileId, symbol, at: new Date(closedMs), net };
  });
}

/** Adds gains, oldest first. A known gain of the same order or cycle is replaced, with `kept` of it added. */
function addInOrder(known: Map<string, Made>, made: readonly Made[], kept: (former: Made) => Decimal): void {
  for (const one of made.toSorted((a, b) => a.at.getTime() - b.at.getTime())) {
    const former = known.get(one.key);
    known.delete(one.key);
    known.set(one.key, former === undefined ? one : { ...one, net: add(kept(former), one.net) });
  }
}

/** Keeps as many cycles of each profile as a streak may count. */
function forgetOld(closings: Map<string, Made>): void {
  const kept = new Map<string, number>();
  for (const [key, { profileId }] of [...closings].toReversed()) {
    const before = kept.get(profileId) ?? 0;
    if (before >= CLOSINGS_PER_PROFILE) closings.delete(key);
    kept.set(profileId, before + 1);
  }
}

const holdingOf = ({ profileId, symbol, book: { position } }: Counted): Holding[] =>
  position.quantity > 0n ? [{ profileId, symbol, cost: position.cost, open: position.firstBuyAt !== null }] : [];
