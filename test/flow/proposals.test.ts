import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ProfileId } from '#core/ids.ts';
import { readAction } from '#api/contract/actions.ts';
import { cancelOrder, placeOrder } from '#api/contract/manual.ts';
import type { Answer } from '#api/contract/operation.ts';
import { createProfile, readCoin } from '#api/contract/profiles.ts';
import {
  approveProposal,
  cancelProposal,
  denyProposal,
  listProposals,
  proposeOrder,
  readProposal,
} from '#api/contract/proposals.ts';
import { createToken, listTokens, revokeToken } from '#api/contract/tokens.ts';
import { type Client, createClient } from '#api/script-client.ts';
import { rulesLoaded } from './profile.ts';
import { openStack, type Stack } from './stack.ts';
import { until } from './until.ts';

const SYMBOL = 'BTCUSDT';
const BUDGET = { asset: 'USDT', perOrder: '100', perDay: '10000' };
let stack: Stack;
let profileId: ProfileId;
let program: Client;

const programOf = (token: string): Client =>
  createClient({
    url: `http://127.0.0.1:${stack.api.port}`,
    token,
    credentials: () => assert.fail('a token needs no password'),
  });
const newProgram = async (budget: typeof BUDGET | null = BUDGET, maxOpenProposals = 5) => {
  const more = { maxOpenProposals, ...(budget !== null && { budget }) };
  const body = { name: 'Assistant', scopes: ['trade' as const], ...more };
  const { id, token } = await stack.call(createToken, { body });
  return { id, client: programOf(token) };
};

before(async () => {
  stack = await openStack({ source: { kind: 'synthetic' } });
  const { accountId } = stack;
  const body = { accountId, name: 'Proposed', strategyName: 'hold', enabled: true, symbols: [SYMBOL] };
  profileId = (await stack.call(createProfile, { body })).profile.id;
  program = (await newProgram()).client;
  await rulesLoaded(stack, params());
});
after(() => stack[Symbol.asyncDispose]());

type Proposal = Answer<typeof readProposal>;

const params = () => ({ id: profileId, symbol: SYMBOL });
const buy = (quoteAmount: string) => ({ side: 'buy', type: 'market', quoteAmount }) as const;
const propose = (quote = '50', { client = program, validSeconds = 600 } = {}) =>
  client.call(proposeOrder, {
    params: params(),
    body: { order: buy(quote), reason: 'The dip is over', validSeconds },
  });
const judged = (proposal: Proposal): Promise<Proposal> =>
  until('the preview', async () => {
    const now = await stack.call(readProposal, { params: { id: proposal.id } });
    return now.preview?.state !== 'pending' && now.preview?.state !== 'taken' && now;
  });
const approve = ({ id, hash }: Proposal) => stack.call(approveProposal, { params: { id }, body: { hash } });
const outcomeOf = ({ actionId }: { actionId: string }) =>
  until('the outcome', async () => {
    const action = await stack.call(readAction, { params: { id: stack.accountId, actionId } });
    return action.finishedAt !== null && action;
  });
const orders = async () => (await stack.call(readCoin, { params: params() })).orders;

test('a proposal is answered with the judgement of the worker, and places nothing', async () => {
  const { preview, state, action } = await judged(await propose());
  assert.deepEqual([state, preview?.state, action], ['open', 'done', null]);
  const { quantity, price, quote, fee, worstLoss } = Object(preview?.detail);
  assert.ok(Number(quantity) > 0 && Number(price) > 0 && Number(fee) > 0);
  assert.ok(Number(quote) <= 50 && Number(quote) > 49);
  assert.equal(worstLoss, quote, 'without a stop all of it can be lost');
  assert.deepEqual(await orders(), []);
});

test('a proposal that the gate refuses says so with numbers, and cannot be approved', async () => {
  const poor = await judged(await propose('1'));
  assert.equal(poor.preview?.state, 'refused');
  assert.match(poor.preview?.reason ?? '', /below the smallest order, [\d.]+ USDT/);
  await assert.rejects(approve(poor), /409.*The worker refuses the order/);
});

