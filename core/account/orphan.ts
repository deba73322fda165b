import { add, type Decimal, maximum, multiply, subtract, ZERO } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { mergePatch } from '#core/merge.ts';
import { isServiceOrderId, type OrderForm, type OwnOrderId, readOwnClientOrderId } from '#core/order/order.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { ProfileToRun } from './profile-to-run.ts';
import type { SymbolRules } from '#core/market/symbol.ts';

/** `left`: the operator lets it rest. `gone`: it is no longer on the book, without a cancel of the operator. */
export const ORPHAN_STATES = ['open', 'left', 'adopted', 'cancelled', 'gone'] as const;
export type OrphanState = (typeof ORPHAN_STATES)[number];

/** Amounts that a resting orphan locks on the exchange. Assets are null while the trading rules are unknown. */
export interface OrphanLock {
  readonly exchangeOrderId: string;
  readonly baseAsset: string | null;
  readonly asset: string | null;
  readonly amount: Decimal;
  /** Legs of one order list lock the same amount. */
  readonly listId: string | null;
  readonly left: boolean;
}

/** An order of the exchange whose client id proves its owner; `own` is the decoded id. */
export interface FoundOrder {
  readonly accountId: AccountId;
  readonly profileId: ProfileId;
  readonly order: ExchangeOrder;
  readonly own: OwnOrderId;
  readonly fencing: number;
}

/** Locked amount of an open order: the base that it has not sold, or the quote that it may still spend. */
export function lockOf(
  { exchangeOrderId, side, quantity, filledQuantity, price, stopPrice, listId }: ExchangeOrder,
  rules: Pick<SymbolRules, 'baseAsset' | 'quoteAsset'> | undefined,
): Omit<OrphanLock, 'left'> {
  const rest = maximum(subtract(quantity, filledQuantity), ZERO);
  return {
    exchangeOrderId,
    baseAsset: rules?.baseAsset ?? null,
    asset: (side === 'sell' ? rules?.baseAsset : rules?.quoteAsset) ?? null,
    amount: side === 'sell' ? rest : multiply(rest, maximum(price, stopPrice)),
    listId: listId ?? null,
  };
}

export interface OrphansOn {
  readonly orders: number;
  /** Number of orders that the operator left on the book. */
  readonly left: number;
  readonly locked: Decimal;
  /** Exchange ids of the orders that lock it. */
  readonly lockedBy: readonly string[];
}

/** Orphans of the coins of one base asset, and the base amount that they lock. */
export function orphansOn(baseAsset: string, locks: readonly OrphanLock[]): OrphansOn {
  const concerned = locks.filter((lock) => lock.baseAsset === baseAsset);
  const locking = concerned.filter(({ asset }) => asset === baseAsset);
  const lists = new Map<string, Decimal>();
  let locked = ZERO;
  for (const { amount, listId } of locking) {
    if (listId === null) locked = add(locked, amount);
    else lists.set(listId, maximum(lists.get(listId) ?? ZERO, amount));
  }
  for (const amount of lists.values()) locked = add(locked, amount);
  const left = concerned.filter((lock) => lock.left).length;
  return { orders: concerned.length, left, locked, lockedBy: locking.map(({ exchangeOrderId }) => exchangeOrderId) };
}

/** An order of the exchange as an order of this service; null for a type that this service cannot manage. */
export function formOf(order: ExchangeOrder): OrderForm | null {
  const { type, price, stopPrice, trailingBips, listId } = order;
  // Of a list of another program only the whole list could be managed.
  if (listId !== undefined && !isServiceOrderId(order.clientOrderId)) return null;
  if (type === 'MARKET') return { type: 'market' };
  if (type === 'LIMIT' || type === 'LIMIT_MAKER') return { type: 'limit', price };
  if (type === 'STOP_LOSS' && trailingBips !== undefined) return { type: 'trailing-stop', deltaBips: trailingBips };
  if (trailingBips !== undefined) return null;
  if (type === 'STOP_LOSS') return { type: 'stop-loss', stopPrice };
  return type === 'STOP_LOSS_LIMIT' ? { type: 'stop-loss-limit', stopPrice, price } : null;
}

/** Why the strategy cannot parse the config of the coin; null when it can. */
type ConfigProblem = (strategyName: string, merged: unknown) => string | null;

