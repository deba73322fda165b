import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import { readDecimal } from '#core/amount/decimal.ts';
import { readExactJson } from '#exchange/json.ts';
import { parseAccount } from '#exchange/parse/account.ts';
import { parseCandles } from '#exchange/parse/candles.ts';
import { parseOrder, parseOrders, parsePlacement, parseTrades } from '#exchange/parse/orders.ts';
import { parseExchangeInfo } from '#exchange/parse/rules.ts';
import { readUserEvent } from '#exchange/parse/user-events.ts';

const folder = join(import.meta.dirname, '../../../shared/data');
const skip = existsSync(folder) ? false : `needs recorded replies of the exchange in ${folder}, and there are none`;

const read = (...path: string[]): unknown => readExactJson(readFileSync(join(folder, ...path), 'utf8'));
const reply = (name: string): unknown => read('payloads', 'nautilus', 'http', `${name}_response.json`);

const recorded = z.object({
  symbols: z.array(
    z.object({
      symbol: z.string(),
      status: z.string(),
      baseAsset: z.string(),
      quoteAsset: z.string(),
      orderTypes: z.array(z.string()),
      permissionSets: z.array(z.array(z.string())).optional(),
      isSpotTradingAllowed: z.boolean().default(true),
      filters: z.array(z.record(z.string(), z.unknown())),
    }),
  ),
});

test('every spot coin of the recorded exchange information keeps its rules to the last digit', { skip }, () => {
  const files = readdirSync(join(folder, 'exchange-info'));
  assert.ok(files.length > 0);
  for (const file of files) {
    const body = readExactJson(gunzipSync(readFileSync(join(folder, 'exchange-info', file))).toString());
    const spot = recorded.parse(body).symbols.filter((entry) => entry.isSpotTradingAllowed);
    const { symbols, limits } = parseExchangeInfo(body);
    assert.deepEqual(
      symbols.map(({ symbol }) => symbol),
      spot.map(({ symbol }) => symbol),
    );
    assert.ok(spot.length > 100, file);
    for (const [index, entry] of spot.entries()) {
      const { filters, symbol, status, baseAsset, quoteAsset, orderTypes, permissionSets } = entry;
      const rules = symbols[index];
      const flag = (type: string, name: string) => filters.find(({ filterType }) => filterType === type)?.[name];
      const field = (type: string, name: string) => {
        const value = filters.find(({ filterType }) => filterType === type)?.[name];
        return typeof value === 'string' ? readDecimal(value) : undefined;
      };
      assert.ok(rules !== undefined);
      const lot = (type: string) => ({
        step: field(type, 'stepSize') ?? 0n,
        min: field(type, 'minQty') ?? 0n,
        max: field(type, 'maxQty') ?? 0n,
      });
      const named = (part: string) =>
        field('PERCENT_PRICE_BY_SIDE', part) ?? field('PERCENT_PRICE', `m${part.slice(4)}`);
      const expected = {
        ...{ symbol, status, baseAsset, quoteAsset, orderTypes, permissionSets: permissionSets ?? [] },
        price: {
          tick: field('PRICE_FILTER', 'tickSize'),
          min: field('PRICE_FILTER', 'minPrice'),
          max: field('PRICE_FILTER', 'maxPrice'),
        },
        ...{ lot: lot('LOT_SIZE'), marketLot: lot('MARKET_LOT_SIZE') },
        notional: {
          min: field('NOTIONAL', 'minNotional') ?? field('MIN_NOTIONAL', 'minNotional'),
          max: field('NOTIONAL', 'maxNotional') ?? 0n,
          minAppliesToMarket: flag('NOTIONAL', 'applyMinToMarket') ?? flag('MIN_NOTIONAL', 'applyToMarket'),
        },
        band: {
          bidUp: named('bidMultiplierUp'),
          bidDown: named('bidMultiplierDown'),
          askUp: named('askMultiplierUp'),
          askDown: named('askMultiplierDown'),
        },
      };
      for (const [part, value] of Object.entries(expected))
        assert.deepEqual(Reflect.get(rules, part), value, `${part} of ${symbol}`);
    }
    assert.ok((limits.weight?.limit ?? 0) >= 1_200 && limits.orders.length > 0, JSON.stringify(limits));
  }
});

test('recorded replies about orders, trades, candles and the account are understood', { skip }, () => {
  const placed = parsePlacement(reply('new_order_full'));
  assert.ok(placed.fills.length > 0);
  assert.ok(parseOrder(reply('order')).exchangeOrderId !== '');
  assert.ok(parseOrder(reply('cancel_order')).clientOrderId !== '');
  assert.ok(parseOrders(reply('open_orders')).orders.length > 0);
  assert.ok(parseOrders(reply('all_orders')).orders.length > 0);
  const trades = parseTrades(reply('account_trades'));
  assert.ok(trades.length > 0 && trades.every(({ quantity, price }) => quantity > 0n && price > 0n));
  const candles = parseCandles(reply('klines'), '1m', Number.MAX_SAFE_INTEGER);
  assert.ok(candles.length > 0 && candles.every(({ high, low }) => high >= low));
  assert.ok(Object.keys(parseAccount(reply('account')).balances).length > 0);
});

test('recorded user events are told or passed by, and none is unreadable', { skip }, () => {
  const events = join(folder, 'payloads', 'nautilus', 'user_data');
  const kinds = new Map(
    readdirSync(events).map((file) => {
      const body = read('payloads', 'nautilus', 'user_data', file);
      const event = typeof body === 'object' && body !== null && 'event' in body ? body.event : body;
      return [file, readUserEvent(event, new Date(0)).kind];
    }),
  );
  assert.ok(kinds.size > 0);
  for (const [file, kind] of kinds) {
    const expected = /execution_report/.test(file) ? 'event' : /account_position/.test(file) ? 'balances' : 'other';
    assert.equal(kind, expected, file);
  }
});
