import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { listAccounts } from '#api/contract/accounts.ts';
import type { Answer } from '#api/contract/operation.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { approveProposal, denyProposal, listProposals, proposeOrder } from '#api/contract/proposals.ts';
import { signUp } from '#api/contract/session.ts';
import { createToken, revokeToken } from '#api/contract/tokens.ts';
import { type Client as Program, createClient as createProgram } from '#api/script-client.ts';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { createClient } from '#test/flow/client.ts';
import { openDice } from '#test/flow/random.ts';
import { until as untilWithin } from '#test/flow/until.ts';
import { type App, startApp } from './app.ts';

/** PROPOSAL_SEEDS=1000 is the long one. */
const SEEDS = Number(process.env['PROPOSAL_SEEDS'] ?? 20);
const FIRST = Number(process.env['FAULT_SEED'] ?? Date.now() % 1_000_000);
const SYMBOL = 'BTCUSDT';
const ENDS = ['approve', 'approve', 'approve twice', 'deny', 'expire', 'revoke', 'other hash'] as const;
/** A price that moves by more than 1 % while a part is down ends the approval without an order. */
const MOVED = 'moved-since-preview';
const STEPS = ['propose', 'decide', 'carry out'] as const;
type Step = (typeof STEPS)[number];
type Proposal = Answer<typeof listProposals>['proposals'][number];

const folder = mkdtempSync(join(tmpdir(), 'tradewind-proposals-'));
chmodSync(folder, 0o711);
after(() => rmSync(folder, { recursive: true, force: true }));

/** A seed mostly waits for parts to start again, so that several installations together take less time. */
const INSTALLATIONS = Math.min(availableParallelism(), Math.ceil(SEEDS / 50));

const title = `${SEEDS} proposals with crashes between the steps (first seed ${FIRST})`;
test(`${title}: one order for each approval, and no other`, { timeout: 120_000 + SEEDS * 30_000 }, async () => {
  const seeds = Array.from({ length: SEEDS }, (_, i) => FIRST + i);
  const shares = Array.from({ length: INSTALLATIONS }, (_, i) => seeds.filter((seed) => seed % INSTALLATIONS === i));
  await using stack = new AsyncDisposableStack();
  const apps: App[] = [];
  // One after the other: the first start builds the web app.
  for (const i of shares.keys()) apps.push(stack.use(await startApp({ dataDir: dataDirOf(i), args: ['--port', '0'] })));
  const ended = await Promise.allSettled(apps.map((app, i) => runShare(app, shares[i] ?? [], dataDirOf(i))));
  console.table(Object.fromEntries(tally));
  for (const result of ended) if (result.status === 'rejected') throw result.reason;
});

const dataDirOf = (i: number): string => join(folder, `data-${i}`);

/** Runs seeds one after the other in an installation of their own. */
async function runShare(app: App, seeds: readonly number[], dataDir: string): Promise<void> {
  const client = createClient(`${app.url}/api`);
  await client.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
  const [account] = (await client.call(listAccounts, {})).accounts;
  assert.ok(account !== undefined);
  const body = { accountId: account.id, name: 'Proposed', strategyName: 'hold', enabled: true, symbols: [SYMBOL] };
  const { id: profileId } = (await client.call(createProfile, { body })).profile;
  const read = (name: string): string => readFileSync(join(dataDir, 'postgres', name), 'utf8').trim();
  const url = `postgres://tradewind:${read('password')}@127.0.0.1:${read('port')}/tradewind`;
  await using database = openDatabase(url);
  const given = { app, client, database, params: { id: profileId, symbol: SYMBOL } };
  let placed = 0;
  for (const seed of seeds) placed += await runSeed(given, seed);
  const { rows } = await database.pool.query(
    'select count(*)::int as orders, count(action_id)::int as proposed from orders',
  );
  assert.deepEqual(rows[0], { orders: placed, proposed: placed }, 'no order without an approval');
}

interface Given {
  readonly app: App;
  readonly client: ReturnType<typeof createClient>;
  readonly database: Database;
  readonly params: { readonly id: Proposal['profileId']; readonly symbol: string };
}

/** Number of seeds by their end, and of crashes by part. */
const tally = new Map<string, number>();
const count = (what: string): void => void tally.set(what, (tally.get(what) ?? 0) + 1);

/** A busy machine takes longer to start a part again than it takes to answer. */
const PATIENCE_MS = 300_000;
const until = <Value>(what: string, read: () => Promise<Value | undefined | false> | Value | undefined | false) =>
  untilWithin(what, read, PATIENCE_MS);

/** Repeats a call until it is answered: a crash may have taken the answer, or the whole api. */
const insist = <Result>(what: string, call: () => Promise<Result>) =>
  until(what, async () => {
    try {
      return { answer: await call() };
    } catch (error) {
      if (/ 4\d\d/.test(String(error))) return { refusal: String(error) };
      return undefined;
    }
  });

