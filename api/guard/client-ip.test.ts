import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientIp } from './client-ip.ts';

const ipOf = (...lines: [string, string][]): string => {
  const headers = new Headers();
  for (const [name, value] of lines) headers.append(name, value);
  return clientIp(headers);
};

test('the rightmost forwarded hop counts, whatever the client wrote to its left', () => {
  assert.equal(ipOf(['X-Forwarded-For', '6.6.6.6, 203.0.113.9']), '203.0.113.9');
  assert.equal(ipOf(['X-Forwarded-For', '203.0.113.9']), '203.0.113.9');
});

test('several header lines are one list', () => {
  assert.equal(ipOf(['X-Forwarded-For', '6.6.6.6'], ['X-Forwarded-For', '7.7.7.7 , 203.0.113.9 ']), '203.0.113.9');
});

test('without hops X-Real-IP counts, without both it is unknown', () => {
  assert.equal(ipOf(['X-Real-IP', '198.51.100.4']), '198.51.100.4');
  assert.equal(ipOf(['X-Forwarded-For', ' , '], ['X-Real-IP', '198.51.100.4']), '198.51.100.4');
  assert.equal(ipOf(), 'unknown');
  assert.equal(ipOf(['X-Real-IP', '  ']), 'unknown');
});
