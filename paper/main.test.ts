import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { clientOf, type Key, pick } from '#test/paper/client.ts';

const folder = mkdtempSync(join(tmpdir(), 'paper-main-'));
after(() => rmSync(folder, { recursive: true }));
const accountsFile = join(folder, 'accounts.json');
const ann: Key = { apiKey: 'ann-key', secret: 'ann-secret' };
writeFileSync(accountsFile, JSON.stringify([{ name: 'ann', ...ann, balances: { USDT: '10000' } }]));

function run(...args: string[]): ChildProcess {
  const main = join(import.meta.dirname, 'main.ts');
  return spawn(process.execPath, [main, '--port', '0', '--control-port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (child.stdout === null) throw new Error('stdout is piped');
  for await (const line of createInterface({ input: child.stdout })) {
    const ready: unknown = JSON.parse(line);
    assert.equal(pick(ready, 'ready'), true);
    return String(pick(ready, 'rest'));
  }
  throw new Error('the paper exchange ended before it was ready');
}

async function kill(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  const ended = once(child, 'exit');
  child.kill(signal);
  await ended;
}

test('after kill -9 orders, balances, trades and ids are still there and ids keep rising', async () => {
  const data = join(folder, 'data');
  const first = run('--accounts', accountsFile, '--data-dir', data);
  let url = await readyUrl(first);
  const base = { symbol: 'BTCUSDT', side: 'BUY' };
  const bought = await clientOf(url)('POST /api/v3/order', { ...base, type: 'MARKET', quoteOrderQty: '1000' }, ann);
  const resting = {
    ...base,
    type: 'LIMIT',
    timeInForce: 'GTC',
    quantity: '0.001',
    price: '20000',
    newClientOrderId: 'rest',
  };
  const placed = await clientOf(url)('POST /api/v3/order', resting, ann);
  assert.deepEqual([pick(bought.body, 'status'), pick(placed.body, 'status')], ['FILLED', 'NEW']);
  const seen = async () => {
    const paths = ['GET /api/v3/allOrders', 'GET /api/v3/myTrades', 'GET /api/v3/openOrders'];
    const lists = await Promise.all(paths.map((path) => clientOf(url)(path, { symbol: 'BTCUSDT' }, ann)));
    const account = await clientOf(url)('GET /api/v3/account', {}, ann);
    return [...lists.map((answer) => answer.body), pick(account.body, 'balances')];
  };
  const before = await seen();
  await kill(first, 'SIGKILL');

  const second = run('--accounts', accountsFile, '--data-dir', data);
  url = await readyUrl(second);
  assert.deepEqual(await seen(), before);
  const next = await clientOf(url)('POST /api/v3/order', { ...base, type: 'MARKET', quoteOrderQty: '10' }, ann);
  assert.ok(Number(pick(next.body, 'orderId')) > Number(pick(placed.body, 'orderId')));
  assert.ok(Number(pick(next.body, 'fills.0.tradeId')) > Number(pick(bought.body, 'fills.0.tradeId')));
  await kill(second, 'SIGTERM');
  assert.equal(second.exitCode, 0);
});

test('a replay continues where it stopped', async () => {
  const candles = join(folder, 'candles');
  const data = join(folder, 'replay-data');
  const start = Date.UTC(2022, 5, 1);
  const rows = Array.from({ length: 3000 }, (_, i) => `${start + i * 60_000},100,101,99,100,5`);
  mkdirSync(candles);
  writeFileSync(join(candles, 'BTCUSDT-1m.csv'), `openTime,open,high,low,close,volume\n${rows.join('\n')}\n`);
  const args = [
    '--accounts',
    accountsFile,
    '--data-dir',
    data,
    '--source',
    `replay:${candles}`,
    '--from',
    '2022-06-01T01:00:00Z',
    '--speed',
    '6000',
  ];
  const marketTime = async (url: string) => Number(pick((await clientOf(url)('GET /api/v3/time')).body, 'marketTime'));
  const first = run(...args);
  const firstUrl = await readyUrl(first);
  while ((await marketTime(firstUrl)) < start + 2 * 3_600_000) await delay(20);
  const reached = await marketTime(firstUrl);
  await kill(first, 'SIGTERM');
  const second = run(...args);
  const resumed = await marketTime(await readyUrl(second));
  await kill(second, 'SIGTERM');
  assert.ok(resumed >= reached - 6000 * 50 * 2, `${resumed} continues ${reached}`);
});

test('with a certificate it speaks TLS', async (context) => {
  const [cert, key] = ['cert.pem', 'key.pem'].map((name) => join(folder, name));
  const made = spawnSync('openssl', [
    ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '1'],
    ...['-subj', '/CN=127.0.0.1', '-addext', 'subjectAltName=IP:127.0.0.1', '-out', cert ?? '', '-keyout', key ?? ''],
  ]);
  if (made.status !== 0) return context.skip('there is no openssl on this machine to make a certificate with');
  const child = run('--accounts', accountsFile, '--tls-cert', cert ?? '', '--tls-key', key ?? '');
  const url = await readyUrl(child);
  assert.match(url, /^https:/);
  const ca = readFileSync(cert ?? '');
  const [answer]: IncomingMessage[] = await once(get(`${url}/api/v3/ping`, { ca }), 'response');
  assert.equal(answer?.statusCode, 200);
  answer?.resume();
  const socket = new WebSocket(`${url.replace('https', 'wss')}/ws/btcusdt@trade`, { ca });
  await once(socket, 'open');
  socket.terminate();
  await kill(child, 'SIGTERM');
});

const broken = join(folder, 'broken.json');
writeFileSync(broken, '[{"name":"a"}]');
for (const { name, args, expected } of [
  { name: 'no accounts', args: [], expected: '--accounts is missing' },
  {
    name: 'a broken accounts file',
    args: ['--accounts', broken],
    expected: `The accounts file ${broken} is broken at 0.apiKey`,
  },
  { name: 'an unknown source', args: ['--accounts', accountsFile, '--source', 'tea'], expected: '--source is "tea"' },
  {
    name: 'a missing candle folder',
    args: ['--accounts', accountsFile, '--source', 'replay:/no/such/folder'],
    expected: 'The candle folder /no/such/folder cannot be read',
  },
  {
    name: 'an unwritable data folder',
    args: ['--accounts', accountsFile, '--data-dir', '/dev/null/x'],
    expected: 'cannot write to its data folder /dev/null/x',
  },
  { name: 'an unknown profile', args: ['--accounts', accountsFile, '--profile', 'x'], expected: '--profile is "x"' },
  {
    name: 'a relay with a virtual clock',
    args: ['--accounts', accountsFile, '--source', 'relay:live', '--clock', 'virtual:2022-06-01'],
    expected: '--source relay follows the current market',
  },
  { name: 'a key alone', args: ['--accounts', accountsFile, '--tls-key', 'x'], expected: '--tls-cert and --tls-key' },
  {
    name: 'no certificate',
    args: ['--accounts', accountsFile, '--tls-cert', broken, '--tls-key', broken],
    expected: 'The certificate of --tls-cert',
  },
  { name: 'a bad number', args: ['--accounts', accountsFile, '--speed', 'fast'], expected: '--speed is "fast"' },
]) {
  test(`${name}: one sentence and exit code 78`, async () => {
    const child = run(...args);
    let text = '';
    child.stderr?.on('data', (chunk) => {
      text += String(chunk);
    });
    const [code] = await once(child, 'close');
    assert.equal(code, 78);
    assert.ok(text.startsWith(expected) || text.includes(expected), text);
    assert.equal(text.trim().split('\n').length, 1, text);
  });
}
