import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AccountInput } from '#paper/exchange/accounts.ts';
import { clientOf, type Key, pick } from '#test/paper/client.ts';
import { openTerms } from '#paper/market/terms.ts';
import type { PaperExchange } from '#paper/server.ts';
import { control, startTestServer } from '#test/paper/test-server.ts';

/** Every refusal that a client of the spot market can get, in the exchange's own words, over HTTP. */
const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const accounts: AccountInput[] = [
  { name: 'ann', ...ann, balances: { USDT: '10000', BTC: '1', LTC: '10' } },
  { name: 'reader', apiKey: 'reader-key', secret: 'x', permissions: ['READ'] },
];

let paper: PaperExchange;
before(async () => {
  paper = await startTestServer(accounts, { clock: { kind: 'virtual', startMs: Date.UTC(2026, 2, 3, 10, 0, 30) } });
});
after(() => paper[Symbol.asyncDispose]());

type Params = Readonly<Record<string, string | undefined>>;
interface Row {
  readonly code: number;
  readonly msg: string;
  /** For POST /api/v3/order: the differences from a limit order that rests. */
  readonly order?: Params;
  /** For any other request: its path and all of its parameters. */
  readonly at?: string;
  readonly params?: Params;
  /** The feature that the coin lacks. */
  readonly lacks?: string;
  readonly given?: () => void;
  readonly key?: Key;
  readonly status?: number;
}

const LIMIT = { symbol: 'BTCUSDT', side: 'BUY', type: 'LIMIT', timeInForce: 'GTC', quantity: '0.001', price: '20000' };
const MARKET = { type: 'MARKET', timeInForce: undefined, price: undefined };
const STOP = { ...MARKET, type: 'STOP_LOSS', side: 'SELL', stopPrice: '20000' };
const MAKER = { type: 'LIMIT_MAKER', timeInForce: undefined };
const ONE = { symbol: 'BTCUSDT' };
const OCO = {
  ...{ ...ONE, side: 'SELL', quantity: '0.01', aboveType: 'LIMIT_MAKER', abovePrice: '200000' },
  ...{ belowType: 'STOP_LOSS', belowStopPrice: '20000' },
};
const OTO = {
  ...{ ...ONE, workingType: 'LIMIT', workingSide: 'BUY', workingPrice: '20000', workingQuantity: '0.001' },
  ...{ workingTimeInForce: 'GTC', pendingType: 'LIMIT_MAKER', pendingSide: 'SELL', pendingQuantity: '0.001' },
};
const TRANSFER = { selfTradePreventionMode: 'TRANSFER' };
const PEG = { pegPriceType: 'PRIMARY_PEG' };
const market = () => paper.venue.engine.market('BTCUSDT');
const account = () => paper.venue.engine.account('ann');

const missing = (name: string) => `Mandatory parameter '${name}' was not sent, was empty/null, or malformed.`;
const unwanted = (name: string) => `Parameter '${name}' sent when not required.`;
const unsupported = (kind: string) => `${kind} orders are not supported for this symbol.`;
const NO_COMBINATION = 'Combination of optional parameters invalid.';
const NUMBERS = '^([0-9]{1,20})(\\.[0-9]{1,20})?$';

