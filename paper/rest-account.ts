import type { Account } from './accounts.ts';
import { rateText } from './commission.ts';
import { type Limits, orderLimitRows } from './limits.ts';
import { accountTrade, fixed8 } from './order-json.ts';
import { fillsOf } from './orders.ts';
import { finishParams, type Params, readInteger, readLimit, readTime, readWord, requireSymbol } from './params.ts';
import { deny } from './refusal.ts';
import { requireListed } from './rest-trading.ts';
import type { SignedRoute } from './routes.ts';
import { catchUp, type Venue } from './venue.ts';

const DAY_MS = 86_400_000;
const COMBINATION = { code: -1128, message: 'Combination of optional parameters invalid.' };

/** What an account has and may do. */
export const accountRoutes = (venue: Venue, limits: Limits): SignedRoute[] => [
  {
    ...{ method: 'GET', path: '/api/v3/account', wsMethod: 'account.status', weight: 20, security: 'read' },
    handle: (params, account) => describeAccount(venue, params, account),
  },
  {
    ...{ method: 'GET', path: '/api/v3/myTrades', wsMethod: 'myTrades', security: 'read' },
    weight: (params) => (params.values.has('orderId') ? 5 : 20),
    handle: (params, account) => listFills(venue, params, account),
  },
  {
    ...{ method: 'GET', path: '/api/v3/rateLimit/order', wsMethod: 'account.rateLimits.orders', weight: 40 },
    security: 'read',
    handle: (params, { name }) => (finishParams(params), orderLimitRows(limits.orderCounts(name, Date.now()))),
  },
  {
    ...{ method: 'GET', path: '/api/v3/myAllocations', wsMethod: 'myAllocations', weight: 20, security: 'read' },
    handle: (params) => noAllocations(venue, params),
  },
];

const ALLOCATION_PARAMS = ['startTime', 'endTime', 'fromAllocationId', 'limit', 'orderId'] as const;

/** No order of this exchange is routed to another book, so that none has allocations. */
function noAllocations(venue: Venue, params: Params): unknown {
  requireListed(venue, requireSymbol(params));
  for (const name of ALLOCATION_PARAMS) readInteger(params, name);
  finishParams(params);
  return [];
}

function describeAccount(venue: Venue, params: Params, account: Account): unknown {
  const omitZero = readWord(params, 'omitZeroBalances', { words: ['true', 'false'], ...COMBINATION }) === 'true';
  finishParams(params);
  const nowMs = catchUp(venue);
  const rows = venue.floor.purses.rows().filter((row) => row.owner === account.name);
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
    preventSor: false,
    updateTime: nowMs,
    accountType: 'SPOT',
    balances: kept.map(({ asset, balance }) => ({ asset, free: fixed8(balance.free), locked: fixed8(balance.locked) })),
    permissions: ['SPOT'],
    ...(account.tradeGroupId < 0 ? {} : { tradeGroupId: account.tradeGroupId }),
    uid: venue.accounts.indexOf(account) + 1,
  };
}

function listFills(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  const orderId = readInteger(params, 'orderId');
  const fromId = readInteger(params, 'fromId');
  const startMs = readTime(params, 'startTime');
  const endMs = readTime(params, 'endTime');
  const limit = readLimit(params, 500, 1000);
  finishParams(params);
  const timed = startMs !== undefined || endMs !== undefined;
  if (timed && (orderId !== undefined || fromId !== undefined)) deny(COMBINATION.code, COMBINATION.message);
  if (startMs !== undefined && endMs !== undefined && endMs - startMs > DAY_MS) {
    deny(-1127, 'More than 24 hours between startTime and endTime.');
  }
  catchUp(venue);
  const matching = fillsOf(venue.floor.orders, account.name, symbol).filter(
    (fill) =>
      (orderId === undefined || fill.orderId === orderId) &&
      fill.id >= (fromId ?? 0) &&
      fill.atMs >= (startMs ?? 0) &&
      fill.atMs <= (endMs ?? Infinity),
  );
  const oldestFirst = fromId !== undefined || startMs !== undefined;
  return (oldestFirst ? matching.slice(0, limit) : matching.slice(-limit)).map(accountTrade);
}
