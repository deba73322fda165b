import {
  add,
  type Decimal,
  divide,
  formatDecimal,
  multiply,
  requireDecimal,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import type { Account } from '#paper/exchange/accounts.ts';
import { BNB, truncate8 } from '#paper/exchange/commission.ts';
import { rateText } from '#paper/exchange/rate-text.ts';
import { fixed8 } from './order-json.ts';
import { finishParams, type Params, readSymbol, readText, requireText } from './params.ts';
import { OUTSIDE_OWNER } from '#paper/exchange/balances.ts';
import { deny } from '#paper/exchange/refusal.ts';
import { requireListed } from './rest-trading.ts';
import type { PublicRoute, Route, SignedRoute } from './routes.ts';
import { catchUp, commit, marketNow, type Venue } from '#paper/exchange/venue.ts';

/** The share of converted dust that the exchange keeps. */
const DUST_FEE = requireDecimal('0.02');
/** Dust is worth at most this much BTC. */
const DUST_BTC = requireDecimal('0.001');

/** The part of the wallet API that bots use. Other products of the exchange answer as empty markets. */
export const sapiRoutes = (venue: Venue): Route[] => [
  open('/sapi/v1/system/status', 1, () => ({ status: 0, msg: 'normal' })),
  open('/fapi/v1/exchangeInfo', 1, emptyMarket),
  open('/dapi/v1/exchangeInfo', 1, emptyMarket),
  signed('GET /sapi/v1/account/apiRestrictions', 1, keyRestrictions),
  signed('GET /sapi/v1/capital/config/getall', 10, (account) => coins(venue, account)),
  signed('GET /sapi/v1/margin/allPairs', 1, () => []),
  signed('GET /sapi/v1/margin/isolated/allPairs', 1, () => []),
  signed('GET /sapi/v1/spot/delist-schedule', 100, () => []),
  { ...signed('GET /sapi/v1/asset/tradeFee', 1), handle: (params, account) => tradeFees(venue, params, account) },
  {
    ...signed('POST /sapi/v1/asset/dust-btc', 1),
    handle: (params, account) => {
      readText(params, 'accountType');
      finishParams(params);
      return listDust(dustOf(venue, account), DUST_NAMES);
    },
  },
  {
    ...signed('POST /sapi/v1/asset/dust-convert/query-convertible-assets', 1),
    handle: (params, account) => {
      const target = requireText(params, 'targetAsset');
      for (const name of ['accountType', 'dustQuotaAssetToTargetAssetPrice']) readText(params, name);
      finishParams(params);
      return { ...listDust(dustOf(venue, account, target), CONVERTIBLE_NAMES), dribbletBase: formatDecimal(DUST_BTC) };
    },
  },
  ...['dust', 'dust-convert/convert'].map(
    (name): SignedRoute => ({
      ...signed(`POST /sapi/v1/asset/${name}`, 10),
      security: 'trade',
      handle: (params, account) => convertDust(venue, params, account),
    }),
  ),
];

/** Field names for the same values in the two lists of convertible dust. */
const DUST_NAMES = { btc: 'toBTC', gross: 'toBNB', net: 'toBNBOffExchange', totals: ['Btc', 'BNB'] } as const;
const CONVERTIBLE_NAMES = {
  btc: 'toQuotaAssetAmount',
  gross: 'toTargetAssetAmount',
  net: 'toTargetAssetOffExchange',
  totals: ['QuotaAssetAmount', 'TargetAssetAmount'],
} as const;

/** Every asset of the markets with the account's balance. There are no deposits or withdrawals. */
function coins(venue: Venue, account: Account): unknown {
  const rules = [...venue.markets.values()].map(({ listing }) => listing.rules);
  const assets = new Set(rules.flatMap(({ baseAsset, quoteAsset }) => [baseAsset, quoteAsset]));
  const still = { depositAllEnable: false, withdrawAllEnable: false, trading: true, isLegalMoney: false };
  const nothing = { freeze: fixed8(ZERO), ipoable: fixed8(ZERO), ipoing: fixed8(ZERO), storage: fixed8(ZERO) };
  return [...assets].map((coin) => {
    const { free, locked } = venue.engine.balances.balance(account.name, coin);
    const held = { free: fixed8(free), locked: fixed8(locked), withdrawing: fixed8(ZERO) };
    return { coin, name: coin, ...still, ...nothing, ...held, networkList: [] };
  });
}

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
  return symbols.map((name) => ({ symbol: name, makerCommission, takerCommission }));
}

