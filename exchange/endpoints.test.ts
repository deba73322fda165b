import assert from 'node:assert/strict';
import test from 'node:test';
import { EnvironmentError, parseEnvironment } from '#core/installation/env.ts';
import { endpointsOf } from './endpoints.ts';

const env = (extra: Record<string, string> = {}) =>
  parseEnvironment({ DATABASE_URL: 'postgres://localhost/tradewind', ...extra });

test('every venue has separate addresses', () => {
  assert.deepEqual(endpointsOf('live', env()), {
    restUrl: 'https://api.binance.com',
    streamUrl: 'wss://stream.binance.com:9443',
    wsApiUrl: 'wss://ws-api.binance.com:443/ws-api/v3',
  });
  assert.equal(endpointsOf('testnet', env()).restUrl, 'https://testnet.binance.vision');
  assert.equal(endpointsOf('demo', env()).wsApiUrl, 'wss://demo-ws-api.binance.com/ws-api/v3');
});

test('the environment overrides single addresses', () => {
  const live = endpointsOf(
    'live',
    env({ LIVE_REST_URL: 'http://127.0.0.1:18080/', LIVE_STREAM_URL: 'ws://127.0.0.1:1' }),
  );
  assert.deepEqual(live, {
    restUrl: 'http://127.0.0.1:18080',
    streamUrl: 'ws://127.0.0.1:1',
    wsApiUrl: 'wss://ws-api.binance.com:443/ws-api/v3',
  });
});

test('the paper exchange serves everything on one host', () => {
  assert.deepEqual(endpointsOf('paper', env({ PAPER_URL: 'http://127.0.0.1:18080/' })), {
    restUrl: 'http://127.0.0.1:18080',
    streamUrl: 'ws://127.0.0.1:18080',
    wsApiUrl: 'ws://127.0.0.1:18080/ws-api/v3',
  });
  assert.equal(endpointsOf('paper', env({ PAPER_URL: 'https://paper' })).streamUrl, 'wss://paper');
});

test('the paper exchange without an address is a sentence', () => {
  assert.throws(
    () => endpointsOf('paper', env()),
    (error) => error instanceof EnvironmentError && /PAPER_URL/.test(error.message),
  );
});
