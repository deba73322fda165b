import type { ApprovalReason } from '#core/decision/decision.ts';
import type { Halt } from '#core/account/halts.ts';
import type { OrderPurpose } from '#core/order/order.ts';
import { TRIGGERED_GRACE_MS } from '#core/sizing/protective-stop.ts';
import { type Facts, type Refusal, refuse, type Situation } from './situation.ts';

/** Entries need a price younger than this; exits do not. */
export const PRICE_AGE_LIMIT_MS = 10_000;

/** Why an order is refused, whatever its size. */
type Check = (situation: Situation) => Refusal | undefined;

function firstRefusal(checks: readonly Check[], situation: Situation): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(situation);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

const haltReason = ({ reset }: Halt): ApprovalReason => (reset === true ? 'halt-exchange-reset' : 'halt-kill-switch');

const haltFacts = ({ scope, since }: Halt): Facts => ({ scope, since });

const notHalted: Check = ({ live }) => {
  const halt = live?.halts[0];
  return halt === undefined ? undefined : refuse(haltReason(halt), haltFacts(halt));
};

const notFrozen: Check = ({ live }) => {
  const frozen = live?.halts.find((halt) => halt.freeze);
  return frozen === undefined ? undefined : refuse('halt-frozen', haltFacts(frozen));
};

const profileEnabled: Check = ({ live }) => (live?.enabled === false ? refuse('halt-profile-disabled') : undefined);

const withinLimits: Check = ({ limits }) => {
  const refusal = limits.refusal();
  return refusal === undefined ? undefined : refuse(refusal.reason, refusal.numbers);
};

const KEY_WORDS = { error: 'in error', unchecked: 'not checked yet' } as const;

const keyUsable: Check = ({ live }) => {
  if (live === null || live.keyStatus === 'healthy') return undefined;
  return refuse('data-key-unhealthy', { status: KEY_WORDS[live.keyStatus ?? 'unchecked'] });
};

/** A backtest runs over the candles of a coin whatever its status is today. */
const symbolTrading: Check = ({ live, rules: { status } }) =>
  live === null || status === 'TRADING' ? undefined : refuse('data-symbol-not-trading', { status });

const stopsAccepted: Check = (situation) =>
  situation.rules.status === 'unreadable' ? undefined : symbolTrading(situation);

const priceFresh: Check = ({ live }) => {
  if (live === null || live.priceAgeMs <= PRICE_AGE_LIMIT_MS) return undefined;
  return refuse('stale-price', { ageMs: Math.round(live.priceAgeMs), limitMs: PRICE_AGE_LIMIT_MS });
};

const nothingPending: Check = ({ pending }) => {
  if (pending === null) return undefined;
  const facts = { order: pending.clientOrderId, certainAt: new Date(pending.certainAtMs) };
  return refuse(pending.unknown ? 'order-unknown' : 'order-in-flight', facts);
};

/** An orphan may be an own entry, for example after a restored backup: another buy would double it. */
const noOrphan: Check = ({ live, rules: { baseAsset: asset } }) => {
  if (live === null || live.orphans.orders === live.orphans.left) return undefined;
  const { orders, left, locked } = live.orphans;
  return refuse('base-locked-by-orphan', { orders: orders - left, locked, asset });
};

const ordersRead: Check = ({ live }) => {
  const cause = live?.unreadOrder ?? null;
  return cause === null ? undefined : refuse('data-order-unreadable', { cause });
};

const cooledDown: Check = ({ position, rules: { quoteAsset: asset }, nowMs }) => {
  const until = position.cooldownUntil;
  if (until === null || until.getTime() <= nowMs) return undefined;
  return refuse('cooldown-loss', { until, netPnl: { amount: position.lastCycleNet ?? position.cycleNet, asset } });
};

const candlesRead: Check = ({ live }) => {
  const missing = live?.candles ?? null;
  if (missing === null) return undefined;
  const { interval, problem } = missing;
  return refuse('data-candles-missing', { interval, cause: problem?.cause ?? 'they are being read' });
};

/** The first buy of a position needs trend and ratings; an add needs the trend alone, because a dip is rated low. */
const gatesAgree: Check = ({ gates, position, nowMs }) => {
  const refusal = gates?.refusal({ first: position.firstBuyAt === null, nowMs });
  return refusal === undefined ? undefined : refuse(refusal.reason, refusal.numbers);
};

/** A triggered stop gets time to sell: cancelling it at once would only sell later. */
const stopNotSelling: Check = ({ stop }) =>
  stop?.selling === true ? refuse('order-stop-triggered', { seconds: TRIGGERED_GRACE_MS / 1000 }) : undefined;

const notRefused =
  (purpose: OrderPurpose): Check =>
  ({ live }) => {
    const open = live?.refusals(purpose);
    if (open === undefined) return undefined;
    const { times, message, untilMs } = open;
    return refuse('order-refused-repeatedly', { times, message, until: new Date(untilMs) });
  };

/** Every operator limit, halt, data problem and pause refuses an entry. A manual buy skips the pauses. */
const MANUAL_BUY_CHECKS: readonly Check[] = [
  notHalted,
  profileEnabled,
  withinLimits,
  keyUsable,
  symbolTrading,
  priceFresh,
  nothingPending,
  noOrphan,
  ordersRead,
];

const ENTRY_CHECKS: readonly Check[] = [...MANUAL_BUY_CHECKS, cooledDown, candlesRead, gatesAgree, notRefused('entry')];

/** An exit lowers risk: only what makes sending it pointless refuses it. */
const EXIT_CHECKS: readonly Check[] = [notFrozen, nothingPending, stopNotSelling, notRefused('exit')];

const MANUAL_SELL_CHECKS: readonly Check[] = [notFrozen, nothingPending];

/** Only a freeze refuses changes of a resting stop; it leaves a first stop alone. */
const restingStopNotFrozen: Check = (situation) => (situation.stop === null ? undefined : notFrozen(situation));

const STOP_CHECKS: readonly Check[] = [restingStopNotFrozen, stopsAccepted, nothingPending, notRefused('stop')];

const CHECKS = {
  entry: ENTRY_CHECKS,
  exit: EXIT_CHECKS,
  stop: STOP_CHECKS,
  'manual-buy': MANUAL_BUY_CHECKS,
  'manual-sell': MANUAL_SELL_CHECKS,
} as const;

/** The first reason to refuse an order of this kind now, whatever its size. */
export const refusalOf = (kind: keyof typeof CHECKS, situation: Situation): Refusal | undefined =>
  firstRefusal(CHECKS[kind], situation);
