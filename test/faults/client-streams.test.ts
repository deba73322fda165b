import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requireDecimal } from '#core/amount/decimal.ts';
import { clientOrderIdOf } from '#core/order/order.ts';
import type { AccountEvent, MarketEvent, MarketPort, TradingPort } from '#core/ports/exchange.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { orderOf } from '#test/exchange/orders.ts';
import { createRateLimiter } from '#exchange/limits.ts';
import { createMarketStream } from '#exchange/market-stream.ts';
import { createTrading } from '#exchange/place.ts';
import { createMarketReader } from '#exchange/read.ts';
import { SOCKET_TIMING, type SocketTiming } from '#exchange/socket.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { startPaper } from '#paper/server.ts';
import { control } from '#test/paper/test-server.ts';
import { KEY } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';

const SYMBOL = 'BTCUSDT';
const TRADES = 'btcusdt@trade';

/** A fault of a stream, and the events that its reader receives: the number of losses, and whether all executions. */
interface Cell {
  /** Requests to the control plane, `METHOD path`. */
  readonly hook: readonly (readonly [request: string, body?: unknown])[];
  readonly losses: 0 | 1;
  readonly complete?: false;
  readonly timing?: Partial<SocketTiming>;
}

const CUTS: Readonly<Record<string, Cell>> = {
  'a cut connection': { hook: [['POST /streams/drop']], losses: 1 },
  'an announced shutdown': { hook: [['POST /streams/shutdown']], losses: 0 },
  'the cut after a day': { hook: [['POST /streams/expire']], losses: 1 },
  'the planned change before that': { hook: [], losses: 0, timing: { pingMs: 1_000, lifetimeMs: 500 } },
};
const faultsOf = (path: string, ...faults: object[]): Cell['hook'] => [[`POST /faults/${path}`, faults]];
const event = 'executionReport';
const ACCOUNT: Readonly<Record<string, Cell>> = {
  'nothing at all': { hook: [], losses: 0 },
  'every event twice': { hook: faultsOf('events', { kind: 'duplicate', times: 100 }), losses: 0 },
  'two events in the wrong order': { hook: faultsOf('events', { kind: 'reorder', event }), losses: 0 },
  'late balances': {
    hook: faultsOf('events', { kind: 'delay', event: 'outboundAccountPosition', delayMs: 300 }),
    losses: 0,
  },
  'dropped events': {
    hook: faultsOf('events', { kind: 'drop', event, times: 2 }),
    losses: 0,
    complete: false,
  },
  'half an event': { hook: faultsOf('events', { kind: 'garbage', event }), losses: 1, complete: false },
  ...CUTS,
  'pings without an answer': {
    hook: [['POST /streams/silence', { silent: true }]],
    losses: 1,
    timing: { pingMs: 1_000 },
  },
};
const MARKET: Readonly<Record<string, Cell>> = {
  'every frame twice': { hook: faultsOf('streams', { kind: 'duplicate', times: 100 }), losses: 0 },
  'frames in the wrong order': { hook: faultsOf('streams', { kind: 'reorder', event: TRADES, times: 5 }), losses: 0 },
  'a late frame': { hook: faultsOf('streams', { kind: 'delay', event: TRADES, delayMs: 1_500 }), losses: 0 },
  'half a frame': { hook: faultsOf('streams', { kind: 'garbage', event: TRADES }), losses: 0 },
  'dropped trades': {
    hook: faultsOf('streams', { kind: 'drop', event: TRADES, times: 1_000_000 }),
    losses: 1,
  },
  'pings without an answer while data arrive': {
    hook: [['POST /streams/silence', { silent: true }]],
    ...{ losses: 0, timing: { pingMs: 1_000 } },
  },
  'a ban of the address': { hook: [['POST /bans', { ms: 60_000 }]], losses: 0 },
  ...CUTS,
};

interface Bench extends AsyncDisposable {
  readonly wsUrl: string;
  readonly market: MarketPort;
  readonly trading: TradingPort;
  readonly timing: SocketTiming;
  control(request: string, body?: unknown): Promise<void>;
}

async function openBench({ timing }: Cell): Promise<Bench> {
  const accounts = parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '100000' } }], 'The accounts of the test');
  const places = { source: { kind: 'synthetic' }, clock: { kind: 'real' }, port: 0, controlPort: 0 } as const;
  const paper = await startPaper({ ...places, accounts, speed: 1, seed: 7 });
  const limiter = createRateLimiter();
  const market = createMarketReader({ restUrl: paper.url, limiter });
  await market.clock.sync();
  return {
    ...{ wsUrl: paper.wsUrl, market, timing: { ...SOCKET_TIMING, overlapMs: 100, ...timing } },
    trading: createTrading({ ...KEY, restUrl: paper.url, clock: market.clock, limiter }),
    async control(request, body) {
      await control(paper, request, body);
    },
    [Symbol.asyncDispose]: () => paper[Symbol.asyncDispose](),
  };
}

const countOf = (events: readonly { kind: string }[], kind: string): number =>
  events.filter((event) => event.kind === kind).length;

