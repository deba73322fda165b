import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { paperState, type PaperState } from '#core/installation/paper-market.ts';
import { until } from '#test/flow/until.ts';
import { startTestServer } from '#test/paper/test-server.ts';
import { Visitor } from './stranger.ts';
import { Trial } from './trial.ts';

const OPERATOR = { email: 'operator@example.org', password: 'a long enough password' };
/** Nothing listens there. */
const NOWHERE = 'http://127.0.0.1:9';
const SWITCH_MS = 90_000;

async function signUp(url: string): Promise<{ visitor: Visitor; accountId: string }> {
  const visitor = new Visitor(url);
  await visitor.send('POST', '/auth/sign-up', OPERATOR);
  const { accounts } = z
    .object({ accounts: z.array(z.object({ id: z.string() })) })
    .parse(await visitor.ask('GET', '/accounts'));
  return { visitor, accountId: accounts[0]?.id ?? '' };
}

/** The api starts again after a switch: it does not answer for a moment. */
async function marketOf(visitor: Visitor): Promise<PaperState | null> {
  const answer = await visitor.ask('GET', '/paper-market').catch(() => ({ paper: null }));
  return z.object({ paper: paperState.nullable() }).parse(answer).paper;
}

async function switchTo(visitor: Visitor, market: PaperState['market']): Promise<PaperState> {
  await visitor.send('PUT', '/paper-market', { market });
  return until(
    `the market ${market}`,
    async () => {
      const state = await marketOf(visitor);
      return state !== null && (state.market === market || state.problem !== null) ? state : undefined;
    },
    SWITCH_MS,
  );
}

async function priceOf(visitor: Visitor, accountId: string): Promise<number | undefined> {
  const answer = await visitor.ask('GET', `/accounts/${accountId}/day-tickers`).catch(() => ({ tickers: [] }));
  const { tickers } = z.object({ tickers: z.array(z.object({ symbol: z.string(), last: z.number() })) }).parse(answer);
  return tickers.find(({ symbol }) => symbol === 'BTCUSDT')?.last;
}

test('--relay follows the prices of another exchange, and the market is switched while it runs', async () => {
  await using other = await startTestServer([{ name: 'ann', apiKey: 'key', secret: 'secret', balances: {} }], {});
  await using trial = new Trial();
  const start = trial.start(['--relay', other.url], { LIVE_REST_URL: NOWHERE });
  const { visitor, accountId } = await signUp(await start.url());
  assert.deepEqual(await marketOf(visitor), { market: 'live', problem: null });
  const [ticker] = z
    .array(z.object({ lastPrice: z.coerce.number() }))
    .parse(await (await fetch(`${other.url}/api/v3/ticker/24hr?symbols=["BTCUSDT"]`)).json());
  assert.equal(await priceOf(visitor, accountId), ticker?.lastPrice);

  assert.deepEqual(await switchTo(visitor, 'two-months'), { market: 'two-months', problem: null });
  const board = z.object({ accounts: z.array(z.object({ marketAt: z.string().nullable() })) });
  const marketAt = await until(
    'the worker to read the time of the replay',
    async () => {
      const answer = await visitor.ask('GET', '/dashboard').catch(() => ({ accounts: [] }));
      const at = board.parse(answer).accounts[0]?.marketAt;
      return at?.startsWith('2026-07') === true || at?.startsWith('2026-08') === true ? at : undefined;
    },
    SWITCH_MS,
  );
  assert.ok(marketAt > '2026-07-03');
});

test('without a connection the start says so and the invented market runs; so does a switch to live prices', async () => {
  await using trial = new Trial();
  const start = trial.start(['--relay', NOWHERE], { LIVE_REST_URL: NOWHERE });
  const { visitor } = await signUp(await start.url());
  assert.match(start.output, /The market data of http:\/\/127\.0\.0\.1:9 cannot be read .* The simulated market runs/);
  const state = await marketOf(visitor);
  assert.equal(state?.market, 'invented');
  assert.match(state.problem ?? '', /cannot be read/);
  const after = await switchTo(visitor, 'live');
  assert.equal(after.market, 'invented');
  assert.match(after.problem ?? '', /cannot be read/);
});
