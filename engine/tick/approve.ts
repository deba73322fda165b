import { type CapRoom, capRooms, lossFraction } from '#core/sizing/budget.ts';
import type { ApprovalReason, Decision, EntryForm, Numbers } from '#core/decision/decision.ts';
import {
  add,
  type Decimal,
  divide,
  floorToStep,
  formatDecimal,
  formatRounded,
  fromNumber,
  fromSteps,
  maximum,
  minimum,
  multiply,
  ONE,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { sizeByTerms } from '#core/sizing/entry-size.ts';
import type { Gates } from '#core/decision/gates.ts';
import type { Halt } from '#core/account/halts.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { LevelFill } from '#core/position/levels.ts';
import type { ApprovedOrder, OrderDraft, OrderForm, OrderPurpose } from '#core/order/order.ts';
import type { OrphansOn } from '#core/account/orphan.ts';
import { isSellable, type Position } from '#core/position/position.ts';
import { type StopPlan, TRIGGERED_GRACE_MS } from '#core/sizing/protective-stop.ts';
import { CASH_BUFFER, sellableQuantity, sizeEntry } from '#core/sizing/sizing.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import type { SharedSettings } from '#strategies/strategy.ts';
import type { Refusals } from '#engine/state/breaker.ts';
import type { ManualSize } from '#engine/state/operator-request.ts';

/** Entries need a price younger than this; exits do not. */
export const PRICE_AGE_LIMIT_MS = 10_000;

/** All inputs of an approval, frozen for one tick. Times in ms; `now` is market time. */
export interface ApprovalContext {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly enabled: boolean;
  readonly keyStatus: 'healthy' | 'error' | null;
  readonly halts: readonly Halt[];
  readonly rules: SymbolRules;
  readonly price: Decimal;
  readonly priceAgeMs: number;
  readonly now: Date;
  readonly position: Position;
  readonly levels: readonly LevelFill[];
  readonly freeQuote: Decimal;
  /** Equity of the account in the coin's quote asset: cash and positions. */
  readonly equity: () => Decimal;
  readonly freeBase: Decimal;
  readonly shared: SharedSettings;
  readonly takerFee: number;
  /** See engine/state/base-fee.ts. */
  readonly baseFeeRate: number;
  /** A live order of this coin that is not resting, with the moment at which its outcome is certain. */
  readonly pending: { readonly clientOrderId: string; readonly unknown: boolean; readonly certainAt: Date } | null;
  /** Orders of the base asset that no profile tracks. */
  readonly orphans: OrphansOn;
  /** Why an open order of the coin could not be read; null when all could. */
  readonly unreadOrder: string | null;
  /** The resting stop: its locked quantity, and whether it was triggered and is selling. */
  readonly stop: { readonly left: Decimal; readonly selling: boolean } | null;
  /** The waiting buy: the next buy replaces it and uses its locked quote. */
  readonly waiting: { readonly locked: Decimal } | null;
  readonly gates: Gates | null;
  /** First candles of the coin that are not read yet; null when all are read. */
  readonly candles: { readonly interval: string; readonly problem: { readonly cause: string } | null } | null;
  /** Quantity that resting sales other than stops still have to sell. */
  readonly quantityInOpenSells: Decimal;
  readonly refusals: (purpose: OrderPurpose) => Refusals | undefined;
  /** The operator's limit that refuses an entry now, and the room that exposure caps leave. */
  readonly risk: {
    readonly refusal: () => { readonly reason: ApprovalReason; readonly numbers: Numbers } | undefined;
    readonly rooms: () => readonly CapRoom[];
  };
}

export type ApprovalResult =
  | { readonly kind: 'approved'; readonly order: ApprovedOrder; readonly numbers: Numbers }
  | { readonly kind: 'refused'; readonly reason: ApprovalReason; readonly numbers: Numbers };

const refuse = (reason: ApprovalReason, numbers: Numbers = {}): Refusal => ({
  kind: 'refused',
  reason,
  numbers,
});

type Refusal = Extract<ApprovalResult, { kind: 'refused' }>;

type Check = (context: ApprovalContext) => Refusal | undefined;

/** The only place that turns a draft into an order that may be committed and sent. */
const approveDraft = (draft: OrderDraft): ApprovedOrder => draft as ApprovedOrder;

function firstRefusal(checks: readonly Check[], context: ApprovalContext): Refusal | undefined {
  for (const check of checks) {
    const refusal = check(context);
    if (refusal !== undefined) return refusal;
  }
  return undefined;
}

/** Approves or refuses a decision. Entries pass every check, exits only those that make sending pointless. */
export function approve(
  decision: Extract<Decision, { kind: 'buy' | 'sell' }>,
  context: ApprovalContext,
): ApprovalResult {
  const refusal = firstRefusal(decision.kind === 'buy' ? ENTRY_CHECKS : EXIT_CHECKS, context);
  if (refusal !== undefined) return refusal;
  return decision.kind === 'buy' ? approveEntry(decision, context) : approveExit(decision, context);
}

const haltReason = ({ reset }: Halt): ApprovalReason => (reset === true ? 'halt-exchange-reset' : 'halt-kill-switch');

const haltNumbers = (halt: Halt): Numbers => ({ scope: halt.scope, since: halt.since.toISOString() });

const notHalted: Check = ({ halts }) =>
  halts[0] === undefined ? undefined : refuse(haltReason(halts[0]), haltNumbers(halts[0]));

const notFrozen: Check = ({ halts }) => {
  const frozen = halts.find((halt) => halt.freeze);
  return frozen === undefined ? undefined : refuse('halt-frozen', haltNumbers(frozen));
};

const profileEnabled: Check = ({ enabled }) => (enabled ? undefined : refuse('halt-profile-disabled'));

const withinLimits: Check = ({ risk }) => {
  const refusal = risk.refusal();
  return refusal === undefined ? undefined : refuse(refusal.reason, refusal.numbers);
};

const KEY_WORDS = { error: 'in error', unchecked: 'not checked yet' } as const;

const keyUsable: Check = ({ keyStatus }) =>
  keyStatus === 'healthy' ? undefined : refuse('data-key-unhealthy', { status: KEY_WORDS[keyStatus ?? 'unchecked'] });

const symbolTrading: Check = ({ rules }) =>
  rules.status === 'TRADING' ? undefined : refuse('data-symbol-not-trading', { status: rules.status });

const stopsAccepted: Check = (context) => (context.rules.status === 'unreadable' ? undefined : symbolTrading(context));

const priceFresh: Check = ({ priceAgeMs }) =>
  priceAgeMs <= PRICE_AGE_LIMIT_MS
    ? undefined
    : refuse('stale-price', { ageMs: Math.round(priceAgeMs), limitMs: PRICE_AGE_LIMIT_MS });

const nothingPending: Check = ({ pending }) => {
  if (pending === null) return undefined;
  const numbers = { order: pending.clientOrderId, certainAt: pending.certainAt.toISOString() };
  return refuse(pending.unknown ? 'order-unknown' : 'order-in-flight', numbers);
};

/** An orphan may be an own entry, for example after a restored backup: another buy would double it. */
const noOrphan: Check = ({ orphans: { orders, left, locked }, rules }) =>
  orders === left
    ? undefined
    : refuse('base-locked-by-orphan', { orders: orders - left, locked: formatDecimal(locked), asset: rules.baseAsset });

const ordersRead: Check = ({ unreadOrder: cause }) =>
  cause === null ? undefined : refuse('data-order-unreadable', { cause });

const cooledDown: Check = ({ position, rules, now }) => {
  const until = position.cooldownUntil;
  if (until === null || until <= now) return undefined;
  return refuse('cooldown-loss', {
    until: until.toISOString(),
    netPnl: `${formatRounded(position.lastCycleNet ?? position.cycleNet, moneyPlaces(rules.quoteAsset))} ${rules.quoteAsset}`,
  });
};

const candlesRead: Check = ({ candles }) =>
  candles === null
    ? undefined
    : refuse('data-candles-missing', {
        interval: candles.interval,
        cause: candles.problem?.cause ?? 'they are being read',
      });

/** The first buy of a position needs trend and ratings; an add needs the trend alone, because a dip is rated low. */
const gatesAgree: Check = ({ gates, position, now }) => {
  const refusal = gates?.refusal({ first: position.firstBuyAt === null, nowMs: now.getTime() });
  return refusal === undefined ? undefined : refuse(refusal.reason, refusal.numbers);
};

/** A triggered stop gets time to sell: cancelling it at once would only sell later. */
const stopNotSelling: Check = ({ stop }) =>
  stop?.selling === true ? refuse('order-stop-triggered', { seconds: TRIGGERED_GRACE_MS / 1000 }) : undefined;

const notRefused =
  (purpose: OrderPurpose): Check =>
  ({ refusals }) => {
    const open = refusals(purpose);
    if (open === undefined) return undefined;
    return refuse('order-refused-repeatedly', {
      times: open.times,
      message: open.message,
      until: new Date(open.untilMs).toISOString(),
    });
  };

const ENTRY_CHECKS: readonly Check[] = [
  notHalted,
  profileEnabled,
  withinLimits,
  keyUsable,
  symbolTrading,
  priceFresh,
  nothingPending,
  noOrphan,
  ordersRead,
  cooledDown,
  candlesRead,
  gatesAgree,
  notRefused('entry'),
];

/** A manual buy skips the cool-down and the breaker. */
const MANUAL_BUY_CHECKS: readonly Check[] = ENTRY_CHECKS.slice(0, ENTRY_CHECKS.indexOf(cooledDown));

const EXIT_CHECKS: readonly Check[] = [notFrozen, nothingPending, stopNotSelling, notRefused('exit')];

const MANUAL_SELL_CHECKS: readonly Check[] = [notFrozen, nothingPending];

const restingStopNotFrozen: Check = (context) => (context.stop === null ? undefined : notFrozen(context));

const STOP_CHECKS: readonly Check[] = [restingStopNotFrozen, stopsAccepted, nothingPending, notRefused('stop')];

const asText = (numbers: Readonly<Record<string, Decimal>>): Numbers =>
  Object.fromEntries(Object.entries(numbers).map(([name, value]) => [name, formatDecimal(value)]));

/** Converts the strategy's order form from price ticks to exchange prices. */
function formOf(form: EntryForm | undefined, { price: { tick } }: SymbolRules): OrderForm {
  if (form === undefined) return { type: 'market' };
  const price = fromSteps(form.limit, tick);
  if (form.type === 'maker') return { type: 'limit', price, maker: true };
  return { type: 'stop-loss-limit', stopPrice: fromSteps(form.stop, tick), price };
}

function approveEntry(decision: Extract<Decision, { kind: 'buy' }>, context: ApprovalContext): ApprovalResult {
  const { accountId, profileId, rules, shared, waiting } = context;
  const { level, form: waits, quote } = decision;
  const form = formOf(waits, rules);
  const size = sizeByTerms({
    ...context,
    // Computed only where the size depends on it: it reads every coin, and there may be 500.
    equity: shared.equityShare === undefined ? ZERO : context.equity(),
    level,
    terms: shared,
    rooms: context.risk.rooms(),
    freeQuote: add(context.freeQuote, waiting?.locked ?? ZERO),
    ...('price' in form ? { limit: form.price } : {}),
    ...(quote === undefined ? {} : { quote: fromNumber(quote) }),
  });
  if (size.kind === 'refused') return refuse(size.reason, asText(size.numbers));
  const draft: OrderDraft = {
    accountId,
    profileId,
    symbol: rules.symbol,
    side: 'buy',
    purpose: 'entry',
    form,
    quantity: size.quantity,
    entry: { level, plannedQuote: size.plannedQuote },
  };
  return { kind: 'approved', order: approveDraft(draft), numbers: asText(size.numbers) };
}

function approveExit({ lots }: Extract<Decision, { kind: 'sell' }>, context: ApprovalContext): ApprovalResult {
  const most = mostSellable(context);
  const wanted = lots === 'all' ? most : minimum(most, fromSteps(lots, context.rules.lot.step));
  return approveSale({ quantity: wanted, purpose: 'exit', form: { type: 'market' } }, context);
}

const mostSellable = ({ rules, position, freeBase, stop, quantityInOpenSells }: ApprovalContext): Decimal =>
  sellableQuantity({
    position: maximum(subtract(position.quantity, quantityInOpenSells), ZERO),
    walletFree: freeBase,
    ownLocked: stop?.left ?? ZERO,
    rules,
  });

function approveSale(
  { quantity, purpose, form }: Pick<OrderDraft, 'quantity' | 'purpose' | 'form'>,
  context: ApprovalContext,
): ApprovalResult {
  const { accountId, profileId, rules, price, position, freeBase, orphans } = context;
  if (quantity <= 0n) {
    const numbers = asText({ free: freeBase, position: position.quantity });
    const order = orphans.lockedBy.join(', ');
    if (order === '') return refuse('exit-nothing-free', numbers);
    return refuse('exit-locked-by-orphan', { ...numbers, order, locked: formatDecimal(orphans.locked) });
  }
  const unitPrice = form.type === 'limit' ? form.price : price;
  if (!isSellable(quantity, unitPrice, rules)) {
    const value = multiply(quantity, unitPrice);
    return refuse('exit-unsellable', asText({ lots: quantity, value, minNotional: rules.notional.min }));
  }
  const draft: OrderDraft = { accountId, profileId, symbol: rules.symbol, side: 'sell', purpose, form, quantity };
  return { kind: 'approved', order: approveDraft(draft), numbers: asText({ quantity, free: freeBase }) };
}

/** A manual order; the price of a limit order is a multiple of the tick size. */
export type ManualRequest =
  | { readonly side: 'buy'; readonly limit: Decimal | null; readonly size: ManualSize }
  | { readonly side: 'sell'; readonly limit: Decimal | null; readonly size: ManualSize | 'all' };

/** Approves or refuses a manual order as requested: no cap and no balance makes it smaller. */
export function approveManual(request: ManualRequest, context: ApprovalContext): ApprovalResult {
  const refusal = firstRefusal(request.side === 'buy' ? MANUAL_BUY_CHECKS : MANUAL_SELL_CHECKS, context);
  if (refusal !== undefined) return refusal;
  return request.side === 'buy' ? approveManualBuy(request, context) : approveManualSale(request, context);
}

/** The price of a market order may move before it fills: the cost of a buy includes this buffer. */
const BUFFERED = add(ONE, CASH_BUFFER);

const manualForm = ({ limit }: ManualRequest): OrderForm =>
  limit === null ? { type: 'market' } : { type: 'limit', price: limit };

function approveManualBuy(request: Extract<ManualRequest, { side: 'buy' }>, context: ApprovalContext): ApprovalResult {
  const { accountId, profileId, rules, freeQuote, shared, takerFee, baseFeeRate, position } = context;
  const { limit, size } = request;
  const { stopMultiple, stopLimitOffset } = shared;
  const price = limit ?? context.price;
  const entry = { price, rules, stopMultiple, stopLimitOffset, baseFeeRate };
  const worth = multiply(size.amount, multiply(price, limit === null ? BUFFERED : ONE));
  const budget = size.by === 'quote' ? size.amount : worth;
  const used = multiply(position.quantity, position.averagePrice);
  const caps = shared.caps ?? { symbolExposure: null, positionLoss: null };
  const wider = context.risk.rooms();
  const [tightest] = capRooms(caps, { used, loss: lossFraction(entry, takerFee), wider });
  if (tightest !== undefined && tightest.room < budget) {
    return refuse(tightest.reason, asText({ cap: tightest.cap, used: tightest.used, room: tightest.room }));
  }
  if (freeQuote < budget) return refuse('size-no-funds', asText({ free: freeQuote, wanted: budget }));
  const exact = size.by === 'quantity' ? { quantity: size.amount } : {};
  const held = position.quantity;
  const sizing = sizeEntry({ ...entry, ...exact, budget, held, freeQuote, waits: limit !== null });
  if (sizing.kind === 'refused') return refuse(sizing.reason, asText(sizing.numbers));
  const draft: OrderDraft = {
    ...{ accountId, profileId, symbol: rules.symbol, side: 'buy', purpose: 'manual' },
    form: manualForm(request),
    quantity: sizing.quantity,
  };
  return { kind: 'approved', order: approveDraft(draft), numbers: asText(sizing.numbers) };
}

function approveManualSale(
  request: Extract<ManualRequest, { side: 'sell' }>,
  context: ApprovalContext,
): ApprovalResult {
  const { rules } = context;
  const most = mostSellable(context);
  const price = request.limit ?? context.price;
  const { size } = request;
  const amount = size === 'all' ? most : size.amount;
  const wanted = size !== 'all' && size.by === 'quote' ? divide(amount, price) : amount;
  const quantity = floorToStep(wanted, rules.lot.step);
  if (wanted > most) return refuse('size-more-than-held', asText({ wanted, most }));
  const left = subtract(most, quantity);
  if (quantity > 0n && left > 0n && !isSellable(left, context.price, rules)) {
    return refuse('size-leaves-dust', asText({ left, most }));
  }
  return approveSale({ quantity, purpose: 'manual', form: manualForm(request) }, context);
}

/** Why the engine may not place, move or cancel the stop now. Only a freeze refuses changes of a resting stop. */
export const stopRefusal = (context: ApprovalContext): Refusal | undefined => firstRefusal(STOP_CHECKS, context);

/** Why no exit may be sent now, whatever its size. */
export const exitRefusal = (context: ApprovalContext): Refusal | undefined => firstRefusal(EXIT_CHECKS, context);

/** Approves or refuses a protective stop that core/sizing/protective-stop.ts planned and sized. */
export function approveStop(
  { form, quantity }: Extract<StopPlan, { kind: 'place' }>,
  context: ApprovalContext,
): ApprovalResult {
  const refusal = stopRefusal(context);
  if (refusal !== undefined) return refusal;
  const { accountId, profileId, rules } = context;
  const draft: OrderDraft = {
    accountId,
    profileId,
    symbol: rules.symbol,
    side: 'sell',
    purpose: 'stop',
    form,
    quantity,
  };
  const prices =
    form.type === 'stop-loss-limit' ? asText({ stop: form.stopPrice, limit: form.price }) : { trail: trailOf(form) };
  return { kind: 'approved', order: approveDraft(draft), numbers: { quantity: formatDecimal(quantity), ...prices } };
}

/** The distance of a trailing stop in percent. */
const trailOf = (form: OrderDraft['form']): number => (form.type === 'trailing-stop' ? form.deltaBips / 100 : 0);
