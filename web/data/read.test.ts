import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { OPERATIONS } from '#api/contract/contract.ts';
import { listCoins, readCoin } from '#api/contract/profiles.ts';
import { listLogs } from '#api/contract/records.ts';
import { idIn, keyOf, useReads } from './read.ts';

test('every operation has its own key', () => {
  const keys = new Set(OPERATIONS.map((op) => hashKey(keyOf(op))));
  assert.equal(keys.size, OPERATIONS.length);
});

test('the key of an operation matches its answers for all parts', () => {
  const client = new QueryClient();
  client.setQueryData(keyOf(readCoin, { params: { id: 'a', symbol: 'BTCUSDT' } }), 1);
  client.setQueryData(keyOf(readCoin, { params: { id: 'b', symbol: 'ETHUSDT' } }), 2);
  client.setQueryData(keyOf(listCoins, { params: { id: 'a' } }), 3);
  assert.deepEqual(
    client.getQueriesData({ queryKey: keyOf(readCoin) }).map(([, data]) => data),
    [1, 2],
  );
});

test('a key with one profile matches its logs with every filter, page by page too', () => {
  const client = new QueryClient();
  client.setQueryData(keyOf(listLogs, { params: { id: 'a' }, query: { symbol: 'BTCUSDT' } }), 1);
  client.setQueryData([...keyOf(listLogs, { params: { id: 'a' }, query: { limit: 15 } }), 'pages'], 2);
  client.setQueryData(keyOf(listLogs, { params: { id: 'b' } }), 3);
  assert.deepEqual(
    client.getQueriesData({ queryKey: keyOf(listLogs, { params: { id: 'a' } }) }).map(([, data]) => data),
    [1, 2],
  );
});

test('the id of a key is its path parameter', () => {
  assert.equal(idIn(keyOf(readCoin, { params: { id: 'a', symbol: 'BTCUSDT' } })), 'a');
  assert.equal(idIn(keyOf(listCoins)), '');
});

test('a list of no parts has its data at once, and a time that can be shown', () => {
  const Parts = (): string => {
    const { data, error, dataUpdatedAt } = useReads(readCoin, []);
    return JSON.stringify({ data, error, at: new Date(dataUpdatedAt).toISOString() });
  };
  const page = createElement(QueryClientProvider, { client: new QueryClient() }, createElement(Parts));
  const shown = renderToStaticMarkup(page).replaceAll('&quot;', '"');
  assert.deepEqual(JSON.parse(shown), { data: [], error: null, at: '1970-01-01T00:00:00.000Z' });
});
