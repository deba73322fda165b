import { add, type Decimal, divide, formatDecimal, multiply, requireDecimal, subtract, ZERO } from '#core/decimal.ts';
import type { Account } from './accounts.ts';
import { rateText, truncate8 } from './commission.ts';
import { fixed8 } from './order-json.ts';
import { finishParams, type Params, readSymbol, readText, requireText } from './params.ts';
import { OUTSIDE_PURSE } from './purses.ts';
import { deny } from './refusal.ts';
import { requireListed } from './rest-trading.ts';
import type { PublicRoute, Route, SignedRoute } from './routes.ts';
import { catchUp, commit, marketNow, type Venue } from './venue.ts';

/** The share of converted dust that the exchange keeps. */
const DUST_FEE = requireDecimal('0.02');
/** Dust is worth at most this much BTC. */
const DUST_BTC = requireDecimal('0.001');

/** The wallet interface as far as bots use it, and what other markets of the exchange answer to clients that look. */
export const sapiRoutes = (venue: Venue): Route[] => [
  open('/sapi/v1/system/status', 1, () => ({ status: 0, msg: 'normal' })),
  open('/fapi/v1/exchangeInfo', 1, emptyMarket),
  open('/dapi/v1/exchangeInfo', 1, emptyMarket),
  signed('GET /sapi/v1/account/apiRestrictions', 1, keyRestrictions),
  signed('GET /sapi/v1/capital/config/getall', 10, () => []),
  signed('GET /sapi/v1/margin/allPairs', 1, () => []),
  signed('GET /sapi/v1/margin/isolated/allPairs', 1, () => []),
  signed('GET /sapi/v1/spot/delist-schedule', 100, () => []),
  { ...signed('GET /sapi/v1/asset/tradeFee', 1), handle: (params, account) => tradeFees(venue, params, account) },
  {
    ...signed('POST /sapi/v1/asset/dust-btc', 1),
    handle: (params, account) => (finishParams(params), listDust(venue, account)),
  },
  {
    ...signed('POST /sapi/v1/asset/dust', 10),
    security: 'trade',
    handle: (params, account) => convertDust(venue, params, account),
  },
];

const emptyMarket = () => ({
  timezone: 'UTC',
  serverTime: Date.now(),
  rateLimits: [],
  exchangeFilters: [],
  symbols: [],
});

const open = (path: string, weight: number, answer: () => unknown): PublicRoute => ({
  ...{ method: 'GET', path, wsMethod: '', weight, security: 'none' },
  handle: (params) => (finishParams(params), answer()),
});

function signed(
  request: `${'GET' | 'POST'} ${string}`,
  weight: number,
  answer: (account: Account) => unknown = () => ({}),
): SignedRoute {
  const [, path = ''] = request.split(' ');
  return {
    method: request.startsWith('POST') ? 'POST' : 'GET',
    ...{ path, wsMethod: '', weight, security: 'read' },
    handle: (params, account) => (finishParams(params), answer(account)),
  };
}

const keyRestrictions = (account: Account): Record<string, unknown> => ({
  ipRestrict: account.ipAllowList.length > 0,
  createTime: 0,
  enableReading: true,
  enableWithdrawals: account.canWithdraw,
  enableInternalTransfer: false,
  enableMargin: false,
  enableFutures: false,
  permitsUniversalTransfer: false,
  enableVanillaOptions: false,
  enableFixApiTrade: false,
  enableFixReadOnly: false,
  enableSpotAndMarginTrading: account.permissions.includes('SPOT'),
  enablePortfolioMarginTrading: false,
});

function tradeFees(venue: Venue, params: Params, account: Account): unknown {
  const symbol = readSymbol(params);
  finishParams(params);
  const [makerCommission, takerCommission] = [account.makerBps, account.takerBps].map(rateText);
  const symbols = symbol === undefined ? [...venue.markets.keys()] : [requireListed(venue, symbol)];
  return symbols.map((one) => ({ symbol: one, makerCommission, takerCommission }));
}