test('an approved proposal is one order, however often it is approved', async () => {
  const proposal = await judged(await propose());
  const count = (await orders()).length;
  const answers = await Promise.allSettled(Array.from({ length: 8 }, () => approve(proposal)));
  const [made, ...others] = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  assert.ok(made !== undefined && others.length === 0);
  assert.equal((await outcomeOf(made)).state, 'done');
  assert.equal((await orders()).length, count + 1);
  const shown = await program.call(readProposal, { params: { id: proposal.id } });
  assert.deepEqual([shown.state, shown.action?.id, shown.action?.state], ['approved', made.actionId, 'done']);
  await assert.rejects(approve(proposal), /409.*The proposal is approved/);
});

test('an approval names the hash of the exact intent', async () => {
  const proposal = await judged(await propose());
  const other = await judged(await propose());
  assert.notEqual(proposal.hash, other.hash);
  await assert.rejects(approve({ ...proposal, hash: other.hash }), /409.*another intent/);
});

test('denied, withdrawn and expired proposals cannot be approved', async () => {
  const denied = await judged(await propose());
  await stack.call(denyProposal, { params: { id: denied.id } });
  await assert.rejects(approve(denied), /409.*is denied/);
  const withdrawn = await judged(await propose());
  await program.call(cancelProposal, { params: { id: withdrawn.id } });
  await assert.rejects(approve(withdrawn), /409.*is cancelled/);
  const late = await judged(await propose('50', { validSeconds: 10 }));
  await stack.database.pool.query('alter table proposals disable trigger proposal_stays');
  await stack.database.pool.query('update proposals set expires_at = proposed_at where id = $1', [late.id]);
  await stack.database.pool.query('alter table proposals enable trigger proposal_stays');
  await assert.rejects(approve(late), /409.*is expired/);
});

test('no token approves or denies, and a token neither sees nor withdraws the proposals of another', async () => {
  const { id, hash } = await judged(await propose());
  await assert.rejects(program.call(approveProposal, { params: { id }, body: { hash } }), /No token may do this/);
  await assert.rejects(program.call(denyProposal, { params: { id } }), /No token may do this/);
  await assert.rejects(
    program.call(placeOrder, { params: params(), body: { order: buy('50') } }),
    /No token may do this/,
  );
  const other = (await newProgram()).client;
  assert.deepEqual((await other.call(listProposals, {})).proposals, []);
  await assert.rejects(other.call(readProposal, { params: { id } }), /There is no proposal/);
  await assert.rejects(other.call(cancelProposal, { params: { id } }), /There is no proposal/);
});

test('a proposal of a revoked token is not approved', async () => {
  const { id, client } = await newProgram();
  const proposal = await judged(await propose('50', { client }));
  await stack.call(revokeToken, { params: { id } });
  await assert.rejects(approve(proposal), /409.*token of the proposal is revoked/);
});

test('the budget of a token refuses proposals, and approved orders beyond a day', async () => {
  await assert.rejects(propose('100.01'), /may spend 100 on one order/);
  await assert.rejects(propose('50', { client: (await newProgram(null)).client }), /no budget in USDT/);
  const { id, client } = await newProgram({ asset: 'USDT', perOrder: '60', perDay: '60' });
  const [first, second] = [await propose('50', { client }), await propose('50', { client })];
  assert.equal((await outcomeOf(await approve(await judged(first)))).state, 'done');
  const over = await outcomeOf(await approve(await judged(second)));
  assert.deepEqual([over.state, Object(over.detail).code], ['refused', 'token-day-budget']);
  assert.match(over.reason ?? '', /it may cost 50, and 49\.\d+ of the 60/);
  const { tokens } = await stack.call(listTokens, {});
  assert.deepEqual(tokens.find((token) => token.id === id)?.budget, { asset: 'USDT', perOrder: '60', perDay: '60' });
});

