import type { Account } from '#paper/exchange/accounts.ts';
import { rateText } from '#paper/exchange/rate-text.ts';
import { EXCHANGE_FILTERS, filtersOf } from './exchange-info.ts';
import { type Limits, orderLimitRows } from './limits.ts';
import { listingNow } from '#paper/market/symbol-market.ts';
import { accountTrade, fixed8 } from './order-json.ts';
import { fillsOf } from '#paper/exchange/orders.ts';
import { finishParams, type Params, readInteger, readWord, requireSymbol } from './params.ts';
import { readRange, requireUntimed, rowsIn } from './range.ts';
import { RefusedError, unknownSymbol } from '#paper/exchange/refusal.ts';
import { requireListed } from './rest-trading.ts';
import { accountQuery, type SignedRoute } from './routes.ts';
import { catchUp, type Venue } from '#paper/exchange/venue.ts';

const COMBINATION = { code: -1128, message: 'Combination of optional parameters invalid.' };

/** Balances, trades, limits and permissions of an account. */
export const accountRoutes = (venue: Venue, limits: Limits): SignedRoute[] => [
  accountQuery(venue, ['account', 'account.status', 20], describeAccount),
  accountQuery(venue, ['myTrades', 'myTrades', (params) => (params.values.has('orderId') ? 5 : 20)], listFills),
  {
    ...{ method: 'GET', path: '/api/v3/rateLimit/order', wsMethod: 'account.rateLimits.orders', weight: 40 },
    security: 'read',
    handle: (params, { name }) => (finishParams(params), orderLimitRows(limits.orderCounts(name, Date.now()))),
  },
  accountQuery(venue, ['myFilters', 'myFilters', 40], listFilters),
];

function describeAccount(venue: Venue, params: Params, account: Account): unknown {
  const omitZero = readWord(params, 'omitZeroBalances', { words: ['true', 'false'], ...COMBINATION }) === 'true';
  finishParams(params);
  const nowMs = catchUp(venue);
  const rows = venue.engine.balances.rows().filter((row) => row.owner === account.name);
  const kept = rows.filter(({ balance }) => !omitZero || balance.free > 0n || balance.locked > 0n);
  const [maker, taker] = [rateText(account.makerBps), rateText(account.takerBps)];
  return {
    makerCommission: Math.round(account.makerBps),
    takerCommission: Math.round(account.takerBps),
    buyerCommission: 0,
    sellerCommission: 0,
    commissionRates: { maker, taker, buyer: '0.00000000', seller: '0.00000000' },
    canTrade: account.canTrade && account.permissions.includes('SPOT'),
    canWithdraw: account.canWithdraw,
    canDeposit: true,
    brokered: false,
    requireSelfTradePrevention: false,
    preventSor: true,
    updateTime: nowMs,
    accountType: 'SPOT',
    balances: kept.map(({ asset, balance }) => ({ asset, free: fixed8(balance.free), locked: fixed8(balance.locked) })),
    permissions: ['SPOT'],
    uid: venue.accounts.indexOf(account) + 1,
  };
}

function listFills(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const orderId = readInteger(params, 'orderId');
  const range = readRange(params, 'fromId');
  finishParams(params);
  requireUntimed(range, orderId, range.fromId);
  catchUp(venue);
  const own = fillsOf(venue.engine.orders, account.name, symbol).filter(
    (fill) => fill.orderId === (orderId ?? fill.orderId),
  );
  return rowsIn(range, own, { id: (fill) => fill.id, atMs: (fill) => fill.atMs }).map(accountTrade);
}

function listFilters(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireSymbol(params);
  finishParams(params);
  const market = venue.markets.get(symbol);
  if (market === undefined) throw new RefusedError(unknownSymbol());
  const { baseAsset, quoteAsset } = market.listing.rules;
  const assetFilters = [...account.assetLimits]
    .filter(([asset]) => asset === baseAsset || asset === quoteAsset)
    .map(([asset, limit]) => ({ filterType: 'MAX_ASSET', asset, limit: fixed8(limit) }));
  return { exchangeFilters: EXCHANGE_FILTERS, symbolFilters: filtersOf(listingNow(market)), assetFilters };
}