/** Small free amounts of an account with what they are worth. */
interface Dust {
  readonly asset: string;
  readonly amount: Decimal;
  readonly btc: Decimal;
  readonly bnb: Decimal;
}

function dustOf(venue: Venue, account: Account): Dust[] {
  const bnbPrice = priceIn(venue, 'BNB', 'BTC');
  return venue.floor.purses
    .rows()
    .filter((row) => row.owner === account.name && row.asset !== 'BNB' && row.balance.free > 0n)
    .flatMap(({ asset, balance }) => {
      const price = priceIn(venue, asset, 'BTC');
      if (price === undefined || bnbPrice === undefined) return [];
      const btc = truncate8(multiply(balance.free, price));
      const bnb = truncate8(divide(btc, bnbPrice));
      return bnb <= 0n || btc > DUST_BTC ? [] : [{ asset, amount: balance.free, btc, bnb }];
    });
}

/** The last price of one asset in another, over dollars where they have no market of their own. */
function priceIn(venue: Venue, asset: string, quote: string): Decimal | undefined {
  if (asset === quote) return requireDecimal('1');
  const direct = marketNow(venue, `${asset}${quote}`)?.lastPrice;
  if (direct !== undefined) return direct;
  const own = asset === 'USDT' ? requireDecimal('1') : marketNow(venue, `${asset}USDT`)?.lastPrice;
  const other = marketNow(venue, `${quote}USDT`)?.lastPrice;
  return own === undefined || other === undefined ? undefined : divide(own, other);
}

function listDust(venue: Venue, account: Account): unknown {
  const dust = dustOf(venue, account);
  const total = (pick: (one: Dust) => Decimal): string => fixed8(dust.reduce((sum, one) => add(sum, pick(one)), ZERO));
  return {
    details: dust.map(({ asset, amount, btc, bnb }) => ({
      asset,
      assetFullName: asset,
      amountFree: fixed8(amount),
      toBTC: fixed8(btc),
      toBNB: fixed8(bnb),
      toBNBOffExchange: fixed8(subtract(bnb, feeOn(bnb))),
      exchange: fixed8(feeOn(bnb)),
    })),
    totalTransferBtc: total((one) => one.btc),
    totalTransferBNB: total((one) => one.bnb),
    dribbletPercentage: formatDecimal(DUST_FEE),
  };
}

const feeOn = (bnb: Decimal): Decimal => truncate8(multiply(bnb, DUST_FEE));

/** Turns the named dust into BNB, less the fee. */
function convertDust(venue: Venue, params: Params, account: Account): unknown {
  const assets = requireText(params, 'asset').split(',');
  readText(params, 'accountType');
  finishParams(params);
  const atMs = catchUp(venue);
  const all = dustOf(venue, account);
  const dust = assets.map((asset) => all.find((one) => one.asset === asset) ?? deny(32110, 'Asset is not dust.'));
  const { purses } = venue.floor;
  const results = dust.map(({ asset, amount, bnb }, index) => {
    const fee = feeOn(bnb);
    purses.move({ from: account.name, to: OUTSIDE_PURSE, asset, amount });
    purses.move({ from: OUTSIDE_PURSE, to: account.name, asset: 'BNB', amount: subtract(bnb, fee) });
    return { asset, amount, fee, received: subtract(bnb, fee), tranId: atMs * 100 + index };
  });
  commit(venue, atMs);
  const total = (pick: (one: (typeof results)[number]) => Decimal): string =>
    fixed8(results.reduce((sum, one) => add(sum, pick(one)), ZERO));
  return {
    totalServiceCharge: total((one) => one.fee),
    totalTransfered: total((one) => one.received),
    transferResult: results.map((one) => ({
      amount: fixed8(one.amount),
      fromAsset: one.asset,
      operateTime: atMs,
      serviceChargeAmount: fixed8(one.fee),
      tranId: one.tranId,
      transferedAmount: fixed8(one.received),
    })),
  };
}
