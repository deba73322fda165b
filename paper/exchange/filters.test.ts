import assert from 'node:assert/strict';
import { test } from 'node:test';
import { requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { checkFilters, type FilterContext } from './filters.ts';
import { listingOf } from '#paper/market/listings.ts';
import type { NewOrder } from './order.ts';
import { NO_OPTIONS } from '#test/paper/test-exchange.ts';

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

const ANY_PRICE = { type: 'MARKET', price: ZERO } as const;
const trailing = (type: NewOrder['type'], side: NewOrder['side'], trailingDelta: number): Partial<NewOrder> => ({
  ...{ type, side, trailingDelta },
});
const older = { isOlder: true };
const worth = (price: string) => ({ reference: d(price) });

/** For every bound: the last order that passes and the first that fails. */
const BOUNDS: readonly {
  readonly filter: string;
  readonly passes: Partial<NewOrder>;
  readonly fails: Partial<NewOrder>;
  readonly when?: Partial<FilterContext>;
}[] = [
  {
    ...{ filter: 'PRICE_FILTER', when: worth('0.01') },
    passes: { price: d('0.01'), quantity: d('500') },
    fails: { price: ZERO, quantity: d('500') },
  },
  {
    ...{ filter: 'PRICE_FILTER', when: worth('1000000') },
    passes: { price: d('1000000') },
    fails: { price: d('1000000.01') },
  },
  { filter: 'PRICE_FILTER', passes: { price: d('50000.01') }, fails: { price: d('50000.015') } },
  {
    filter: 'PRICE_FILTER',
    passes: { type: 'STOP_LOSS_LIMIT', stopPrice: d('50000.01') },
    fails: { type: 'STOP_LOSS_LIMIT', stopPrice: d('50000.001') },
  },
  ...(['BUY', 'SELL'] as const).flatMap((side) =>
    [{}, older].flatMap((when) => [
      {
        ...{ filter: 'isOlder' in when ? 'PERCENT_PRICE' : 'PERCENT_PRICE_BY_SIDE', when },
        ...{ passes: { side, price: d('10000') }, fails: { side, price: d('9999.99') } },
      },
      {
        ...{ filter: 'isOlder' in when ? 'PERCENT_PRICE' : 'PERCENT_PRICE_BY_SIDE', when },
        ...{ passes: { side, price: d('250000') }, fails: { side, price: d('250000.01') } },
      },
    ]),
  ),
  {
    ...{ filter: 'LOT_SIZE', when: worth('1000000') },
    passes: { price: d('1000000'), quantity: d('0.00001') },
    fails: { price: d('1000000'), quantity: ZERO },
  },
  {
    ...{ filter: 'LOT_SIZE', when: worth('1000') },
    passes: { price: d('1000'), quantity: d('9000') },
    fails: { price: d('1000'), quantity: d('9000.00001') },
  },
  { filter: 'LOT_SIZE', passes: { quantity: d('0.00101') }, fails: { quantity: d('0.001005') } },
  { filter: 'LOT_SIZE', passes: { icebergQuantity: d('0.0005') }, fails: { icebergQuantity: d('0.000505') } },
  ...(['MARKET', 'STOP_LOSS'] as const).map((type) => ({
    ...{ filter: 'MARKET_LOT_SIZE' },
    passes: { type, price: ZERO, stopPrice: type === 'MARKET' ? ZERO : d('51000'), quantity: d('129.84957') },
    fails: { type, price: ZERO, stopPrice: type === 'MARKET' ? ZERO : d('51000'), quantity: d('129.84958') },
  })),
  { filter: 'NOTIONAL', passes: { quantity: d('0.0001') }, fails: { quantity: d('0.00009') } },
  { filter: 'NOTIONAL', passes: { quantity: d('180') }, fails: { quantity: d('180.00001') } },
  {
    filter: 'NOTIONAL',
    passes: { ...ANY_PRICE, quantity: d('0.0001') },
    fails: { ...ANY_PRICE, quantity: d('0.00009') },
  },
  {
    filter: 'NOTIONAL',
    passes: { ...ANY_PRICE, quantity: ZERO, quoteQuantity: d('5') },
    fails: { ...ANY_PRICE, quantity: ZERO, quoteQuantity: d('4.99') },
  },
  { filter: 'MIN_NOTIONAL', when: older, passes: { quantity: d('0.0001') }, fails: { quantity: d('0.00009') } },
  ...(['BUY', 'SELL'] as const).flatMap((side) => [
    {
      ...{ filter: 'TRAILING_DELTA', passes: trailing('STOP_LOSS_LIMIT', side, 10) },
      fails: trailing('STOP_LOSS_LIMIT', side, 9),
    },
    {
      ...{ filter: 'TRAILING_DELTA', passes: trailing('TAKE_PROFIT_LIMIT', side, 2000) },
      fails: trailing('TAKE_PROFIT_LIMIT', side, 2001),
    },
  ]),
  {
    ...{ filter: 'ICEBERG_PARTS', passes: { icebergQuantity: d('0.00001') } },
    fails: { quantity: d('0.00101'), icebergQuantity: d('0.00001') },
  },
  {
    ...{ filter: 'MAX_POSITION', when: { maxPosition: d('1'), position: d('0.999') } },
    ...{ passes: { quantity: d('0.001') }, fails: { quantity: d('0.00101') } },
  },
  {
    ...{ filter: 'MAX_ASSET', when: { assetLimits: new Map([['BTC', d('0.001')]]) } },
    ...{ passes: { side: 'SELL', quantity: d('0.001') }, fails: { side: 'SELL', quantity: d('0.00101') } },
  },
  {
    ...{ filter: 'MAX_ASSET', when: { assetLimits: new Map([['USDT', d('50')]]) } },
    ...{ passes: { quantity: d('0.001') }, fails: { quantity: d('0.00101') } },
  },
];

for (const [at, { filter, passes, fails, when = {} }] of BOUNDS.entries()) {
  test(`${filter} passes at its bound and fails beyond it (${at})`, () => {
    const check = (order: Partial<NewOrder>) =>
      checkFilters({ ...base, ...order }, rules, { ...context, ...when })?.message;
    assert.deepEqual([check(passes), check(fails)], [undefined, `Filter failure: ${filter}`]);
  });
}

for (const { name, order, when = {} } of [
  {
    name: 'a sell beyond the position limit',
    order: { side: 'SELL' },
    when: { maxPosition: d('1'), position: d('2') },
  },
  { name: 'an older coin has no maximum notional', order: { quantity: d('200') }, when: older },
  {
    name: 'a market order has no maximum notional',
    order: { ...ANY_PRICE, quantity: d('129') },
    when: worth('100000'),
  },
] as const) {
  test(`${name} and passes`, () => {
    assert.equal(checkFilters({ ...base, ...order }, rules, { ...context, ...when }), undefined);
  });
}
