import { add, type Decimal, ZERO } from '#core/amount/decimal.ts';
import type { Account } from './accounts.ts';
import { checkCounts, countOrders } from './count-filters.ts';
import { checkFilters, type FilterContext } from './filters.ts';
import { approximate } from '#paper/market/quote.ts';
import { referenceOf } from '#paper/market/reference.ts';
import { averagePrice } from '#paper/market/statistics.ts';
import { listingNow, type SymbolMarket } from '#paper/market/symbol-market.ts';
import { type NewOrder, remainingOf } from './order.ts';
import { openOrdersOf, type Orders } from './orders.ts';
import type { Balances } from './balances.ts';
import { MARKET_CLOSED, type Refusal, rejected } from './refusal.ts';

/** The state that filters read. */
interface FilterState {
  readonly orders: Orders;
  readonly balances: Balances;
  readonly market: SymbolMarket;
  readonly account: Account;
  readonly nowMs: number;
}

/** The filter of price and quantity that one order breaks now. */
export function filterRefusal(state: FilterState, order: NewOrder): Refusal | undefined {
  const { market } = state;
  if (market.lastPrice === undefined) return rejected(MARKET_CLOSED);
  return checkFilters(order, listingNow(market).rules, contextFor(state, order));
}

/** The count of open orders that placing all of these at once would exceed. `isList` counts one more list. */
export function countRefusal(orders: Orders, added: readonly NewOrder[], isList = false): Refusal | undefined {
  const [first] = added;
  if (first === undefined) return undefined;
  const own = openOrdersOf(orders, first.account);
  const symbol = countOrders(own.filter((order) => order.symbol === first.symbol));
  return checkCounts({ symbol, exchange: countOrders(own) }, { ...countOrders(added), lists: isList ? 1 : 0 });
}

function contextFor({ orders, balances, market, account, nowMs }: FilterState, order: NewOrder): FilterContext {
  const { rules, maxPosition = null, isOlder = false } = market.listing;
  const reference = referenceOf(market, nowMs)?.price ?? approximate(averagePrice(market, nowMs).price);
  const context = { reference, isOlder, assetLimits: account.assetLimits, maxPosition, position: ZERO };
  if (maxPosition === null || order.side === 'SELL') return context;
  const { free, locked } = balances.balance(order.account, rules.baseAsset);
  const onOrder = openOrdersOf(orders, order.account, order.symbol)
    .filter((order) => order.side === 'BUY')
    .reduce<Decimal>((sum, order) => add(sum, remainingOf(order)), ZERO);
  return { ...context, position: add(add(free, locked), onOrder) };
}
