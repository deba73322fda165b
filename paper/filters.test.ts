import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, ZERO } from '#core/decimal.ts';
import { checkFilters, type FilterContext } from './filters.ts';
import { listingOf } from './market/listings.ts';
import { NO_OPTIONS, type NewOrder } from './order.ts';

const { rules } = listingOf('BTCUSDT', 60_000);
const base: NewOrder = {
  ...NO_OPTIONS,
  account: 'a',
  symbol: 'BTCUSDT',
  clientOrderId: 'c',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  price: requireDecimal('50000'),
  quantity: requireDecimal('0.001'),
};
const context: FilterContext = {
  ...{ reference: requireDecimal('50000'), isOlder: false, assetLimits: new Map(), maxPosition: null, position: ZERO },
};
const d = requireDecimal;

const trailing = (trailingDelta: number): Partial<NewOrder> => ({ type: 'STOP_LOSS_LIMIT', trailingDelta });

interface Case {
  readonly name: string;
  readonly order: Partial<NewOrder>;
  readonly says?: string | undefined;
  readonly when?: Partial<FilterContext>;
}
const CASES: readonly Case[] = [
  { name: 'a good order', order: {}, says: undefined },
  { name: 'a price off the tick', order: { price: d('50000.001') }, says: 'PRICE_FILTER' },
  { name: 'a price of zero', order: { price: ZERO }, says: 'PRICE_FILTER' },
  { name: 'a price above the maximum', order: { price: d('1000000.01') }, says: 'PRICE_FILTER' },
  {
    name: 'a stop price off the tick',
    order: { type: 'STOP_LOSS_LIMIT', stopPrice: d('50000.001') },
    says: 'PRICE_FILTER',
  },
  { name: 'a buy far below the average', order: { price: d('9999.99') }, says: 'PERCENT_PRICE_BY_SIDE' },
  { name: 'a buy exactly at the lower bound', order: { price: d('10000') }, says: undefined },
  {
    name: 'a sell far above the average',
    order: { side: 'SELL', price: d('250000.01') },
    says: 'PERCENT_PRICE_BY_SIDE',
  },
  { name: 'a quantity off the step', order: { quantity: d('0.0010005') }, says: 'LOT_SIZE' },
  { name: 'a quantity of zero', order: { quantity: ZERO }, says: 'LOT_SIZE' },
  { name: 'a quantity above the maximum', order: { quantity: d('9000.00001') }, says: 'LOT_SIZE' },
  {
    name: 'a market quantity above its own maximum',
    order: { type: 'MARKET', price: ZERO, quantity: d('130') },
    says: 'MARKET_LOT_SIZE',
  },
  { name: 'a limit order worth too little', order: { quantity: d('0.00009') }, says: 'NOTIONAL' },
  { name: 'a limit order worth exactly enough', order: { quantity: d('0.0001') }, says: undefined },
  {
    name: 'a market order worth too little',
    order: { type: 'MARKET', price: ZERO, quantity: d('0.00009') },
    says: 'NOTIONAL',
  },
  {
    name: 'too little quote to spend',
    order: { type: 'MARKET', price: ZERO, quantity: ZERO, quoteQuantity: d('4.99') },
    says: 'NOTIONAL',
  },
  { name: 'a limit order worth too much', order: { quantity: d('200') }, says: 'NOTIONAL' },
  { name: 'a trailing delta below its range', order: trailing(9), says: 'TRAILING_DELTA' },
  { name: 'the smallest trailing delta', order: trailing(10), says: undefined },
  { name: 'the largest trailing delta', order: trailing(2000), says: undefined },
  { name: 'a trailing delta above its range', order: trailing(2001), says: 'TRAILING_DELTA' },
  { name: 'a stop-market order without a limit', order: { type: 'STOP_LOSS', price: ZERO, stopPrice: d('51000') } },
  {
    name: 'a stop-market quantity above the market maximum',
    order: { type: 'STOP_LOSS', price: ZERO, stopPrice: d('51000'), quantity: d('130') },
    says: 'MARKET_LOT_SIZE',
  },
  { name: 'an iceberg in 100 parts', order: { icebergQuantity: d('0.00001') } },
  {
    name: 'an iceberg in 101 parts',
    order: { quantity: d('0.00101'), icebergQuantity: d('0.00001') },
    says: 'ICEBERG_PARTS',
  },
  { name: 'an iceberg slice off the step', order: { icebergQuantity: d('0.000015') }, says: 'LOT_SIZE' },
  { name: 'a buy up to the position limit', order: {}, when: { maxPosition: d('1'), position: d('0.999') } },
  {
    name: 'a buy beyond the position limit',
    order: {},
    when: { maxPosition: d('1'), position: d('0.99901') },
    says: 'MAX_POSITION',
  },
  {
    name: 'a sell beyond the position limit',
    order: { side: 'SELL' },
    when: { maxPosition: d('1'), position: d('2') },
  },
];

for (const { name, order, says, when = {} } of CASES) {
  test(`${name}: ${says ?? 'passes'}`, () => {
    const refusal = checkFilters({ ...base, ...order }, rules, { ...context, ...when });
    assert.equal(refusal?.message, says === undefined ? undefined : `Filter failure: ${says}`);
  });
}