/** A small free balance, with its value in BTC and in the asset that it can be converted to. */
interface Dust {
  readonly asset: string;
  readonly amount: Decimal;
  readonly btc: Decimal;
  readonly gross: Decimal;
}

function dustOf(venue: Venue, account: Account, target = BNB): Dust[] {
  const targetPrice = priceIn(venue, target, 'BTC');
  return venue.engine.balances
    .rows()
    .filter((row) => row.owner === account.name && row.asset !== target && row.balance.free > 0n)
    .flatMap(({ asset, balance }) => {
      const price = priceIn(venue, asset, 'BTC');
      if (price === undefined || targetPrice === undefined) return [];
      const btc = truncate8(multiply(balance.free, price));
      const gross = truncate8(divide(btc, targetPrice));
      return gross <= 0n || btc > DUST_BTC ? [] : [{ asset, amount: balance.free, btc, gross }];
    });
}

/** The last price of one asset in another. Goes through dollars if they have no market of their own. */
function priceIn(venue: Venue, asset: string, quote: string): Decimal | undefined {
  if (asset === quote) return requireDecimal('1');
  const direct = marketNow(venue, `${asset}${quote}`)?.lastPrice;
  if (direct !== undefined) return direct;
  const own = asset === 'USDT' ? requireDecimal('1') : marketNow(venue, `${asset}USDT`)?.lastPrice;
  const other = marketNow(venue, `${quote}USDT`)?.lastPrice;
  return own === undefined || other === undefined ? undefined : divide(own, other);
}

function listDust(
  dust: readonly Dust[],
  { btc, gross, net, totals }: typeof DUST_NAMES | typeof CONVERTIBLE_NAMES,
): Record<string, unknown> {
  const total = (pick: (row: Dust) => Decimal): string => fixed8(dust.reduce((sum, row) => add(sum, pick(row)), ZERO));
  return {
    details: dust.map((row) => ({
      asset: row.asset,
      assetFullName: row.asset,
      amountFree: fixed8(row.amount),
      [btc]: fixed8(row.btc),
      [gross]: fixed8(row.gross),
      [net]: fixed8(subtract(row.gross, feeOn(row.gross))),
      exchange: fixed8(feeOn(row.gross)),
    })),
    [`totalTransfer${totals[0]}`]: total((row) => row.btc),
    [`totalTransfer${totals[1]}`]: total((row) => row.gross),
    dribbletPercentage: formatDecimal(DUST_FEE),
  };
}

const feeOn = (gross: Decimal): Decimal => truncate8(multiply(gross, DUST_FEE));

const CONVERT_PARAMS = ['accountType', 'clientId', 'thirdPartyClientId', 'dustQuotaAssetToTargetAssetPrice'] as const;

/** Converts the named dust into another asset (BNB by default), less the fee. */
function convertDust(venue: Venue, params: Params, account: Account): unknown {
  const assets = requireText(params, 'asset').split(',');
  const target = readText(params, 'targetAsset') ?? BNB;
  for (const name of CONVERT_PARAMS) readText(params, name);
  finishParams(params);
  const atMs = catchUp(venue);
  const all = dustOf(venue, account, target);
  const dust = assets.map((asset) => all.find((row) => row.asset === asset) ?? deny(32110, 'Asset is not dust.'));
  const { balances } = venue.engine;
  const results = dust.map(({ asset, amount, gross }, index) => {
    const fee = feeOn(gross);
    balances.move({ from: account.name, to: OUTSIDE_OWNER, asset, amount });
    balances.move({ from: OUTSIDE_OWNER, to: account.name, asset: target, amount: subtract(gross, fee) });
    return { asset, amount, fee, received: subtract(gross, fee), tranId: atMs * 100 + index };
  });
  commit(venue, atMs);
  const total = (pick: (result: (typeof results)[number]) => Decimal): string =>
    fixed8(results.reduce((sum, result) => add(sum, pick(result)), ZERO));
  return {
    totalServiceCharge: total((result) => result.fee),
    totalTransfered: total((result) => result.received),
    transferResult: results.map((result) => ({
      amount: fixed8(result.amount),
      fromAsset: result.asset,
      operateTime: atMs,
      serviceChargeAmount: fixed8(result.fee),
      tranId: result.tranId,
      transferedAmount: fixed8(result.received),
    })),
  };
}
