import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { readAction } from '#api/contract/actions.ts';
import { armCapture, readCapture } from '#api/contract/capture.ts';
import { cancelOrder, forceSell, placeOrder } from '#api/contract/manual.ts';
import { readOrderProof } from '#api/contract/proof.ts';
import { createProfile, disableProfile, readCoin } from '#api/contract/profiles.ts';
import { listLogs, readTickTrace } from '#api/contract/records.ts';
import { EVENT_CHANNEL } from '#core/installation/cache-keys.ts';
import { busMessage } from '#core/installation/events.ts';
import { newId, type OrderId, type ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { control } from '#test/paper/test-server.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { requestAction } from '#storage/trading/operator-actions.ts';
import { KEY, openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
let stack: Stack;
let profileId: ProfileId;
before(async () => {
  stack = await openStack({ source: { kind: 'synthetic' } });
  const { accountId } = stack;
  const body = { accountId, name: 'By hand', strategyName: 'hold', enabled: true, symbols: [SYMBOL] };
  profileId = (await stack.call(createProfile, { body })).profile.id;
});
after(() => stack[Symbol.asyncDispose]());

const params = () => ({ id: profileId, symbol: SYMBOL });
const order = (quoteAmount: string) => ({ side: 'buy', type: 'market', quoteAmount }) as const;

const outcomeOf = ({ actionId }: { actionId: string }) =>
  until('the outcome', async () => {
    const action = await stack.call(readAction, { params: { id: stack.accountId, actionId } });
    return action.finishedAt !== null && action;
  });
const orders = async () => (await stack.call(readCoin, { params: params() })).orders;

test('what is ordered by hand is traded once, however often it is asked for, and its outcome is told', async () => {
  await using cache = await openCache({ cacheUrl: undefined, databaseUrl: stack.databaseUrl });
  const told: unknown[] = [];
  await using _news = await cache.subscribe(EVENT_CHANNEL, (text) => {
    for (const { topic, data } of busMessage.parse(JSON.parse(text))) if (topic === 'action') told.push(data);
  });
  const requestId = newId<string>();
  const asked = await stack.call(placeOrder, { params: params(), body: { order: order('100'), requestId } });
  assert.deepEqual(await stack.call(placeOrder, { params: params(), body: { order: order('100'), requestId } }), asked);
  assert.equal((await outcomeOf(asked)).state, 'done');
  assert.equal((await orders()).length, 1);
  const { kind, symbol, state, reason } = await outcomeOf(asked);
  await until('the news', () => told.length > 0);
  assert.deepEqual(told, [{ id: asked.actionId, kind, profileId, symbol, state, reason }]);
  const audited = stack.database.kysely.selectFrom('audit_logs').select('after').where('action', '=', 'manual-order');
  assert.deepEqual(await audited.execute(), [{ after: { actionId: requestId, payload: order('100') } }]);
  await assert.rejects(stack.call(forceSell, { params: params(), body: { requestId } }), /409.*use a new one/);
});

const proofOf = (id: OrderId) => stack.call(readOrderProof, { params: { id } });

test('the proof of an order shows its way from the decision to the books, and no credential', async () => {
  const [bought] = await orders();
  assert.ok(bought !== undefined);
  const kinds = ['answer', 'decision', 'request'];
  const proof = await until('the evidence to be written', async () => {
    const now = await proofOf(bought.id);
    return kinds.every((kind) => now.evidence.some((one) => one.kind === kind)) && now;
  });
  const { verdict, fills, ledger, evidence, order: shown } = proof;
  assert.equal(verdict.state, 'proved', verdict.problems.join(' '));
  assert.deepEqual([verdict.filled, verdict.booked], [bought.quantity, bought.quantity]);
  assert.ok(fills.length > 0 && ledger.length >= 4 * fills.length);
  assert.ok(shown.actionId !== null && shown.sendBefore > shown.recordedAt);
  const text = JSON.stringify(evidence);
  assert.match(text, /"query":"symbol=BTCUSDT&side=BUY[^"]*&signature=\[redacted\]"/);
  for (const secret of [KEY.apiKey, KEY.secret]) assert.equal(text.includes(secret), false);
});

test('the proof of an order that was not answered counts down, and names each look', async () => {
  const fault = { match: { method: 'POST', path: '/api/v3/order' }, kind: 'late', delayMs: 3_000 };
  await control(stack.paper, 'POST /faults', [fault]);
  const asked = await stack.call(placeOrder, { params: params(), body: { order: order('50') } });
  const [open] = await until('the order to be unknown', async () => {
    const all = await orders();
    return all[0]?.state === 'unknown' && all;
  });
  assert.ok(open !== undefined);
  const unknown = (await proofOf(open.id)).verdict;
  assert.equal(unknown.state, 'unknown');
  assert.ok(Date.parse(unknown.certainAt ?? '') > Date.now());
  assert.equal((await outcomeOf(asked)).state, 'done');
  const proof = await until('the evidence to be written', async () => {
    const now = await proofOf(open.id);
    return now.evidence.some(({ kind }) => kind === 'lookup') && now;
  });
  assert.equal(proof.verdict.state, 'proved');
  assert.match(JSON.stringify(proof.evidence), /"kind":"lookup","at":"[^"]+","detail":\{[^}]*"answer":"absent"/);
});

test('bad orders are refused whole, with every problem', async () => {
  const bad = { side: 'buy', type: 'limit', quantity: '-1', quoteAmount: '5' } as const;
  await assert.rejects(stack.call(placeOrder, { params: params(), body: { order: bad } }), /422.*order\.quantity/);
  const both = { side: 'buy', type: 'limit', quantity: '1', quoteAmount: '5' } as const;
  await assert.rejects(
    stack.call(placeOrder, { params: params(), body: { order: both } }),
    /order\.price.*is missing: a limit order has a price.*order\.quantity.*not both/,
  );
  const missing = { ...params(), orderId: newId<never>() };
  await assert.rejects(stack.call(cancelOrder, { params: missing }), /404.*There is no order/);
  await assert.rejects(stack.call(forceSell, { params: { id: profileId, symbol: 'ETHUSDT' }, body: {} }), /404/);
});

test('while capture is armed every tick is in the log as the trace has it; afterwards ticks share rows again', async () => {
  const id = profileId;
  const arm = (ms: number) =>
    stack.call(armCapture, { params: { id }, body: { until: new Date(Date.now() + ms).toISOString() } });
  await assert.rejects(arm(25 * 3_600_000), /422.*at most 24 hours ahead/);
  await arm(3_600_000);
  const logs = async () => (await stack.call(listLogs, { params: { id }, query: { limit: 1000 } })).rows;
  const captured = async () =>
    (await logs()).flatMap(({ ctx, count }) =>
      isObject(ctx) && isObject(ctx['audit']) ? [{ audit: ctx['audit'], count }] : [],
    );
  await until('three captured ticks', async () => (await captured()).length > 2);
  // It ends automatically, and the operator can end it.
  await arm(500);
  await until('the end of it', async () => (await stack.call(readCapture, { params: { id } })).until === null);
  const shared = () => logs().then((rows) => rows[0]?.ctx);
  await until('a shared row', async () => !JSON.stringify(await shared()).includes('"audit"'));
  await stack.call(armCapture, { params: { id }, body: { until: null } });
  assert.deepEqual(await stack.call(readCapture, { params: { id } }), { until: null });
  const rows = await captured();
  assert.ok(rows.every(({ count }) => count === 1));
  const { entries } = await stack.call(readTickTrace, { params: { id }, query: { limit: 1000 } });
  for (const { audit } of rows)
    assert.ok(
      entries.some((entry) => isDeepStrictEqual(entry, audit)),
      'verbatim',
    );
  assert.equal(new Set(rows.map(({ audit }) => audit['id'])).size, rows.length);
  const audited = await stack.database.kysely
    .selectFrom('audit_logs')
    .select('action')
    .where('subject', '=', id)
    .where('action', 'like', 'capture.%')
    .orderBy('at')
    .execute();
  assert.deepEqual(
    audited.map(({ action }) => action),
    ['capture.arm', 'capture.arm', 'capture.disarm'],
  );
});

test('what a dead worker has taken and not begun is done once by the next; the disabled profile still sells', async () => {
  await stack.call(disableProfile, { params: { id: profileId } });
  await stack.stopWorker();
  const { kysely } = stack.database;
  const { user_id: requestedBy } = await kysely.selectFrom('accounts').select('user_id').executeTakeFirstOrThrow();
  const ask = (kind: string, id = newId<string>()) =>
    stack.database.transaction((transaction) =>
      requestAction(transaction, { id, accountId: stack.accountId, profileId, symbol: SYMBOL, kind, requestedBy }),
    );
  const { id: actionId } = await ask('force-sell');
  const taken = { state: 'taken', fencing: '0' } as const;
  await kysely.updateTable('operator_actions').set(taken).where('id', '=', actionId).execute();
  const { id: unknown } = await ask('wave');
  await stack.startWorker();
  assert.equal((await outcomeOf({ actionId })).state, 'done');
  assert.deepEqual(
    (await orders()).map(({ side, state, purpose }) => `${side} ${purpose} ${state}`),
    ['sell manual filled', 'buy manual filled', 'buy manual filled'],
  );
  assert.match((await outcomeOf({ actionId: unknown })).reason ?? '', /does not support "wave"/);
});

test('an order that the exchange refuses is in the log with the reason and the whole payload', async () => {
  const body = { accountId: stack.accountId, name: 'Refused', strategyName: 'hold', enabled: true };
  const { profile } = await stack.call(createProfile, { body: { ...body, symbols: ['ETHUSDT'] } });
  const payload = { code: -1013, msg: 'Filter failure: NOTIONAL', data: { more: 1 } };
  const match = { method: 'POST', path: '/api/v3/order' };
  await control(stack.paper, 'POST /faults', [{ match, kind: 'fail-before', status: 400, body: payload }]);
  const place = { params: { id: profile.id, symbol: 'ETHUSDT' }, body: { order: order('100') } };
  await outcomeOf(await stack.call(placeOrder, place));
  const rejected = await until('the refusal in the log', async () => {
    const { rows } = await stack.call(listLogs, { params: { id: profile.id }, query: {} });
    return rows.find(({ ctx }) => isObject(ctx) && ctx['event'] === 'order_rejected');
  });
  assert.match(rejected.msg, /^The exchange refused a manual order of ETHUSDT: .*NOTIONAL/);
  assert.partialDeepStrictEqual(rejected, { level: 'warn', ctx: { code: -1013, payload } });
});