const ROWS: readonly Row[] = [
  { code: -1013, msg: 'Filter failure: PRICE_FILTER', order: { price: '20000.001' } },
  { code: -1013, msg: 'Filter failure: TRAILING_DELTA', order: { ...STOP, trailingDelta: '2001' } },
  {
    ...{ code: -1013, msg: 'This symbol does not allow the specified self-trade prevention mode.' },
    ...{ order: { selfTradePreventionMode: 'DECREMENT' }, given: () => (market().terms.preventions = ['NONE']) },
  },
  { code: -1014, msg: 'Unsupported order combination.', order: { timeInForce: 'IOC', icebergQty: '0.0005' } },
  {
    ...{ code: -1021, msg: 'Timestamp for this request is outside of the recvWindow.', at: 'GET account' },
    params: { timestamp: '1700000000000' },
  },
  {
    ...{ code: -1021, msg: "Timestamp for this request was 1000ms ahead of the server's time.", at: 'GET account' },
    params: { timestamp: '4000000000000' },
  },
  { code: -1022, msg: 'Signature for this request is not valid.', key: { ...ann, secret: 'wrong' }, at: 'GET account' },
  ...['1e-3', '-1', '1,5'].map((quantity) => ({
    ...{ code: -1100, msg: `Illegal characters found in parameter 'quantity'; legal range is '${NUMBERS}'.` },
    order: { quantity },
  })),
  {
    code: -1100,
    msg: "Illegal characters found in parameter 'newClientOrderId'; legal range is '^[\\.A-Z\\:/a-z0-9_-]{1,36}$'.",
    order: { newClientOrderId: '这' },
  },
  {
    ...{ code: -1101, msg: "Too many values sent for parameter 'symbols', maximum allowed up to 100." },
    ...{ at: 'GET ticker', params: { symbols: JSON.stringify(Array.from({ length: 101 }, (_, at) => `A${at}`)) } },
  },
  { code: -1101, msg: 'Duplicate values for a parameter detected.', at: 'GET depth?symbol=BTCUSDT&symbol=BTCUSDT' },
  ...['side', 'type', 'timeInForce', 'quantity', 'price'].map((name) => ({
    ...{ code: -1102, msg: missing(name), order: { [name]: undefined } },
  })),
  { code: -1102, msg: missing('quantity'), order: { ...STOP, quantity: undefined } },
  { code: -1102, msg: missing('price'), order: { ...MAKER, price: undefined } },
  { code: -1102, msg: missing('price'), order: { ...STOP, type: 'STOP_LOSS_LIMIT', timeInForce: 'GTC' } },
  {
    code: -1102,
    msg: "Param 'quantity' or 'quoteOrderQty' must be sent, but both were empty/null!",
    order: { ...MARKET, quantity: undefined },
  },
  {
    code: -1102,
    msg: "Param 'stopPrice' or 'trailingDelta' must be sent, but both were empty/null!",
    order: { ...STOP, stopPrice: undefined },
  },
  {
    code: -1102,
    msg: "Param 'origClientOrderId' or 'orderId' must be sent, but both were empty/null!",
    ...{ at: 'DELETE order', params: ONE },
  },
  {
    code: -1102,
    msg: "'recvWindow' contains unexpected value. Cannot be greater than 60000.",
    ...{ at: 'GET account', params: { recvWindow: '60001' } },
  },
  {
    code: -1104,
    msg: "Not all sent parameters were read; read '8' parameter(s) but was sent '9'.",
    order: { colour: 'blue' },
  },
  { code: -1105, msg: "Parameter 'quantity' was empty.", order: { quantity: '' } },
  ...['stopPrice', 'trailingDelta', 'quoteOrderQty'].map((name) => ({
    ...{ code: -1106, msg: unwanted(name), order: { [name]: '20' } },
  })),
  { code: -1106, msg: unwanted('price'), order: { ...MARKET, price: '20000' } },
  { code: -1106, msg: unwanted('price'), order: { ...STOP, price: '20000' } },
  { code: -1106, msg: unwanted('icebergQty'), order: { ...STOP, icebergQty: '0.0005' } },
  { code: -1108, msg: "Parameter 'strategyId' overflowed.", order: { strategyId: '99999999999999999999' } },
  { code: -1111, msg: "Parameter 'quantity' has too much precision.", order: { quantity: '0.000000001' } },
  { code: -1106, msg: unwanted('timeInForce'), order: { ...MAKER, timeInForce: 'GTC' } },
  { code: -1106, msg: unwanted('timeInForce'), order: { ...STOP, timeInForce: 'GTC' } },
  { code: -1106, msg: unwanted('timeInForce'), order: { ...MARKET, timeInForce: 'GTC' } },
  { code: -1115, msg: 'Invalid timeInForce.', order: { timeInForce: 'NOW' } },
  { code: -1116, msg: 'Invalid orderType.', order: { type: 'MAGIC' } },
  { code: -1117, msg: 'Invalid side.', order: { side: 'HOLD' } },
  { code: -1120, msg: 'Invalid interval.', at: 'GET klines', params: { ...ONE, interval: '7m' } },
  { code: -1120, msg: 'Invalid interval.', at: 'GET klines', params: { ...ONE, interval: '1s' } },
  { code: -1121, msg: 'Invalid symbol.', order: { symbol: 'NOPE' } },
  { code: -1122, msg: 'Invalid symbolStatus.', at: 'GET exchangeInfo', params: { symbolStatus: 'ASLEEP' } },
  {
    ...{ code: -1127, msg: 'More than 24 hours between startTime and endTime.', at: 'GET myTrades' },
    params: { ...ONE, startTime: '1700000000000', endTime: '1700086400001' },
  },
  {
    code: -1128,
    msg: NO_COMBINATION,
    at: 'GET myTrades',
    params: { ...ONE, orderId: '1', startTime: '1700000000000' },
  },
  {
    ...{ code: -1130, msg: "Data sent for parameter 'selfTradePreventionMode' is not valid." },
    order: { selfTradePreventionMode: 'ALWAYS' },
  },
  { code: -1134, msg: 'strategyType was less than 1000000.', order: { strategyType: '999999' } },
  { code: -1139, msg: 'Invalid ticker type.', at: 'GET ticker/24hr', params: { ...ONE, type: 'HUGE' } },
  {
    ...{ code: -1145, msg: 'Invalid cancelRestrictions' },
    ...{ at: 'DELETE order', params: { ...ONE, orderId: '1', cancelRestrictions: 'ONLY_OLD' } },
  },
  {
    ...{ code: -1151, msg: 'Symbol is present multiple times in the list.', at: 'GET ticker/price' },
    params: { symbols: '["BTCUSDT","BTCUSDT"]' },
  },
  {
    code: -1158,
    msg: 'Order type not supported in OCO.',
    at: 'POST orderList/oco',
    params: { ...OCO, belowType: 'LIMIT' },
  },
  {
    code: -1160,
    msg: "Parameter 'belowIcebergQty' is not supported if `aboveTimeInForce`/`belowTimeInForce` is not GTC.",
    at: 'POST orderList/oco',
    params: {
      ...OCO,
      belowType: 'STOP_LOSS_LIMIT',
      belowPrice: '19000',
      belowTimeInForce: 'IOC',
      belowIcebergQty: '0.001',
    },
  },
  {
    ...{ code: -1168, msg: 'At least one OCO order must be contingent.', at: 'POST orderList/oco' },
    params: { ...OCO, belowType: 'LIMIT_MAKER', side: 'SELL', aboveType: 'LIMIT_MAKER' },
  },
  {
    code: -1220,
    msg: "The symbol's status does not match the requested symbolStatus.",
    at: 'GET depth',
    params: { ...ONE, symbolStatus: 'HALT' },
  },
  { code: -2010, msg: 'Account has insufficient balance for requested action.', order: { quantity: '1' } },
  { code: -2010, msg: 'Market is closed.', order: {}, given: () => (market().status = 'HALT') },
  { code: -2010, msg: 'Order would trigger immediately.', order: { ...STOP, stopPrice: '100000' } },
  { code: -2010, msg: 'Order would immediately match and take.', order: { ...MAKER, price: '100000' } },
  { code: -2010, msg: 'Price * QTY is zero or less.', order: { symbol: 'LTCBTC', price: '0.000001' } },
  { code: -2010, msg: 'IcebergQty exceeds QTY.', order: { icebergQty: '0.002' } },
  {
    ...{ code: -2010, msg: 'The relationship of the prices for the orders is not correct.', at: 'POST orderList/oco' },
    params: { ...OCO, abovePrice: '20001' },
  },
  {
    ...{ code: -2010, msg: 'Order book liquidity is less than symbol minimum quantity.' },
    ...{ order: { ...MARKET, quantity: undefined, quoteOrderQty: '20' }, given: () => (market().quote = undefined) },
  },
  { code: -2010, msg: unsupported('Market'), order: MARKET, lacks: 'MARKET' },
  { code: -2010, msg: unsupported('Stop loss'), order: STOP, lacks: 'STOP_LOSS' },
  ...(['STOP_LOSS_LIMIT', 'TAKE_PROFIT', 'TAKE_PROFIT_LIMIT'] as const).map((type) => ({
    ...{
      code: -2010,
      msg: unsupported(type.charAt(0) + type.slice(1).toLowerCase().replaceAll('_', ' ')),
      lacks: type,
    },
    order: { ...STOP, type, ...(type.endsWith('LIMIT') ? { price: '20000', timeInForce: 'GTC' } : {}) },
  })),
  { code: -2010, msg: unsupported('Iceberg'), order: { icebergQty: '0.0005' }, lacks: 'icebergAllowed' },
  {
    code: -2010,
    msg: unsupported('Trailing stop'),
    order: { ...STOP, trailingDelta: '100' },
    lacks: 'allowTrailingStop',
  },
  {
    ...{ code: -2010, msg: 'Quote order qty market orders are not support for this symbol.' },
    ...{ order: { ...MARKET, quantity: undefined, quoteOrderQty: '20' }, lacks: 'quoteOrderQtyMarketAllowed' },
  },
  {
    ...{ code: -2010, msg: 'OCO orders are not supported for this symbol', at: 'POST orderList/oco', params: OCO },
    lacks: 'ocoAllowed',
  },
  {
    ...{ code: -2010, msg: 'Order cancel-replace is not supported for this symbol.', at: 'POST order/cancelReplace' },
    params: { ...LIMIT, cancelReplaceMode: 'STOP_ON_FAILURE', cancelOrderId: '1' },
    lacks: 'cancelReplaceAllowed',
  },
  {
    ...{ code: -2010, msg: 'This symbol is not permitted for this account.', order: {} },
    given: () => (market().terms.permissions = ['MARGIN']),
  },
  {
    ...{ code: -2010, msg: 'This symbol is restricted for this account.', order: {} },
    given: () => (account().restrictedSymbols = ['BTCUSDT']),
  },
  {
    ...{ code: -2010, msg: 'This account may not place or cancel orders.', order: {} },
    given: () => (account().canTrade = false),
  },
  {
    ...{ code: -2011, msg: 'This account may not place or cancel orders.', at: 'DELETE order' },
    ...{ params: { ...ONE, orderId: '1' }, given: () => (account().canTrade = false) },
  },
  { code: -2011, msg: 'Unknown order sent.', at: 'DELETE order', params: { ...ONE, orderId: '99' } },
  { code: -2011, msg: 'Unknown order sent.', at: 'DELETE openOrders', params: { symbol: 'ETHUSDT' } },
  { code: -2013, msg: 'Order does not exist.', at: 'GET order', params: { ...ONE, orderId: '99' } },
  {
    code: -2014,
    msg: 'API-key format invalid.',
    key: { apiKey: 'no key!', secret: 'x' },
    at: 'GET account',
    status: 401,
  },
  ...[
    { at: 'GET account', key: { apiKey: 'unknown', secret: 'x' } },
    { order: {}, key: { apiKey: 'reader-key', secret: 'x' } },
  ].map((row) => ({ code: -2015, msg: 'Invalid API-key, IP, or permissions for action.', status: 401, ...row })),
  {
    ...{ code: -2043, msg: "This symbol doesn't have a reference price.", at: 'GET referencePrice', params: ONE },
    given: () => (market().terms.reference = { kind: 'none' }),
  },
];

