import assert from 'node:assert/strict';
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { listAccountOrders } from '#api/contract/account-state.ts';
import { createAccount, listAccounts } from '#api/contract/accounts.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { signUp } from '#api/contract/session.ts';
import { createInlet, listSignals } from '#api/contract/signals.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { isOpen } from '#paper/exchange/order.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { type ApiClient, createClient } from '#test/flow/client.ts';
import { CREDENTIALS, KEY } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';
import { noDiskReason, smallDisk } from './small-disk.ts';
import { Trial } from './trial.ts';

const skip = noDiskReason();
if (skip !== false) console.log(`﹣ a disk that becomes full while trading: ${skip}, so it is not tested here`);

const SYMBOL = 'BTCUSDT';

const openPaper = (): Promise<PaperExchange> =>
  startPaper({
    ...{ source: { kind: 'synthetic' }, speed: 1, clock: { kind: 'real' }, port: 0, controlPort: 0 },
    accounts: parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '10000' } }], 'The accounts of the test'),
  });

/** Fills the disk of a file to its last block. */
function fill(path: string): void {
  const file = openSync(path, 'w');
  for (const size of [1 << 20, 4096]) {
    const block = Buffer.alloc(size);
    assert.throws(() => {
      for (;;) writeSync(file, block);
    }, /ENOSPC/);
  }
  closeSync(file);
}

/** A profile that trades by signals, and a function that sends one and waits for its end. */
async function followSignals(url: string, client: ApiClient) {
  const [account] = (await client.call(listAccounts, {})).accounts;
  assert.ok(account !== undefined);
  const config = { entrySizing: { mode: 'fixed', amount: '50' }, stopLossPercentage: '0.9', lossCooldownMinutes: 0 };
  const own = { accountId: account.id, name: 'Charts', strategyName: 'signal', config, enabled: true };
  const { id } = (await client.call(createProfile, { body: { ...own, symbols: [SYMBOL] } })).profile;
  const inlet = await client.call(createInlet, { params: { id }, body: { name: 'Charts', maxAgeSeconds: 300 } });
  const signal = async (key: string, action: string): Promise<string | null> => {
    const body = { secret: inlet.secret, action, symbol: SYMBOL, time: new Date().toISOString(), id: key };
    await until(`the signal ${key} to be received`, async () => {
      const { status } = await fetch(`${url}${inlet.path}`, { method: 'POST', body: JSON.stringify(body) });
      return status === 202 || status === 200;
    });
    return until(`the end of signal ${key}`, async () => {
      const { signals } = await client.call(listSignals, { params: { id }, query: { limit: '100' } });
      const row = signals.find((signal) => signal.key === key);
      return row !== undefined && row.state !== 'pending' && `${row.state} ${row.reason}`;
    });
  };
  return { accountId: account.id, signal };
}

test('a disk that becomes full while trading: changes answer 503 with the reason, health says it, the stop stays, and all recovers', {
  skip,
}, async () => {
  await using trial = new Trial();
  using stack = new DisposableStack();
  const folder = smallDisk(stack, trial, 400);
  await using paper = await openPaper();
  const variables = { PAPER_URL: paper.url, PAPER_API_KEY: KEY.apiKey, PAPER_API_SECRET: KEY.secret };
  const url = await trial.start(['--data-dir', folder], variables).url();
  const client = createClient(`${url}/api`);
  await client.call(signUp, { body: CREDENTIALS });
  const { accountId, signal } = await followSignals(url, client);
  assert.equal(await signal('first', 'buy'), 'used entry-signal');
  const exchange = () => [...paper.venue.engine.orders.byId.values()];
  const stopRests = () => exchange().some((order) => order.side === 'SELL' && isOpen(order));
  await until('a stop to rest', stopRests);
  const warned = () => /"disk_low"/.test(readFileSync(join(folder, 'logs', 'worker.log'), 'utf8'));
  await until('the operator to be warned while there is room', warned);

  const filler = join(folder, 'filler');
  fill(filler);
  const ready = async (): Promise<string> => {
    const response = await fetch(`${url}/api/health/ready`);
    return `${response.status} ${await response.text()}`;
  };
  await until('health to say it', async () => /^503 .*The disk of the database is full/.test(await ready()));
  let created = 0;
  const create = (): Promise<unknown> => {
    created += 1;
    return client.call(createAccount, { body: { name: `Account ${created}`, exchangeMode: 'testnet' } });
  };
  // The free space inside of the tables is used up first.
  const refused = await until('a change to be refused', () => create().then(() => undefined, String));
  assert.match(refused, /answered 503: .*The disk of the database is full: nothing was stored/);
  assert.equal((await client.call(readKillSwitch, {})).engaged, false, 'reads still work');
  assert.ok(stopRests(), 'the stop rests on the exchange');

  rmSync(filler);
  await until('health again', async () => (await ready()).startsWith('200'));
  await create();
  assert.equal(await signal('last', 'close'), 'used exit-signal-close');
  await until('the position to be sold', () => exchange().every((order) => !isOpen(order)));
  const recorded = async (): Promise<string[]> => {
    const { rows } = await client.call(listAccountOrders, { params: { id: accountId }, query: { limit: '1000' } });
    return rows.flatMap(({ exchangeOrderId }) => (exchangeOrderId === null ? [] : [exchangeOrderId])).toSorted();
  };
  const placed = exchange()
    .map((order) => String(order.id))
    .toSorted();
  await until('every order to be recorded', async () => isDeepStrictEqual(await recorded(), placed));
});