/** A proposal that the worker has judged. A preview expires while the worker is down: then the program proposes again. */
const findJudged = (program: Program, propose: () => Promise<unknown>): Promise<Proposal> =>
  until('the preview', async () => {
    const { answer } = await insist('the proposals', () => program.call(listProposals, { query: { limit: '50' } }));
    const judged = answer?.proposals.find(({ preview }) => preview?.state === 'done');
    const areOver = answer?.proposals.every(({ preview }) => preview?.state === 'expired');
    if (judged === undefined && areOver === true) await propose();
    return judged;
  });

/** Runs one proposal to its end and returns its number of orders. */
async function runSeed({ app, client, database, params }: Given, seed: number): Promise<number> {
  const dice = openDice(seed);
  const end = dice.pick(ENDS);
  const crashes = new Map<Step, 'worker' | 'api'>();
  for (const step of STEPS) if (dice.chance(0.4)) crashes.set(step, dice.pick(['worker', 'worker', 'api'] as const));
  const name = `seed ${seed}: ${end}, ${[...crashes].map(([step, part]) => `${part} dies at ${step}`).join(', ')}`;
  const crash = async (step: Step): Promise<void> => {
    const part = crashes.get(step);
    if (part === undefined) return;
    await delay(dice.between(0, 150));
    process.kill(await until(`${part} to run`, () => app.pidOf(part)), 'SIGKILL');
  };
  const budget = { asset: 'USDT', perOrder: '20', perDay: '20' };
  const made = await insist('a token', () =>
    client.call(createToken, { body: { name: `Seed ${seed}`, scopes: ['trade'], budget, maxOpenProposals: 50 } }),
  );
  assert.ok(made.answer !== undefined, name);
  const { token, id: tokenId } = made.answer;
  const program = createProgram({ url: app.url, token, credentials: () => assert.fail('a token signs in nowhere') });
  const order = { side: 'buy', type: 'market', quoteAmount: '15' } as const;
  // A repeated request is another proposal: only one of them is decided.
  const propose = () =>
    insist('the proposal', () =>
      program.call(proposeOrder, { params, body: { order, reason: 'A schedule', validSeconds: 3600 } }),
    );
  const asked = propose();
  await crash('propose');
  await asked;
  const { id, hash } = await findJudged(program, propose);
  const approve = (named: string) =>
    insist('the approval', () => client.call(approveProposal, { params: { id }, body: { hash: named } }));
  const decide = async (): Promise<unknown> => {
    if (end === 'deny') return insist('the denial', () => client.call(denyProposal, { params: { id } }));
    if (end === 'other hash') return approve('0'.repeat(64));
    if (end === 'revoke') await insist('the revocation', () => client.call(revokeToken, { params: { id: tokenId } }));
    if (end === 'expire') await expire(database, id);
    if (end === 'approve twice') return Promise.all([approve(hash), approve(hash)]);
    return approve(hash);
  };
  const decided = decide();
  await crash('decide');
  await decided;
  await crash('carry out');
  const isApproved = end.startsWith('approve');
  const { rows } = await until(`the end of ${name}`, async () => {
    const found = await database.pool.query<{ state: string; code: string | null; orders: string[] }>(
      `select action.state, action.detail ->> 'code' as code, array(select state from orders where action_id = action.id) as orders
        from operator_actions action where proposal_id = any(select id from proposals where token_id = $1)`,
      [tokenId],
    );
    return found.rows.every(({ state }) => state !== 'pending' && state !== 'taken') && found;
  });
  // A worker that dies between the intent and its request leaves an order that is never sent again.
  const neverSent = [...crashes.values()].includes('worker') && rows[0]?.state === 'refused';
  const hasMoved = rows[0]?.code === MOVED;
  // The worker was down for longer than an approval is valid.
  const isLate = rows[0]?.state === 'expired';
  const code = hasMoved ? MOVED : null;
  const orders = hasMoved || isLate ? [] : neverSent ? ['never-arrived'] : ['filled'];
  const ended = { state: isLate ? 'expired' : hasMoved || neverSent ? 'refused' : 'done', code, orders };
  assert.deepEqual(rows, isApproved ? [ended] : [], name);
  if (hasMoved || isLate) count(hasMoved ? MOVED : 'expired approval');
  for (const part of crashes.values()) count(part);
  count(end);
  // A user has 100 tokens at most.
  await insist('the end of the token', () => client.call(revokeToken, { params: { id: tokenId } }));
  return isApproved ? orders.length : 0;
}

/** The clock of the database cannot be moved: the expiry is. */
async function expire({ pool }: Database, id: string): Promise<void> {
  await pool.query(`begin; alter table proposals disable trigger proposal_stays;
    update proposals set expires_at = proposed_at where id = '${id}';
    alter table proposals enable trigger proposal_stays; commit`);
}