test('fifty proposals at once, approved at once, spend no more than the budget of a day', async () => {
  const { id, client } = await newProgram({ asset: 'USDT', perOrder: '15', perDay: '100' }, 50);
  await Promise.all(Array.from({ length: 50 }, () => propose('15', { client })));
  const proposals = await until('the previews', async () => {
    const found = await client.call(listProposals, { query: { limit: '50' } });
    return (
      found.proposals.every(({ preview }) => preview?.state === 'done' || preview?.state === 'expired') &&
      found.proposals
    );
  });
  assert.equal(proposals.length, 50);
  const approved = await Promise.allSettled(proposals.map(approve));
  await Promise.all(approved.flatMap((one) => (one.status === 'fulfilled' ? [outcomeOf(one.value)] : [])));
  const { rows } = await stack.database.pool.query<{ orders: number; spent: string }>(
    `select count(*)::int as orders, sum(filled_quote) as spent from orders where action_id in
      (select id from operator_actions where proposal_id in (select id from proposals where token_id = $1))`,
    [id],
  );
  // A busy machine may let some expire before they are judged.
  const { orders: placed = 0, spent } = rows[0] ?? {};
  assert.ok(placed > 0 && placed <= 6 && Number(spent) <= 100, `${placed} orders for ${spent}`);
});

test('a proposed limit order rests until it is cancelled', async () => {
  const { client } = await newProgram();
  const price = String(
    Math.floor(Number(Object((await judged(await propose('50', { client }))).preview?.detail).price) * 0.9),
  );
  const order = { side: 'buy', type: 'limit', price, quoteAmount: '50' } as const;
  const made = await client.call(proposeOrder, { params: params(), body: { order, reason: 'Cheap' } });
  const { detail } = await outcomeOf(await approve(await judged(made)));
  const { orderId, state } = Object(detail);
  assert.equal(state, 'open');
  await client.call(cancelOrder, { params: { ...params(), orderId } });
});

test('an approved market order whose price has moved by more than 1 % since the preview is refused', async () => {
  const { client } = await newProgram();
  const proposal = await judged(await propose('50', { client }));
  const { rows } = await stack.database.pool.query<{ price: string }>(
    `update operator_actions set detail = jsonb_set(detail, '{price}', to_jsonb(((detail ->> 'price')::numeric * 0.9)::text))
      where id = $1 returning detail ->> 'price' as price`,
    [proposal.preview?.id],
  );
  const count = (await orders()).length;
  const outcome = await outcomeOf(await approve(proposal));
  assert.deepEqual([outcome.state, Object(outcome.detail).code], ['refused', 'moved-since-preview']);
  assert.ok(Number(Object(outcome.detail).numbers.previewed) === Number(rows[0]?.price));
  assert.match(outcome.reason ?? '', /moved by more than 1 % since the preview, from [\d.]+ USDT to [\d.]+ USDT/);
  assert.equal((await orders()).length, count);
});

test('a market buy by quantity cannot be proposed: its cost is unknown', async () => {
  const order = { side: 'buy', type: 'market', quantity: '0.001' } as const;
  await assert.rejects(
    program.call(proposeOrder, { params: params(), body: { order, reason: 'x' } }),
    /order\.quoteAmount.*amount of quote/,
  );
});

test('the audit log names the token that proposed and the operator who decided', async () => {
  const { rows } = await stack.database.pool.query<{ action: string; kind: string | null }>(
    `select distinct action, actor ->> 'kind' as kind from audit_logs where action like 'proposal.%' order by 1`,
  );
  assert.deepEqual(
    rows.map(({ action, kind }) => `${action} ${kind ?? 'session'}`),
    ['proposal.approve session', 'proposal.cancel token', 'proposal.create token', 'proposal.deny session'],
  );
});
