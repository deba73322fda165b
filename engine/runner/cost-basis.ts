import type { Account, Wallet } from '#core/account/account.ts';
import {
  type AdjustmentReason,
  GATE_CAUSES,
  GATE_UNAVAILABLE,
  type GateCause,
  isPhantom,
  NO_SELLABLE_POSITION,
  NOT_HELD_NOTE,
  totalOf,
} from '#core/position/cost-basis.ts';
import { add, type Decimal, formatDecimal, maximum, subtract, ZERO } from '#core/amount/decimal.ts';
import type { BusEvent } from '#core/installation/events.ts';
import { newId, type ProfileId } from '#core/ids.ts';
import type { LogLevel, RecordSink } from '#core/ports/records.ts';
import type { AdjustmentRequest, CostBasis, TradingStore } from '#core/ports/store.ts';
import type { SymbolInfo } from '#core/market/symbol-codec.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { type Coin, takeStored } from '#engine/state/coin.ts';
import type { CoinRunner } from './coin-runner.ts';
import { LeaseLost } from '#engine/state/ends-run.ts';
import type { EngineLog } from '#engine/state/ports.ts';

/**
 * Dependencies of position changes outside of fills. The owner of the account makes them, also for coins that do not
 * run.
 */
export interface BasisDeps {
  readonly account: Account;
  readonly fencing: number;
  readonly store: TradingStore;
  readonly records: RecordSink;
  readonly announce: (event: BusEvent) => void;
  readonly log: EngineLog;
  /** Market time. */
  readonly now: () => Date;
}

export interface BasisInputs {
  readonly profileId: ProfileId;
  readonly symbol: string;
  /** From the cache store, like the price. */
  readonly info: SymbolInfo;
  readonly price: Decimal | null;
  /** Null without an API client. */
  readonly readWallet: (() => Promise<Wallet>) | null;
  /** Quantity of the same asset that other coins of the account hold. */
  readonly heldElsewhere: () => Decimal;
  /** True when every execution of the coin's orders is recorded; called after the wallet was read. */
  readonly isSettled: () => Promise<boolean>;
}

/** Runs a change in the coin's queue; at once when the coin does not run. */
type Turn = (change: (coin: Coin | undefined) => Promise<void>) => Promise<void>;

type Gate =
  | { readonly kind: 'judged'; readonly wallet: Decimal; readonly rules: SymbolRules }
  | { readonly kind: 'unavailable'; readonly cause: GateCause };

const MOST_TRIES = 5;

/**
 * The job `apply-avg-entry-price`: sets the position to the requested average entry price. The quantity comes from the
 * wallet, or from the stored request when the wallet cannot be checked. The wallet is read outside the coin's queue:
 * when the coin has changed meanwhile, everything is read again.
 */
export async function applyCostBasis(deps: BasisDeps, inputs: BasisInputs, turn: Turn): Promise<void> {
  const { profileId, symbol, info } = inputs;
  for (let tries = 0; tries < MOST_TRIES; tries++) {
    const basis = await deps.store.costBasis(profileId, symbol);
    if (basis.asked === null) return;
    const gate = basis.asked.price === ZERO ? null : await readGate(inputs);
    if (gate?.kind === 'judged' && !(await inputs.isSettled())) break;
    const change = gate === null ? REMOVED : changeOf(basis, { asked: basis.asked, gate, price: inputs.price });
    let done = false;
    await turn(async (coin) => {
      const baseAsset = coin?.rules.baseAsset ?? (typeof info === 'string' ? null : info.baseAsset);
      done = await adjust(deps, { ...change, profileId, symbol, baseAsset, basis }, coin);
    });
    if (!done) continue;
    if (gate !== null) reportGate(deps, inputs, { gate, change });
    reportApplied(deps, inputs, change);
    return;
  }
  throw new Error(`${symbol} is being traded right now. Its average entry price is applied a little later.`);
}

/** Quantity of the base asset that other coins than `coin` hold: the wallet backs them first. */
export const heldElsewhere = (runners: Iterable<CoinRunner>, { rules, symbol }: Coin): Decimal =>
  [...runners]
    .filter(({ coin }) => coin.symbol !== symbol && coin.rules.baseAsset === rules.baseAsset)
    .reduce((sum, { coin }) => add(sum, coin.position.quantity), ZERO);

/** False while the exchange has, or may have, executed more of an own order than is recorded. */
export async function isSettled(coin: Coin): Promise<boolean> {
  for (const { record, applied } of coin.live.values()) {
    const { clientOrderId } = record;
    const seen = await coin.context.ports.trading.findOrder(coin.symbol, { clientOrderId });
    if (seen.kind !== 'found' || seen.order.filledQuantity !== applied) return false;
  }
  return true;
}

type Change = Pick<AdjustmentRequest, 'averagePrice' | 'quantity' | 'held' | 'note' | 'reason'>;
const REMOVED: Change = {
  averagePrice: ZERO,
  quantity: ZERO,
  held: false,
  note: null,
  reason: 'average-entry-price-deleted',
};

async function readGate({ info, readWallet, heldElsewhere }: BasisInputs): Promise<Gate> {
  if (readWallet === null) return { kind: 'unavailable', cause: 'no-api-client' };
  if (info === 'absent') return { kind: 'unavailable', cause: 'no-cached-symbol-info' };
  if (info === 'malformed') return { kind: 'unavailable', cause: 'malformed-symbol-info' };
  const wallet = await readWallet().catch(() => undefined);
  const total = wallet === undefined ? undefined : totalOf(wallet.balances, info.baseAsset);
  if (total === undefined) return { kind: 'unavailable', cause: 'failed-balance-read' };
  return { kind: 'judged', wallet: maximum(subtract(total, heldElsewhere()), ZERO), rules: info };
}