type Stray = Pick<ExchangeOrder, 'symbol' | 'clientOrderId'>;

interface Claim {
  readonly profile: ProfileToRun;
  readonly own: OwnOrderId;
  /** Why its config gives no proof. */
  readonly problem: string | null;
}

/** The profiles that would derive this client id for an order of the coin, each with the parse problem of its config. */
export const claimsOn = (
  { symbol, clientOrderId }: Stray,
  profiles: readonly ProfileToRun[],
  problemOf: ConfigProblem,
): Claim[] =>
  profiles.flatMap((profile) => {
    const own = readOwnClientOrderId(clientOrderId, profile.id, symbol);
    if (own === undefined) return [];
    const override = profile.symbols.find((coin) => coin.symbol === symbol)?.overrideConfig ?? {};
    return [{ profile, own, problem: problemOf(profile.strategyName, mergePatch(profile.config, override)) }];
  });

type Ownership =
  | { readonly kind: 'proven'; readonly profile: ProfileToRun; readonly own: OwnOrderId }
  | {
      readonly kind: 'refused';
      readonly code: 'owner-not-proven' | 'owner-ambiguous' | 'config-not-parsable' | 'coin-not-bound';
      readonly reason: string;
    };

/** The owner of an order: exactly one profile with a parsed config that still has the coin. */
export function proveOwner(order: Stray, profiles: readonly ProfileToRun[], problemOf: ConfigProblem): Ownership {
  const { symbol, clientOrderId } = order;
  const refused = (code: Extract<Ownership, { kind: 'refused' }>['code'], reason: string): Ownership => ({
    kind: 'refused',
    code,
    reason,
  });
  const claims = claimsOn(order, profiles, problemOf);
  const [first, second] = claims.filter(({ problem }) => problem === null);
  const [doubtful] = claims;
  if (second !== undefined) {
    const names = claims.map(({ profile }) => `"${profile.name}"`).join(' and ');
    return refused(
      'owner-ambiguous',
      `The id ${clientOrderId} could be one of ${names}: cancel the order or leave it.`,
    );
  }
  if (first !== undefined) {
    if (first.profile.symbols.some((coin) => coin.symbol === symbol)) return { kind: 'proven', ...first };
    const advice = `bind the coin first, or cancel the order`;
    return refused('coin-not-bound', `The profile "${first.profile.name}" no longer trades ${symbol}: ${advice}.`);
  }
  if (doubtful !== undefined) {
    return refused(
      'config-not-parsable',
      `The saved settings of "${doubtful.profile.name}" cannot be parsed by the profile's strategy (${doubtful.problem}). Save the config again, then adopt the order.`,
    );
  }
  return refused(
    'owner-not-proven',
    `No profile of this account uses the id ${clientOrderId} for an order of ${symbol}: cancel the order or leave it.`,
  );
}

interface OwnerGuess {
  readonly profile: { readonly id: ProfileId; readonly name: string } | null;
  /** The operator can adopt it. */
  readonly proven: boolean;
  /** A sentence for the operator. */
  readonly evidence: string;
}

/** Possible owner of an order, with the evidence. */
export function guessOwner(order: Stray, profiles: readonly ProfileToRun[], problemOf: ConfigProblem): OwnerGuess {
  const ownership = proveOwner(order, profiles, problemOf);
  if (ownership.kind === 'proven') {
    const { profile, own } = ownership;
    const evidence = `The id is that of ${own.purpose} number ${own.sequence} of ${order.symbol} in "${profile.name}".`;
    return { profile, proven: true, evidence };
  }
  const [claim] = claimsOn(order, profiles, problemOf);
  if (claim !== undefined) return { profile: claim.profile, proven: false, evidence: ownership.reason };
  const trader = profiles.find(({ symbols }) => symbols.some(({ symbol }) => symbol === order.symbol));
  const origin = order.clientOrderId.startsWith('tw1-')
    ? 'The id has the form of this service, but belongs to no profile of this account'
    : 'The id does not come from this service';
  if (trader === undefined) return { profile: null, proven: false, evidence: `${origin}.` };
  return { profile: trader, proven: false, evidence: `${origin}; "${trader.name}" trades ${order.symbol}.` };
}
