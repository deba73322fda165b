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
import { type Coin, pendingOrder, restingStops } from '#engine/state/coin.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { adjust, type BasisDeps, heldElsewhere, isSettled, tell } from '#engine/runner/cost-basis.ts';

/** One pass over all coins of an account; a repeat of a failed pass carries the same id. */
export interface Sweep {
  readonly id: string;
  /** What the cache store knows; nothing is done about a coin of which something is missing. */
  readonly infoOf: (symbol: string) => SymbolInfo;
  readonly priceOf: (symbol: string) => Promise<Decimal | null>;
  readonly hasTicked: (profileId: ProfileId, symbol: string) => Promise<boolean>;
}

interface Book {
  readonly wallet: Wallet;
  readonly open: readonly ExchangeOrder[];
  /** Coins of open orders that could not be read; null for one that names no coin. */
  readonly unread: ReadonlySet<string | null>;
  readonly runners: readonly CoinRunner[];
}

/**
 * Every coin against the wallet and the order book. Without a fresh answer of the exchange nothing is done this time.
 * The runner version is read before the wallet: whatever happens in between lets the change fail.
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
  const resting = new Set(restingStops(coin).map(({ record }) => record.exchangeOrderId));
  const others = book.open.some((order) => order.symbol === symbol && !resting.has(order.exchangeOrderId));
  const moving = pendingOrder(coin) !== undefined || others;
  const isUnread = book.unread.has(symbol) || book.unread.has(null);
  if (typeof rules === 'string' || price === null || balance === undefined || basis.asked !== null || isUnread) {
    coin.doubt = null;
    return;
  }
  // What fills of own orders explain is booked first: it moves the version, and nothing else is changed this time.
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
  /** What backs the coin in the wallet; what orphans lock of it keeps a position, but does not give one. */
  readonly balance: Decimal;
  readonly sellable: Decimal;
}

type Finding = 'confirmed' | 'phantom' | 'drift';

/** What is wrong with the row, if anything. A price marker without a quantity is never a phantom; a stop may rest. */
async function findingOf(coin: Coin, judged: Judged): Promise<Finding | null> {
  const { sweep, basis, rules, price, balance, sellable } = judged;
  const { quantity, firstBuyAt } = basis.position;
  const backed = !isPhantom(balance, price, rules);
  if (basis.note !== null && backed) {
    if (isPhantom(sellable, price, rules)) return null;
    const sure = (await sweep.hasTicked(coin.profile.id, coin.symbol)) && (await isSettled(coin));
    return sure ? 'confirmed' : null;
  }
  if (quantity > 0n && !backed) return 'phantom';
  const less = firstBuyAt !== null && subtract(quantity, balance) >= rules.lot.step;
  return less && (await isSettled(coin)) ? 'drift' : null;
}

interface ActInput extends Judged {
  readonly finding: Finding;
}

/** Giving a position back is done at once; taking one away only when two sweeps in a row agree. */
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
  if (done) tellFinding(deps, coin, acting);
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

function tellFinding(deps: BasisDeps, { profile, symbol, rules }: Coin, { finding, basis, balance }: ActInput): void {
  const was = formatDecimal(basis.position.quantity);
  const is = `${formatDecimal(balance)} ${rules.baseAsset}`;
  const averagePrice = formatDecimal(basis.position.averagePrice);
  const isRemainder = basis.note === null && basis.position.firstBuyAt === null;
  const words = {
    confirmed: `The wallet holds ${is} again: it is managed at the recorded average entry price ${averagePrice}.`,
    phantom: `The wallet has held ${is} in two sweeps, so the recorded ${was} bought at ${averagePrice} is no longer kept.`,
    drift: `The wallet has held ${is} in two sweeps, less than the recorded ${was}: the position is lowered to it.`,
  };
  tell(
    deps,
    { profileId: profile.id, symbol },
    {
      level: finding === 'confirmed' || isRemainder ? 'info' : 'warn',
      event: `position_${REASONS[finding].replace('-', '_')}`,
      msg: words[finding],
      numbers: { averagePrice, quantity: was, balance: formatDecimal(balance) },
    },
  );
}

/**
 * Books executions of orders that provably are this profile's own, such as those made after a backup that was restored.
 * Whatever else the wallet holds stays an untracked holding.
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