interface ChangeInput {
  readonly asked: NonNullable<CostBasis['asked']>;
  readonly gate: Gate;
  readonly price: Decimal | null;
}

/**
 * When the wallet cannot be checked, the requested quantity counts as held, unless it is zero or the record has a note:
 * only a successful check clears a note. Without a cached price the requested price counts.
 */
function changeOf({ note }: CostBasis, { asked, gate, price }: ChangeInput): Change {
  const quantity = gate.kind === 'judged' ? gate.wallet : asked.quantity;
  const judged = gate.kind === 'judged' && !isPhantom(quantity, price ?? asked.price, gate.rules);
  const held = gate.kind === 'judged' ? judged : quantity > 0n && note === null;
  return {
    averagePrice: asked.price,
    quantity,
    held,
    note: held ? null : NOT_HELD_NOTE,
    reason: 'average-entry-price',
  };
}

/**
 * Stores the change and applies it to the running coin like a fill; false when the position has changed since the read.
 */
export async function adjust(
  deps: Pick<BasisDeps, 'account' | 'fencing' | 'store' | 'announce' | 'now'>,
  change: Omit<AdjustmentRequest, 'account' | 'fencing' | 'at'>,
  coin: Coin | undefined,
): Promise<boolean> {
  const { account, fencing, store, announce, now } = deps;
  const result = await store.adjustPosition({ ...change, account, fencing, at: now() });
  if (result.kind === 'lost-lease') throw new LeaseLost();
  if (result.kind === 'moved') return false;
  if (coin !== undefined) await takeStored(coin, result);
  announce({ topic: 'position', id: change.profileId, data: { symbol: change.symbol } });
  return true;
}

interface NotifyInput {
  readonly level: LogLevel;
  readonly event: string;
  readonly msg: string;
  readonly numbers: Readonly<Record<string, unknown>>;
}

/** Writes one message to the process log and to the profile's log. */
export function report(
  { records, log, announce, now }: Pick<BasisDeps, 'records' | 'log' | 'announce' | 'now'>,
  { profileId, symbol }: { readonly profileId: ProfileId; readonly symbol: string },
  { level, event, msg, numbers }: NotifyInput,
): void {
  const ctx = { event, symbol, ...numbers };
  (level === 'warn' ? log.warn : log.info).call(log, { profileId, ...ctx }, msg);
  const at = now();
  const row = { id: newId<string>(), profileId, symbol, level, msg, ctx, count: 1, firstAt: at, lastAt: at };
  records.log(row);
  announce({ topic: 'log', id: profileId, data: { row } });
}

const numbersOf = ({ averagePrice, quantity }: Change) => ({
  averagePrice: formatDecimal(averagePrice),
  quantity: formatDecimal(quantity),
});

function reportGate(deps: BasisDeps, inputs: BasisInputs, { gate, change }: { gate: Gate; change: Change }): void {
  const { symbol, price } = inputs;
  const numbers = { ...numbersOf(change), price: price === null ? null : formatDecimal(price) };
  if (gate.kind === 'unavailable') {
    const cause = GATE_CAUSES[gate.cause];
    report(deps, inputs, {
      level: 'warn',
      event: GATE_UNAVAILABLE,
      msg: `The wallet could not be checked for ${symbol} (${cause}). The recorded quantity ${numbers.quantity} is used.`,
      numbers: { cause: gate.cause, ...numbers },
    });
  }
  if (change.held) return;
  const rules = gate.kind === 'judged' ? gate.rules : undefined;
  const isNoteKept = rules === undefined && change.quantity > 0n;
  report(deps, inputs, {
    level: 'warn',
    event: NO_SELLABLE_POSITION,
    msg: isNoteKept ? NOTE_KEPT : unbackedOf(symbol, change),
    numbers: {
      cause: isNoteKept ? 'note-kept' : rules === undefined ? 'recorded-quantity-zero' : 'balance-not-sellable',
      ...numbers,
      step: rules === undefined ? null : formatDecimal(rules.lot.step),
      minimumOrderValue: rules === undefined ? null : formatDecimal(rules.notional.min),
    },
  });
}

const NOTE_KEPT =
  'The price and its note are kept, because only a check of the wallet can clear the note. No position is managed until a sweep finds that the wallet holds the coin.';

/** The sweep removes a recorded remainder, but keeps a price without any quantity. */
function unbackedOf(symbol: string, change: Change): string {
  const { averagePrice, quantity } = numbersOf(change);
  const kept = `The average entry price ${averagePrice} of ${symbol} is kept, but`;
  return change.quantity > 0n
    ? `${kept} the wallet holds only ${quantity}, too little to sell. No position is managed. The price is removed when two sweeps in a row find no more, and used when one does.`
    : `${kept} the wallet holds none of it. No position is managed until the wallet holds the coin.`;
}

const APPLIED: Readonly<Record<'held' | 'removed', AdjustmentReason>> = {
  held: 'average-entry-price',
  removed: 'average-entry-price-deleted',
};

function reportApplied(deps: BasisDeps, inputs: BasisInputs, change: Change): void {
  const numbers = numbersOf(change);
  const { symbol } = inputs;
  if (change.held) {
    const msg = `${symbol} is managed as ${numbers.quantity} bought at ${numbers.averagePrice} on average.`;
    report(deps, inputs, { level: 'info', event: APPLIED.held, msg, numbers });
  } else if (change === REMOVED) {
    const msg = `The average entry price of ${symbol} was deleted. Holdings of ${symbol} in the wallet are not managed.`;
    report(deps, inputs, { level: 'info', event: APPLIED.removed, msg, numbers });
  }
}