/** Features of the real exchange that the paper exchange does not have. Each is refused with a message. */
const UNSUPPORTED: readonly Row[] = [
  ...[
    { at: 'POST sor/order', params: LIMIT, what: 'smart order routing' },
    { at: 'POST sor/order/test', params: LIMIT, what: 'smart order routing' },
    { at: 'GET myAllocations', params: ONE, what: 'smart order routing' },
    { at: 'POST orderList/opo', params: OTO, what: 'OPO lists' },
    { at: 'POST orderList/opoco', params: OTO, what: 'OPOCO lists' },
    { at: 'PUT order/amend/keepPriority', params: { ...ONE, orderId: '1', newQty: '1' }, what: 'amending of orders' },
    { at: 'GET order/amendments', params: { ...ONE, orderId: '1' }, what: 'amending of orders' },
  ].map(({ what, ...row }) => ({
    ...{ code: -1020, msg: `This operation is not supported: the paper exchange has no ${what}.`, ...row },
  })),
  ...[
    { order: PEG },
    { order: { ...PEG, price: undefined, pegOffsetType: 'PRICE_LEVEL', pegOffsetValue: '1' } },
    { order: { pegOffsetValue: '1' } },
    { order: { ...MARKET, ...PEG } },
    { at: 'POST order/test', params: { ...LIMIT, ...PEG } },
    {
      at: 'POST order/cancelReplace',
      params: { ...LIMIT, ...PEG, cancelReplaceMode: 'ALLOW_FAILURE', cancelOrderId: '1' },
    },
    { at: 'POST orderList/oco', params: { ...OCO, abovePegPriceType: 'PRIMARY_PEG' } },
    { at: 'POST orderList/oto', params: { ...OTO, pendingPrice: '200000', pendingPegPriceType: 'PRIMARY_PEG' } },
  ].map((row) => ({ code: -2010, msg: 'Pegged orders are not supported by the paper exchange.', ...row })),
  ...[{ order: TRANSFER }, { at: 'POST orderList/oco', params: { ...OCO, ...TRANSFER } }].map((row) => ({
    ...{ code: -1013, msg: 'The self-trade prevention mode TRANSFER is not supported by the paper exchange.', ...row },
  })),
];