/** Performs the hook and waits until each loss that it causes is reported and the stream is back. */
async function play(on: Bench, { hook, losses }: Cell, events: readonly { kind: string }[]): Promise<void> {
  for (const [request, body] of hook) await on.control(request, body);
  if (losses > 0) await until('the loss is reported', () => countOf(events, 'disconnected') > 0);
  if (losses === 0) return;
  await on.control('POST /streams/silence', { silent: false });
  await until('the stream is back', () => countOf(events, 'connected') > 1);
}

let sequence = 0;
async function buy({ market, trading }: Bench): Promise<string> {
  const order = orderOf({ symbol: SYMBOL, quantity: requireDecimal('0.002') });
  const { profileId, symbol, purpose } = order;
  const clientOrderId = clientOrderIdOf({ profileId, symbol, purpose, sequence: ++sequence });
  const sendBeforeMs = market.clock.protocolMs() + 60_000;
  const outcome = await trading.place({ order, clientOrderId, sendBeforeMs, halted: () => false });
  assert.ok(outcome.kind === 'accepted' && outcome.order.state === 'filled');
  return outcome.fills[0]?.tradeId ?? '';
}

describe('the account stream', { concurrency: 2 }, () => {
  for (const [name, cell] of Object.entries(ACCOUNT)) {
    test(`${name}: ${cell.losses} losses, ${cell.complete === false ? 'not ' : ''}every execution is reported`, async () => {
      await using on = await openBench(cell);
      const events: AccountEvent[] = [];
      const wsApiUrl = `${on.wsUrl}/ws-api/v3`;
      const open = createAccountStream({ ...KEY, wsApiUrl, clock: on.market.clock, timing: on.timing });
      await using _stream = open((each) => void events.push(each));
      await until('the stream is connected', () => countOf(events, 'connected') === 1);
      const isEventFault = cell.hook[0]?.[0] === 'POST /faults/events';
      const isReported = (tradeId: string): boolean =>
        events.some((each) => each.kind === 'order' && each.fill?.tradeId === tradeId);
      // Event faults need an event to work on; cuts are over before anything happens.
      let first = '';
      if (isEventFault) {
        for (const [request, body] of cell.hook) await on.control(request, body);
        first = await buy(on);
        await play(on, { ...cell, hook: [] }, events);
        await on.control('DELETE /faults/events');
      } else {
        await play(on, cell, events);
        first = await buy(on);
      }
      const last = await buy(on);
      await until('the last execution is reported', () => isReported(last));
      assert.equal(isReported(first), cell.complete !== false);
      assert.equal(countOf(events, 'disconnected'), cell.losses);
      const { wallet } = await on.trading.wallet();
      const balanceNow = () => events.findLast((each) => each.kind === 'balances' && 'BTC' in each.balances);
      await until('the last reported balance is the present one', () => {
        const reported = balanceNow();
        return reported?.kind === 'balances' && reported.balances['BTC']?.free === wallet.balances['BTC']?.free;
      });
    });
  }
});

for (const [kind, aheadMs] of [
  ['behind', -60_000],
  ['ahead', 60_000],
] as const) {
  test(`an account stream whose clock is a minute ${kind} is refused with -1021, sets it, and connects`, async () => {
    await using on = await openBench({ hook: [], losses: 0 });
    const { clock } = on.market;
    let offMs: number = aheadMs;
    const sync = async (): Promise<void> => {
      offMs = 0;
      return clock.sync();
    };
    const events: AccountEvent[] = [];
    const off = { ...clock, sync, protocolMs: () => clock.protocolMs() + offMs };
    const open = createAccountStream({ ...KEY, wsApiUrl: `${on.wsUrl}/ws-api/v3`, clock: off, timing: on.timing });
    await using _stream = open((each) => void events.push(each));
    await until('the stream is connected', () => countOf(events, 'connected') === 1);
    assert.equal(offMs, 0);
    const loss = events.findLast(({ kind }) => kind === 'disconnected');
    assert.match(loss?.kind === 'disconnected' ? loss.cause : '', /-1021/);
  });
}

describe('the market stream', { concurrency: 2 }, () => {
  for (const [name, cell] of Object.entries(MARKET)) {
    test(`${name}: ${cell.losses} losses, prices in order of their trades`, async () => {
      await using on = await openBench(cell);
      const events: MarketEvent[] = [];
      const open = createMarketStream({ streamUrl: on.wsUrl, timing: on.timing });
      await using stream = open((each) => void events.push(each));
      stream.update([{ symbol: SYMBOL, interval: '1m' }]);
      await until('a price', () => countOf(events, 'price') > 0);
      const reading = setInterval(() => {
        on.market.prices().then(
          (prices) => stream.compare(prices),
          () => undefined,
        );
      }, 500);
      await play(on, cell, events).finally(() => clearInterval(reading));
      await on.control('DELETE /faults/streams');
      const before = countOf(events, 'price');
      await until('prices continue', () => countOf(events, 'price') > before + 5);
      assert.equal(countOf(events, 'disconnected'), cell.losses);
      const times = events.flatMap((each) => (each.kind === 'price' ? [each.atMs] : []));
      assert.deepEqual(
        times,
        times.toSorted((a, b) => a - b),
      );
    });
  }
});
