import type { Wallet } from '#core/account/account.ts';
import { isPhantom, totalOf } from '#core/position/cost-basis.ts';
import { absolute, type Decimal, formatDecimal, maximum, subtract, ZERO } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import { readOwnClientOrderId } from '#core/order/order.ts';
import { orphansOn } from '#core/account/orphan.ts';
import type { AdjustmentRequest, CostBasis } from '#core/ports/store.ts';
import type { TradingPort } from '#core/ports/exchange.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import type { SymbolInfo } from '#core/market/symbol-codec.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { type Coin, pendingOrder, restingStops, restingTargets } from '#engine/state/coin.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { adjust, type BasisDeps, heldElsewhere, isSettled, report } from '#engine/runner/cost-basis.ts';

/** One sweep over all coins of an account; the retry of a failed sweep has the same id. */
export interface Sweep {
  readonly id: string;
  /** Data of the cache store; the sweep skips a coin whose data is incomplete. */
  readonly infoOf: (symbol: string) => SymbolInfo;
  readonly priceOf: (symbol: string) => Promise<Decimal | null>;
  readonly hasTicked: (profileId: ProfileId, symbol: string) => Promise<boolean>;
}

interface Book {
  readonly wallet: Wallet;
  readonly open: readonly ExchangeOrder[];
  /** Coins of unreadable open orders; null for an order without a coin. */
  readonly unread: ReadonlySet<string | null>;
  readonly runners: readonly CoinRunner[];
}

/**
 * Compares every coin with wallet and open orders. Does nothing when the exchange does not answer. The runner version
 * is read before the wallet: any event in between makes the change fail.
 */
export async function reconcilePositions(deps: BasisDeps, runners: readonly CoinRunner[], sweep: Sweep): Promise<void> {
  const trading = runners[0]?.coin.context.ports.trading;
  if (trading === undefined) return;
  const bases = await Promise.all(
    runners.map(({ coin }) => deps.store.costBasis(coin.profile.id, coin.symbol).then((basis) => ({ coin, basis }))),
  );
  const book = await readBook(trading, runners).catch((err: unknown) => {
    deps.log.warn({ event: 'positions_not_reconciled', accountId: deps.account.id, err }, NOT_READ);
    return undefined;
  });
  for (const [index, runner] of runners.entries()) {
    const basis = bases[index]?.basis;
    if (book === undefined) runner.coin.doubt = null;
    else if (basis !== undefined) await reconcileCoin(deps, runner, { sweep, book, basis });
  }
}

const NOT_READ = 'Wallet and orders could not be read, so no position was compared with them this time';

async function readBook(trading: TradingPort, runners: readonly CoinRunner[]): Promise<Book> {
  const { wallet } = await trading.wallet();
  const { orders: open, unread } = await trading.openOrders();
  return { wallet, open, unread: new Set(unread.map(({ symbol }) => symbol)), runners };
}

interface Case {
  readonly sweep: Sweep;
  readonly book: Book;
  readonly basis: CostBasis;
}

async function reconcileCoin(deps: BasisDeps, runner: CoinRunner, { sweep, book, basis }: Case): Promise<void> {
  const { coin } = runner;
  const { symbol } = coin;
  for (const { record } of coin.live.values()) {
    const rests = book.open.some(({ exchangeOrderId }) => exchangeOrderId === record.exchangeOrderId);
    if (!rests) runner.watch(record.clientOrderId);
  }
  const rules = sweep.infoOf(symbol);
  const price = await sweep.priceOf(symbol);
  const total = typeof rules === 'string' ? undefined : totalOf(book.wallet.balances, rules.baseAsset);
  const balance = total === undefined ? undefined : maximum(subtract(total, heldElsewhere(book.runners, coin)), ZERO);
  const { locked } = orphansOn(coin.rules.baseAsset, coin.context.orphans);
  const resting = new Set([...restingStops(coin), ...restingTargets(coin)].map(({ record }) => record.exchangeOrderId));
  const others = book.open.some((order) => order.symbol === symbol && !resting.has(order.exchangeOrderId));
  const moving = pendingOrder(coin) !== undefined || others;
  const isUnread = book.unread.has(symbol) || book.unread.has(null);
  if (typeof rules === 'string' || price === null || balance === undefined || basis.asked !== null || isUnread) {
    coin.doubt = null;
    return;
  }
  // Missing fills of own orders are recorded first: they change the version, so that this sweep changes nothing else.
  const difference = absolute(subtract(balance, basis.position.quantity));
  if (!moving && !isPhantom(difference, price, rules)) await findOwnOrders(deps, runner);
  const sellable = maximum(subtract(balance, locked), ZERO);
  const judged = { sweep, basis, rules, price, balance, sellable };
  const finding = await findingOf(coin, judged);
  if (finding === null || (finding === 'phantom' && moving)) coin.doubt = null;
  else await act(deps, runner, { ...judged, balance: finding === 'confirmed' ? sellable : balance, finding });
}

