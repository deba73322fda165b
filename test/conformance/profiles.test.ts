import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changeCoin, disableProfile, enableProfile, readCoin, setAverageEntryPrice } from '#api/contract/profiles.ts';
import { listJobs } from '#api/contract/jobs.ts';
import { NOT_HELD_NOTE } from '#core/position/cost-basis.ts';
import type { ProfileId } from '#core/ids.ts';
import { control } from '#test/paper/test-server.ts';
import { openOutside } from '#test/flow/outside.ts';
import { LIVELY, startProfile } from '#test/flow/profile.ts';
import { openStack, type Stack } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';
import * as watching from '#test/flow/watching.ts';

const ticksOf = async (stack: Stack, id: ProfileId) =>
  (await (await stack.fetch(`/profiles/${id}/tick-trace?limit=1000`)).json()).entries;
/** Never buys automatically. */
const PATIENT = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '0.5' }] } };

test('a market that is silent is looked at all the same, and jobs run', async () => {
  await using stack = await openStack({ source: { kind: 'script' } });
  const id = await startProfile(stack, ['BTCUSDT'], { config: PATIENT });
  const timed = async () =>
    (await ticksOf(stack, id)).filter(({ trigger }: { trigger: string }) => trigger === 'timer').length;
  await until('three ticks by the timer alone', async () => (await timed()) >= 3);
  const { jobId } = await stack.call(setAverageEntryPrice, {
    params: { id, symbol: 'BTCUSDT' },
    body: { averageEntryPrice: '2' },
  });
  const state = async () =>
    (await stack.database.pool.query('select state from pgboss.job where id = $1', [jobId])).rows[0]?.state;
  await until('the job to have run', async () => (await state()) === 'completed');
});

test('an override changes the decisions of its coin and of no other', async () => {
  await using stack = await openStack({ source: { kind: 'synthetic' } });
  const id = await startProfile(stack, ['BTCUSDT', 'ETHUSDT'], { config: PATIENT });
  const page = (symbol: string) => stack.call(readCoin, { params: { id, symbol } });
  const decided = async (symbol: string) => (await page(symbol)).coin.state !== null;
  await until('both to be decided', async () => (await decided('BTCUSDT')) && (await decided('ETHUSDT')));
  const overrideConfig = { buy: { gridLevels: [{ triggerPercentage: '1.5' }] } };
  await stack.call(changeCoin, { params: { id, symbol: 'BTCUSDT' }, body: { overrideConfig } });
  await until('a buy', async () => (await page('BTCUSDT')).fills.length > 0);
  const seen = (await ticksOf(stack, id)).filter(({ symbol }: { symbol: string }) => symbol === 'ETHUSDT').length;
  await until(
    'the other coin to be decided again',
    async () =>
      (await ticksOf(stack, id)).filter(({ symbol }: { symbol: string }) => symbol === 'ETHUSDT').length > seen,
  );
  assert.deepEqual((await page('ETHUSDT')).orders, []);
});

test('a disabled profile decides nothing more until it is enabled, and what still fills is booked', async () => {
  await using stack = await openStack({ source: { kind: 'synthetic' } });
  const eager = { ...LIVELY, buy: { ...LIVELY.buy, gridLevels: [{ triggerPercentage: '1.5' }] } };
  const id = await startProfile(stack, ['BTCUSDT'], { config: eager });
  const other = await startProfile(stack, ['ETHUSDT'], { config: PATIENT, name: 'Clock' });
  const page = () => stack.call(readCoin, { params: { id, symbol: 'BTCUSDT' } });
  const outside = openOutside(stack);
  await until('its stop to rest', () => outside.resting().length > 0);
  await stack.call(disableProfile, { params: { id } });
  const newest = async (of: ProfileId) => (await ticksOf(stack, of))[0]?.id;
  const heard = async () => (await page()).coin.state?.decision.reason;
  await until('the worker to have heard', async () => (await ticksOf(stack, other)).length > 0 && (await heard()));
  const pause = async () => {
    const before = await newest(other);
    await until('the other profile to tick', async () => (await newest(other)) !== before);
  };
  await pause();
  const last = await newest(id);
  for (let times = 0; times < 3; times += 1) await pause();
  assert.equal(await newest(id), last, 'no decision after that');
  const bought = (await page()).fills.length;
  const trade = { symbol: 'BTCUSDT', price: await outside.at('0.9'), quantity: '100' };
  await control(stack.paper, 'POST /trade', trade);
  await until('the sale of the stop to be booked', async () => (await page()).fills.length > bought);
  assert.equal((await page()).fills[0]?.side, 'sell');
  await pause();
  assert.equal(await newest(id), last, 'nor after the fill');
  await stack.call(enableProfile, { params: { id } });
  await until('a decision', async () => (await newest(id)) !== last);
});

test('the position-reconcile pass is due every 15 minutes and passes over the coins of disabled profiles too', async () => {
  await watching.openWatching();
  try {
    const { stack, profileId, queue } = watching.flow();
    const { jobs } = await stack.call(listJobs, {});
    assert.equal(jobs.find(({ name }) => name === 'reconcile-positions')?.cron, '*/15 * * * *');
    for (const symbol of ['ADAUSDT', 'DOTUSDT']) {
      await watching.add(symbol, '2');
      await watching.ready(symbol);
      await until('the note', async () => (await watching.row(symbol))?.note === NOT_HELD_NOTE);
    }
    await watching.hold({ ADA: '500', DOT: '500' });
    await stack.call(disableProfile, { params: { id: profileId } });
    // As the schedule enqueues it: for every account.
    await watching.ended(await queue.enqueue('reconcile-positions', {}));
    for (const symbol of ['ADAUSDT', 'DOTUSDT'])
      await until('no note', async () => (await watching.row(symbol))?.note === null);
  } finally {
    await watching.closeWatching();
  }
});
