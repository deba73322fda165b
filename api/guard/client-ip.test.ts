import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientIp, networkOf } from './client-ip.ts';

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

const networks: readonly (readonly [string, readonly string[]])[] = [
  [
    '203.0.113.9',
    ['203.0.113.9', '203.0.113.9:51034', '::ffff:203.0.113.9', '[::ffff:203.0.113.9]:443', '::ffff:cb00:7109'],
  ],
  ['2001:db8:1:1::/64', ['2001:db8:1:1::5', '2001:DB8:1:1:ffff::1', '[2001:db8:1:1::6]:51034', '2001:db8:1:1::7%eth0']],
  ['2001:db8:0:0::/64', ['2001:db8::1', '2001:db8::ffff:1:2:3']],
  ['fe80:0:0:0::/64', ['fe80::1%eth0']],
  ['unknown', ['unknown']],
  ['no address', ['no address']],
];
for (const [network, addresses] of networks) {
  test(`a throttle counts as one: ${addresses.join(', ')}`, () => {
    assert.deepEqual(
      addresses.map(networkOf),
      addresses.map(() => network),
    );
  });
}
