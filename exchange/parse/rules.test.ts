import assert from 'node:assert/strict';
import test from 'node:test';
import { formatDecimal } from '#core/amount/decimal.ts';
import { rulesFor } from '#core/market/symbol.ts';
import { parseExchangeInfo } from './rules.ts';

const lot = (filterType: string, minQty: string, maxQty: string, stepSize: string) => ({
  filterType,
  minQty,
  maxQty,
  stepSize,
});
const entry = (extra: object = {}) => ({
  symbol: 'BTCUSDT',
  status: 'TRADING',
  baseAsset: 'BTC',
  quoteAsset: 'USDT',
  orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS_LIMIT'],
  isSpotTradingAllowed: true,
  filters: [
    { filterType: 'PRICE_FILTER', minPrice: '0.01000000', maxPrice: '1000000.00000000', tickSize: '0.01000000' },
    lot('LOT_SIZE', '0.00001000', '9000.00000000', '0.00001000'),
    lot('MARKET_LOT_SIZE', '0.00000000', '141.68000000', '0.00000000'),
    {
      filterType: 'PERCENT_PRICE_BY_SIDE',
      bidMultiplierUp: '5',
      bidMultiplierDown: '0.2',
      askMultiplierUp: '6',
      askMultiplierDown: '0.3',
      avgPriceMins: 5,
    },
    {
      filterType: 'NOTIONAL',
      minNotional: '5.00000000',
      applyMinToMarket: true,
      maxNotional: '9000000.00000000',
      applyMaxToMarket: false,
      avgPriceMins: 5,
    },
    {
      filterType: 'TRAILING_DELTA',
      minTrailingAboveDelta: 11,
      maxTrailingAboveDelta: 2001,
      minTrailingBelowDelta: 10,
      maxTrailingBelowDelta: 2000,
    },
    { filterType: 'MAX_NUM_ORDERS', maxNumOrders: 200 },
    { filterType: 'A_FILTER_OF_THE_FUTURE', anything: [1] },
  ],
  ...extra,
});
const text = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value, (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each)));
const rulesOf = (extra?: object) => parseExchangeInfo({ symbols: [entry(extra)] }).symbols[0];

test('filters become rules', () => {
  const rules = rulesOf();
  assert.ok(rules !== undefined);
  assert.equal(formatDecimal(rules.price.tick), '0.01');
  assert.equal(formatDecimal(rules.lot.step), '0.00001');
  assert.equal(formatDecimal(rules.marketLot.max), '141.68');
  assert.equal(formatDecimal(rules.notional.max), '9000000');
  assert.equal(rules.notional.minAppliesToMarket, true);
  assert.deepEqual(rules.trailing, { min: 10, max: 2000 });
  assert.equal(formatDecimal(rules.band?.askDown ?? rules.price.min), '0.3');
});

test('older filter forms and missing filters', () => {
  const older = rulesOf({
    filters: [
      { filterType: 'MIN_NOTIONAL', minNotional: '10', applyToMarket: false, avgPriceMins: 5 },
      { filterType: 'PERCENT_PRICE', multiplierUp: '5', multiplierDown: '0.2', avgPriceMins: 5 },
    ],
  });
  assert.ok(older !== undefined);
  assert.equal(formatDecimal(older.notional.min), '10');
  assert.equal(older.notional.minAppliesToMarket, false);
  const [up, down] = ['5000000000000000000', '200000000000000000'];
  assert.deepEqual(text(older.band), { bidUp: up, bidDown: down, askUp: up, askDown: down });
  assert.deepEqual(text(older.lot), { step: '0', min: '0', max: '0' });
  assert.equal(rulesOf({ filters: [] })?.band, null);
});

test('only the four known statuses are distinguished; any other counts as halted', () => {
  for (const status of ['TRADING', 'HALT', 'BREAK', 'CANCEL_ONLY']) assert.equal(rulesOf({ status })?.status, status);
  for (const status of ['END_OF_DAY', 'PRE_TRADING', '']) assert.equal(rulesOf({ status })?.status, 'HALT');
});