interface Judged {
  readonly sweep: Sweep;
  readonly basis: CostBasis;
  readonly rules: SymbolRules;
  readonly price: Decimal;
  /** Wallet balance that backs the coin. The part that orphans lock can keep a position, but cannot create one. */
  readonly balance: Decimal;
  readonly sellable: Decimal;
}

type Finding = 'confirmed' | 'phantom' | 'drift';

/** The finding for one coin, or null. A recorded price without a quantity is never a phantom; a stop may rest. */
async function findingOf(coin: Coin, judged: Judged): Promise<Finding | null> {
  const { sweep, basis, rules, price, balance, sellable } = judged;
  const { quantity, firstBuyAt } = basis.position;
  const backed = !isPhantom(balance, price, rules);
  if (basis.note !== null && backed) {
    if (isPhantom(sellable, price, rules)) return null;
    const isSure = (await sweep.hasTicked(coin.profile.id, coin.symbol)) && (await isSettled(coin));
    return isSure ? 'confirmed' : null;
  }
  if (quantity > 0n && !backed) return 'phantom';
  const less = firstBuyAt !== null && subtract(quantity, balance) >= rules.lot.step;
  return less && (await isSettled(coin)) ? 'drift' : null;
}

interface ActInput extends Judged {
  readonly finding: Finding;
}

/** Restores a position at once; removes or lowers one only when two sweeps in a row agree. */
async function act(deps: BasisDeps, runner: CoinRunner, acting: ActInput): Promise<void> {
  const { coin } = runner;
  const { finding, sweep } = acting;
  if (finding !== 'confirmed') {
    const { doubt } = coin;
    const again = doubt !== null && doubt.kind === finding && doubt.sweep !== sweep.id;
    if (!again) {
      coin.doubt = doubt?.kind === finding ? doubt : { kind: finding, sweep: sweep.id };
      return;
    }
    coin.doubt = null;
  }
  let done = false;
  await runner.change(async () => {
    const idle = pendingOrder(coin) === undefined && (finding !== 'phantom' || coin.live.size === 0);
    done = (finding === 'confirmed' || idle) && (await adjust(deps, requestOf(coin, acting), coin));
  });
  if (done) reportFinding(deps, coin, acting);
}

const REASONS = { confirmed: 'balance-confirmed', phantom: 'phantom-pruned', drift: 'drift' } as const;

function requestOf(
  { profile, symbol, rules }: Coin,
  { finding, basis, balance }: ActInput,
): Omit<AdjustmentRequest, 'account' | 'fencing' | 'at'> {
  const pruned = finding === 'phantom';
  return {
    ...{ profileId: profile.id, symbol, baseAsset: rules.baseAsset, basis, note: null, reason: REASONS[finding] },
    averagePrice: pruned ? ZERO : basis.position.averagePrice,
    quantity: pruned ? ZERO : balance,
    held: !pruned,
  };
}

function reportFinding(deps: BasisDeps, { profile, symbol, rules }: Coin, { finding, basis, balance }: ActInput): void {
  const was = formatDecimal(basis.position.quantity);
  const is = `${formatDecimal(balance)} ${rules.baseAsset}`;
  const averagePrice = formatDecimal(basis.position.averagePrice);
  const isRemainder = basis.note === null && basis.position.firstBuyAt === null;
  const sentences = {
    confirmed: `The wallet holds ${is} again. The position is managed at the recorded average entry price ${averagePrice}.`,
    phantom: `The wallet held ${is} in two sweeps. The recorded ${was} ${rules.baseAsset} bought at ${averagePrice} is removed.`,
    drift: `The wallet held ${is} in two sweeps, less than the recorded ${was} ${rules.baseAsset}. The position is lowered to the wallet.`,
  };
  report(
    deps,
    { profileId: profile.id, symbol },
    {
      level: finding === 'confirmed' || isRemainder ? 'info' : 'warn',
      event: `position_${REASONS[finding].replace('-', '_')}`,
      msg: sentences[finding],
      numbers: { averagePrice, quantity: was, balance: formatDecimal(balance) },
    },
  );
}

/**
 * Records executions of orders that provably belong to this profile, for example orders newer than a restored backup.
 * Everything else in the wallet stays an untracked holding.
 */
async function findOwnOrders(deps: BasisDeps, runner: CoinRunner): Promise<void> {
  const { coin } = runner;
  const { store, account } = deps;
  const profileId = coin.profile.id;
  const { orders } = await coin.context.ports.trading.recentOrders(coin.symbol).catch(() => ({ orders: [] }));
  for (const order of orders.toSorted((a, b) => a.updatedAt.getTime() - b.updatedAt.getTime())) {
    const own = readOwnClientOrderId(order.clientOrderId, profileId, coin.symbol);
    if (own === undefined || order.filledQuantity === ZERO) continue;
    const known = await store.findOrderByClientId(account.id, own.clientOrderId);
    if (known !== undefined && known.filledQuantity >= order.filledQuantity) continue;
    coin.settled.delete(own.clientOrderId);
    runner.onOrder({ ...order, clientOrderId: own.clientOrderId }, null);
  }
}
