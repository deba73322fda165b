import type { Account } from '#paper/exchange/accounts.ts';
import { BNB } from '#paper/exchange/commission.ts';
import { rateText } from '#paper/exchange/rate-text.ts';
import { checkOrder } from '#paper/exchange/matching.ts';
import { fixed8 } from './order-json.ts';
import { readOrderRequest } from './order-request.ts';
import { finishParams, type Params, readWord, requireSymbol } from './params.ts';
import { notValid, RefusedError } from '#paper/exchange/refusal.ts';
import { requireFilters, requireListed } from './rest-trading.ts';
import { accountQuery, type SignedRoute } from './routes.ts';
import type { Venue } from '#paper/exchange/venue.ts';

/** Commissions of an account, and test orders. Special and tax commissions are not charged here. */
export const commissionRoutes = (venue: Venue): SignedRoute[] => [
  {
    ...{ method: 'POST', path: '/api/v3/order/test', wsMethod: 'order.test', security: 'trade' },
    weight: (params) => (params.values.get('computeCommissionRates') === 'true' ? 20 : 1),
    handle: (params, account) => tryOrder(venue, params, account),
  },
  accountQuery(venue, ['account/commission', 'account.commission', 20], describe),
];

const NOTHING = '0.00000000';

function describe(venue: Venue, params: Params, account: Account): unknown {
  const symbol = requireListed(venue, requireSymbol(params));
  finishParams(params);
  const sides = { buyer: NOTHING, seller: NOTHING };
  const none = { maker: NOTHING, taker: NOTHING, ...sides };
  return {
    symbol,
    standardCommission: { maker: rateText(account.makerBps), taker: rateText(account.takerBps), ...sides },
    specialCommission: none,
    taxCommission: none,
    discount: discountOf(account),
  };
}

/** The discount for commissions in BNB; `discount` is the share taken off. */
const discountOf = (account: Account): Record<string, unknown> => ({
  enabledForAccount: account.feesInBnb,
  enabledForSymbol: true,
  discountAsset: BNB,
  discount: fixed8(account.bnbDiscount),
});

/** Checks an order without placing it. */
function tryOrder(venue: Venue, params: Params, account: Account): unknown {
  const booleans = { words: ['true', 'false'], ...notValid('computeCommissionRates') } as const;
  const wantsRates = readWord(params, 'computeCommissionRates', booleans) === 'true';
  const { order } = readOrderRequest(params, account.name);
  finishParams(params);
  requireFilters(venue, [order]);
  const refusal = checkOrder(venue.engine, order);
  if (refusal !== undefined) throw new RefusedError(refusal);
  return wantsRates ? ratesOf(account) : {};
}

function ratesOf(account: Account): Record<string, unknown> {
  const none = { maker: NOTHING, taker: NOTHING };
  return {
    standardCommissionForOrder: { maker: rateText(account.makerBps), taker: rateText(account.takerBps) },
    specialCommissionForOrder: none,
    taxCommissionForOrder: none,
    discount: discountOf(account),
  };
}
