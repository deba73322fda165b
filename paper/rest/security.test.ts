import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { type Key, signText } from '#test/paper/client.ts';
import { parseParams, readSymbol } from './params.ts';
import { RefusedError } from '#paper/exchange/refusal.ts';
import { requireAccount } from './security.ts';
import { signedText } from './signatures.ts';

const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
const accounts = parseAccounts([{ name: 'ann', ...ann }]);
const NOW_MS = 1_772_496_000_000;
const UNICODE = '这是测试币456';

interface Sent {
  readonly query?: string;
  readonly body?: string;
  readonly timestamp?: string;
  readonly signed?: (signature: string) => string;
}

/** The coin of a signed request, or the code of its refusal. */
function answerTo({
  query = '',
  body = '',
  timestamp = String(NOW_MS),
  signed = (text: string) => text,
}: Sent): string {
  const rawBody = `timestamp=${timestamp}${body}`;
  const signature = encodeURIComponent(signed(signText(ann, query + rawBody)));
  const rawQuery = `signature=${signature}&${query}`;
  try {
    const params = parseParams(rawQuery, rawBody);
    const text = signedText(rawQuery, rawBody);
    const request = { accounts, apiKey: ann.apiKey, ip: '127.0.0.1', security: 'trade', nowMs: NOW_MS } as const;
    requireAccount({ ...request, params, text });
    return readSymbol(params) ?? 'no coin';
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    return `${error.refusal.code} ${error.refusal.message}`;
  }
}

const OUTSIDE = '-1021 Timestamp for this request is outside of the recvWindow.';
const LOWER = "-1100 Illegal characters found in parameter 'symbol'; legal range is '^[\\w\\-._&&[^a-z]]{1,50}$'.";
const UNSIGNED = '-1022 Signature for this request is not valid.';
const TOO_WIDE = "-1102 'recvWindow' contains unexpected value. Cannot be greater than 60000.";
for (const [name, sent, answer] of [
  ['in the query', { query: 'symbol=BTCUSDT' }, 'BTCUSDT'],
  ['in the body', { body: '&symbol=BTCUSDT' }, 'BTCUSDT'],
  ['an upper-case signature', { query: 'symbol=A', signed: (text) => text.toUpperCase() }, 'A'],
  ['a signature with a byte swapped', { signed: (text) => `${text.slice(1)}${text.charAt(0)}` }, UNSIGNED],
  ['a name in query and body', { query: 'symbol=A', body: '&symbol=B' }, 'A'],
  ['another script', { query: `symbol=${encodeURIComponent(UNICODE)}` }, UNICODE],
  ['small letters', { query: 'symbol=btcusdt' }, LOWER],
  ['microseconds', { query: 'symbol=A', timestamp: `${NOW_MS}999` }, 'A'],
  ['999 ms ahead', { query: 'symbol=A', timestamp: String(NOW_MS + 999) }, 'A'],
  ['half a millisecond of room', { query: 'symbol=A&recvWindow=0.5' }, 'A'],
  ['half a millisecond, used', { query: 'symbol=A&recvWindow=0.5', timestamp: `${NOW_MS - 1}500` }, 'A'],
  ['half a millisecond, missed', { query: 'recvWindow=0.5', timestamp: `${NOW_MS - 1}499` }, OUTSIDE],
  ['a minute, used', { query: 'symbol=A&recvWindow=60000', timestamp: String(NOW_MS - 60_000) }, 'A'],
  ['a minute, missed', { query: 'recvWindow=60000', timestamp: String(NOW_MS - 60_001) }, OUTSIDE],
  ['more than a minute', { query: 'recvWindow=60000.001' }, TOO_WIDE],
] satisfies [string, Sent, string][])
  test(`a signed request: ${name}`, () => assert.equal(answerTo(sent), answer));