test('symbols without spot trading are left out, and the limits are read', () => {
  const info = parseExchangeInfo({
    rateLimits: [
      { rateLimitType: 'ORDERS', interval: 'SECOND', intervalNum: 10, limit: 100 },
      { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', intervalNum: 1, limit: 6000 },
      { rateLimitType: 'ORDERS', interval: 'DAY', intervalNum: 1, limit: 200000 },
      { rateLimitType: 'RAW_REQUESTS', interval: 'MINUTE', intervalNum: 5, limit: 300000 },
      { rateLimitType: 'CONNECTIONS', interval: 'MINUTE', intervalNum: 5, limit: 300 },
      { rateLimitType: 'ORDERS', interval: 'FORTNIGHT', intervalNum: 1, limit: 1 },
    ],
    symbols: [entry(), entry({ symbol: 'MARGINONLY', isSpotTradingAllowed: false })],
  });
  assert.deepEqual(
    info.symbols.map(({ symbol }) => symbol),
    ['BTCUSDT'],
  );
  assert.deepEqual(info.limits, {
    weight: { windowMs: 60_000, limit: 6000 },
    requests: { windowMs: 300_000, limit: 300_000 },
    orders: [
      { windowMs: 10_000, limit: 100 },
      { windowMs: 86_400_000, limit: 200_000 },
    ],
  });
  assert.deepEqual(parseExchangeInfo({ symbols: [] }).limits, { weight: undefined, requests: undefined, orders: [] });
});

test('a symbol with an odd entry is listed as unreadable, with the cause, and the others are parsed', () => {
  const odd: Readonly<Record<string, readonly [object, RegExp]>> = {
    'a quantity that is no number': [
      { filters: [lot('LOT_SIZE', '0.1', 'much', '0.1')] },
      /the filter LOT_SIZE in an unexpected form at maxQty: "much"/,
    ],
    'a step in scientific notation': [
      { filters: [lot('LOT_SIZE', '0.1', '9', '1e-5')] },
      /LOT_SIZE .*stepSize: "1e-5"/,
    ],
    'a filter without a type': [{ filters: [{ minNotional: '5' }] }, /a symbol .*filterType/],
    'no filters': [{ filters: null }, /a symbol .*filters/],
  };
  for (const [what, [extra, problem]] of Object.entries(odd)) {
    const { symbols } = parseExchangeInfo({ symbols: [entry({ symbol: 'ODDUSDT', ...extra }), entry(), 7, {}] });
    assert.deepEqual(
      symbols.map(({ symbol, status }) => [symbol, status]),
      [
        ['ODDUSDT', 'unreadable'],
        ['BTCUSDT', 'TRADING'],
      ],
      what,
    );
    assert.match(symbols[0]?.problem ?? '', problem, what);
  }
  assert.throws(() => parseExchangeInfo({ symbols: {} }), /exchange information/);
});

test('a limit in an unknown form is left out, the others hold', () => {
  const rateLimits = [
    { rateLimitType: 'A_KIND_OF_THE_FUTURE', interval: 'MINUTE', intervalNum: 1, limit: -1 },
    { rateLimitType: 'REQUEST_WEIGHT', interval: 'MINUTE', limit: 6000 },
    { rateLimitType: 'RAW_REQUESTS', interval: 'MINUTE', intervalNum: 5, limit: 300_000 },
  ];
  assert.deepEqual(parseExchangeInfo({ rateLimits, symbols: [] }).limits, {
    weight: undefined,
    requests: { windowMs: 300_000, limit: 300_000 },
    orders: [],
  });
});

test('fields that older or newer exchanges leave out have the careful default', () => {
  const rules = rulesOf({ permissionSets: null, filters: [{ filterType: 'NOTIONAL', minNotional: '5' }] });
  assert.equal(rules?.status, 'TRADING');
  assert.deepEqual(text(rules?.notional), { min: '5000000000000000000', max: '0', minAppliesToMarket: true });
});

test('a coin is for accounts with a permission of each of its sets; unknown permissions do not exclude it', () => {
  const permissionSets = [
    ['SPOT', 'TRD_GRP_004'],
    ['MARGIN', 'TRD_GRP_004'],
  ];
  const { symbols } = parseExchangeInfo({ symbols: [entry({ permissionSets }), entry({ status: 'BREAK' })] });
  const statuses = (...permissions: string[]) => rulesFor(permissions, symbols).map(({ status }) => status);
  assert.deepEqual(statuses('SPOT'), ['not-permitted', 'BREAK']);
  assert.deepEqual(statuses('SPOT', 'MARGIN'), ['TRADING', 'BREAK']);
  assert.deepEqual(statuses('TRD_GRP_004'), ['TRADING', 'BREAK']);
  assert.deepEqual(statuses(), ['TRADING', 'BREAK']);
});