const PUBLIC = /^GET (klines|depth|exchangeInfo|ticker|referencePrice)/;

for (const row of [...ROWS, ...UNSUPPORTED]) {
  test(`${row.code} ${row.msg} (${row.at ?? JSON.stringify(row.order)})`, async () => {
    const { terms, quote } = market();
    row.given?.();
    if (row.lacks !== undefined) terms.lacks = [row.lacks];
    const [method, path] = (row.at ?? 'POST order').split(' ');
    const params = row.order === undefined ? row.params : { ...LIMIT, ...row.order };
    const sent = Object.entries(params ?? {}).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const key = PUBLIC.test(row.at ?? '') ? undefined : (row.key ?? ann);
    const answer = await clientOf(paper.url)(`${method} /api/v3/${path}`, Object.fromEntries(sent), key);
    Object.assign(terms, openTerms());
    Object.assign(market(), { status: 'TRADING', quote });
    Object.assign(account(), { canTrade: true, restrictedSymbols: [] });
    assert.deepEqual([answer.status, answer.body], [row.status ?? 400, { code: row.code, msg: row.msg }]);
    assert.equal(paper.venue.engine.orders.byId.size, 0, 'a refusal leaves no trace');
  });
}

test('exchangeInfo and the account show unsupported features', async () => {
  const send = clientOf(paper.url);
  const { body } = await send('GET /api/v3/exchangeInfo', ONE);
  assert.equal(pick(body, 'sors'), undefined);
  for (const field of ['opoAllowed', 'amendAllowed', 'pegInstructionsAllowed'])
    assert.equal(pick(body, `symbols.0.${field}`), false, field);
  const modes = ['NONE', 'EXPIRE_TAKER', 'EXPIRE_MAKER', 'EXPIRE_BOTH', 'DECREMENT'];
  assert.deepEqual(pick(body, 'symbols.0.allowedSelfTradePreventionModes'), modes);
  assert.equal(pick((await send('GET /api/v3/account', {}, ann)).body, 'preventSor'), true);
});

for (const [status, code, msg] of [
  [500, -1000, 'An unknown error occurred while processing the request.'],
  [500, -1001, 'Internal error; unable to process your request. Please try again.'],
  [503, -1006, 'An unexpected response was received from the message bus. Execution status unknown.'],
  [504, -1007, 'Timeout waiting for response from backend server. Send status unknown; execution status unknown.'],
  [503, -1008, 'Server is currently overloaded with other requests. Please try again in a few minutes.'],
] as const) {
  test(`${code} ${msg} (test control)`, async () => {
    const match = { method: 'POST', path: '/api/v3/order' };
    const fault = [{ match, kind: 'fail-before', status, body: { code, msg } }];
    await control(paper, 'POST /faults', fault);
    const answer = await clientOf(paper.url)('POST /api/v3/order', LIMIT, ann);
    assert.deepEqual([answer.status, answer.body], [status, { code, msg }]);
  });
}
