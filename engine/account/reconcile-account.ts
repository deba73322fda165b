import type { Decimal } from '#core/amount/decimal.ts';
import type { OrderList, UnreadOrder } from '#core/order/order-list.ts';
import type { ExchangeOrder } from '#core/order/exchange-order.ts';
import { type AccountContext, marketMs } from '#engine/state/account-context.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { readOrder } from '#engine/runner/missed-orders.ts';
import type { RunningCoins } from './roster.ts';
import { logRow } from '#engine/tick/settle.ts';
import { wait } from '#engine/state/wait.ts';

/** Above this number of coins, one request for all open orders weighs less than one per coin. */
const SINGLE_COINS = 13;
/** An event that the stream has not delivered this long after a query showed its effect is lost. */
const GRACE_MS = 2_000;
/** How far back executions count as new when none is recorded yet. */
const RECENT_MS = 3_600_000;

/** Finds, by queries, events that the account stream has not delivered. */
export interface Reconciler {
  /** At the start, before any trade: finds coins with unreadable open orders. */
  checkOpenOrders(): Promise<void>;
  /** After each (re)connect: reads balances, open orders and executions, and settles the differences. */
  catchUp(): Promise<void>;
  /** While connected: calls `renew` with the cause when the stream has not delivered the outcome of an order. */
  look(renew: (cause: string) => void): Promise<void>;
}

interface Behind {
  readonly runner: CoinRunner;
  readonly clientOrderId: string;
  /** Filled quantity according to the query; null when the order is no longer on the book. */
  readonly filled: Decimal | null;
}

export function createReconciler(
  context: AccountContext,
  coins: RunningCoins,
  readWallet: () => Promise<void>,
): Reconciler {
  /** Coins whose executions must be read; kept until a read succeeds. */
  const owed = new Set<string>();
  const read = new Map<string, string>();
  const listOpen = async (symbols: ReadonlySet<string>): Promise<ReadonlyMap<string, ExchangeOrder>> => {
    const { orders, unread } = await openOrdersOf(context, symbols);
    reportUnread(context, unread, coins);
    return new Map(orders.map((order) => [order.clientOrderId, order]));
  };
  const compare = async (isQueried: (runner: CoinRunner) => boolean): Promise<Behind[]> => {
    const runners = [...coins.all()];
    const before = runners.map((runner) => totalOf(context, runner));
    await readWallet();
    for (const [index, runner] of runners.entries())
      if (totalOf(context, runner) !== before[index]) owed.add(runner.coin.symbol);
    // Taken before the query: an order that is placed meanwhile is missing in the reply.
    const known = runners.flatMap(atExchange);
    const open = await listOpen(new Set(runners.filter(isQueried).map(({ coin }) => coin.symbol)));
    for (const order of open.values())
      for (const runner of coins.of(order.symbol))
        if (!runner.coin.live.has(order.clientOrderId)) runner.onOrder(order, null);
    return known
      .map((order) => ({ ...order, filled: open.get(order.clientOrderId)?.filledQuantity ?? null }))
      .filter(isBehind);
  };
  const readTrades = async (): Promise<void> => {
    for (const symbol of owed) {
      const booked = await context.ports.store.lastTradeId({ ...idsOf(context), symbol });
      const last = read.get(symbol) ?? booked;
      const newest = await settleTrades(context, coins.of(symbol), { symbol, last: newerOf(last, booked) });
      if (newest !== null) read.set(symbol, newest);
      owed.delete(symbol);
    }
  };
  return {
    async checkOpenOrders() {
      await listOpen(new Set([...coins.all()].map(({ coin }) => coin.symbol)));
    },
    async catchUp() {
      for (const { runner, clientOrderId } of await compare(() => true)) {
        owed.add(runner.coin.symbol);
        runner.watch(clientOrderId);
      }
      await readTrades();
    },
    async look(renew) {
      const behind = await compare(({ coin }) => coin.live.size > 0 || context.unreadOrders.has(coin.symbol));
      if (behind.length > 0) await wait(GRACE_MS, context.signal);
      const still = behind.filter(isBehind);
      for (const { runner, clientOrderId } of still) runner.watch(clientOrderId);
      if (still[0] !== undefined)
        renew(`It has not delivered the outcome of ${still.length} order(s), such as ${still[0].clientOrderId}.`);
      await readTrades();
    },
  };
}

const idsOf = ({ account }: AccountContext) => ({ accountId: account.id, epoch: account.epoch });
const totalOf = ({ wallet }: AccountContext, { coin }: CoinRunner): Decimal => wallet.total(coin.rules.baseAsset);
const newerOf = (a: string | null, b: string | null): string | null =>
  a !== null && b !== null && BigInt(a) < BigInt(b) ? b : (a ?? b);

async function openOrdersOf(
  { ports: { trading }, unreadOrders }: AccountContext,
  symbols: ReadonlySet<string>,
): Promise<OrderList> {
  const lists =
    symbols.size > SINGLE_COINS
      ? [await trading.openOrders()]
      : await Promise.all([...symbols].map((symbol) => trading.openOrders(symbol)));
  const unread = lists.flatMap((list) => list.unread);
  const isAbout = (symbol: string): boolean => unread.some((each) => (each.symbol ?? symbol) === symbol);
  for (const symbol of symbols) if (!isAbout(symbol)) unreadOrders.delete(symbol);
  return { orders: lists.flatMap(({ orders }) => orders), unread };
}

/**
 * Reports once per episode. The coin buys nothing until a later list holds the order in readable form, or not at all.
 */
function reportUnread(context: AccountContext, unread: readonly UnreadOrder[], coins: RunningCoins): void {
  for (const { symbol, exchangeOrderId, cause } of unread) {
    const runners = symbol === null ? [...coins.all()] : coins.of(symbol);
    const added = runners.filter(({ coin }) => !context.unreadOrders.has(coin.symbol));
    for (const { coin } of runners) context.unreadOrders.set(coin.symbol, cause);
    for (const { coin } of added) {
      const msg = `An open order of ${coin.symbol} could not be read, so the coin buys nothing. ${cause}`;
      logRow(coin, { level: 'warn', msg, ctx: { event: 'order_unreadable', exchangeOrderId } });
    }
  }
}

/** Orders that the exchange has acknowledged. */
const atExchange = (runner: CoinRunner): { runner: CoinRunner; clientOrderId: string }[] =>
  [...runner.coin.live]
    .filter(([, live]) => live.record.exchangeOrderId !== null && live.certainAtMs === null)
    .map(([clientOrderId]) => ({ runner, clientOrderId }));

function isBehind({ runner, clientOrderId, filled }: Behind): boolean {
  const live = runner.coin.live.get(clientOrderId);
  return live !== undefined && (filled === null || filled > live.applied);
}

/** Settles every own order with executions after `last`; returns the newest trade id, null when there is none. */
async function settleTrades(
  context: AccountContext,
  runners: readonly CoinRunner[],
  { symbol, last }: { readonly symbol: string; readonly last: string | null },
): Promise<string | null> {
  const { trading } = context.ports;
  const fills = await trading.tradesAfter(symbol, last);
  const fromMs = last === null ? marketMs(context) - RECENT_MS : 0;
  const recent = fills.filter(({ at }) => at.getTime() >= fromMs);
  for (const exchangeOrderId of new Set(recent.map((fill) => fill.exchangeOrderId))) {
    const order = await readOrder(trading, symbol, exchangeOrderId);
    for (const runner of runners) runner.onOrder(order, null);
  }
  return fills.at(-1)?.tradeId ?? null;
}
