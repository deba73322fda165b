import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  add,
  type Decimal,
  fromSteps,
  minimum,
  ONE,
  requireDecimal as d,
  subtract,
  ZERO,
} from '#core/amount/decimal.ts';
import { newId, type OrderId, type ProfileId } from '#core/ids.ts';
import { NO_LIMITS, type RiskFacts } from '#core/account/risk.ts';
import { createRiskBook } from './risk-book.ts';

const profileId = newId<ProfileId>();
const START_MS = Date.UTC(2026, 2, 10);
const LIMITS = { ...NO_LIMITS, asset: 'USDT', openPositions: 4, exposure: '100', entriesPerMinute: 12 };
const FACTS: RiskFacts = {
  timezone: 'UTC',
  limits: [{ scope: 'account', subject: newId(), limits: LIMITS }],
  ...{ gains: [], closings: [], holdings: [], entries: [], pauses: [] },
};
const nameOf = (coin: number) => ({ profileId, symbol: `C${coin}USDT` });

interface Buy {
  readonly orderId: OrderId;
  readonly atMs: number;
  open: Decimal;
  filled: boolean;
}

/** Coins that buy through the book. A read of the store returns on command, with the state of the time it started. */
class Model {
  readonly positions = new Map<number, Decimal>();
  readonly buys = new Map<number, Buy>();
  readonly #reads: (() => void)[] = [];
  #sent: number[] = [];
  #nowMs = START_MS;
  readonly book = createRiskBook(
    () => {
      const holdings = [...this.positions].map(([coin, cost]) => ({ ...nameOf(coin), cost, open: true }));
      return new Promise((resolve) => this.#reads.push(() => resolve({ ...FACTS, holdings })));
    },
    () => new Date(this.#nowMs),
  );

  /** Lets the oldest read return, and its waiting callers continue. */
  async answer(): Promise<void> {
    this.#reads.shift()?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  }

  async answered(work: Promise<void>): Promise<void> {
    let done = false;
    void work.finally(() => (done = true));
    while (!done) await this.answer();
    await work;
  }

  pass(ms: number): void {
    this.#nowMs += ms;
  }

  /** Approval and reservation, without a wait in between, as in a tick. */
  buy(coin: number, wanted: Decimal): void {
    if (this.buys.has(coin) || this.book.refusal(nameOf(coin), new Date(this.#nowMs)) !== undefined) return;
    const quote = this.book.rooms(nameOf(coin)).reduce((least, { room }) => minimum(least, room), wanted);
    if (quote <= 0n) return;
    const orderId = newId<OrderId>();
    this.book.reserve({ orderId, ...nameOf(coin), at: new Date(this.#nowMs), quote });
    this.buys.set(coin, { orderId, atMs: this.#nowMs, open: quote, filled: false });
    this.#sent.push(this.#nowMs);
  }

  /** A fill is recorded, the book reads, then the buy reserves less; other coins decide meanwhile. */
  async fill(coin: number, share: Decimal, meanwhile: () => void): Promise<void> {
    const buy = this.buys.get(coin);
    if (buy === undefined) return;
    const quote = minimum(share, buy.open);
    this.positions.set(coin, add(this.positions.get(coin) ?? ZERO, quote));
    buy.open = subtract(buy.open, quote);
    buy.filled = true;
    const booked = this.book.booked().then(() => this.book.spent(buy.orderId, quote));
    meanwhile();
    await this.answered(booked);
  }

  end(coin: number): void {
    const buy = this.buys.get(coin);
    if (buy === undefined) return;
    this.buys.delete(coin);
    this.book.finish(buy.orderId);
  }

  /** The commit was refused: the buy was never sent. */
  refuse(coin: number): void {
    const buy = this.buys.get(coin);
    if (buy === undefined || buy.filled) return;
    this.buys.delete(coin);
    this.book.forget(buy.orderId);
    this.#sent = this.#sent.toSpliced(this.#sent.lastIndexOf(buy.atMs), 1);
  }

  exposure(): Decimal {
    return [...this.positions.values(), ...[...this.buys.values()].map(({ open }) => open)].reduce(add, ZERO);
  }

  check(): void {
    const coins = new Set([...this.positions.keys(), ...this.buys.keys()]);
    assert.ok(coins.size <= LIMITS.openPositions, `${coins.size} positions`);
    assert.ok(this.exposure() <= d(LIMITS.exposure), `${this.exposure()} is exposed`);
    const lastMinute = this.#sent.filter((at) => at > this.#nowMs - 60_000).length;
    assert.ok(lastMinute <= LIMITS.entriesPerMinute, `${lastMinute} buys within a minute`);
  }
}

const KINDS = ['buy', 'buy', 'buy', 'fill', 'fill', 'end', 'refuse', 'sell', 'refresh', 'answer', 'pass'] as const;
const step = fc.record({
  kind: fc.constantFrom(...KINDS),
  coin: fc.integer({ min: 0, max: 7 }),
  amount: fc.integer({ min: 1, max: 60 }),
});
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never;

async function take(model: Model, { kind, coin, amount }: Step): Promise<void> {
  const quote = fromSteps(amount, ONE);
  if (kind === 'buy') model.buy(coin, quote);
  else if (kind === 'fill') await model.fill(coin, quote, () => model.buy((coin + 1) % 8, quote));
  else if (kind === 'end') model.end(coin);
  else if (kind === 'refuse') model.refuse(coin);
  else if (kind === 'sell' && !model.buys.has(coin)) model.positions.delete(coin);
  else if (kind === 'refresh') void model.book.refresh();
  else if (kind === 'answer') await model.answer();
  else if (kind === 'pass') model.pass(amount * 500);
}

test('however reads, fills and decisions interleave, no limit is exceeded and nothing stays reserved', async () => {
  let bought = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 20, maxLength: 100 }), async (steps) => {
      const model = new Model();
      await model.answered(model.book.refresh());
      for (const each of steps) {
        await take(model, each);
        model.check();
      }
      bought += model.positions.size;
      for (const coin of [...model.buys.keys()]) model.end(coin);
      await model.answered(model.book.refresh());
      assert.equal(model.book.rooms(nameOf(0))[0]?.used, model.exposure());
    }),
    { numRuns: 200 },
  );
  assert.ok(bought > 200, 'the limits leave room for something');
});

test('a buy in an open coin does not count as a new position, a paused coin buys nothing until the pause ends', async () => {
  const holdings = [1, 2, 3, 4].map((coin) => ({ ...nameOf(coin), cost: d('1'), open: true }));
  const since = new Date();
  const paused = (coin: number, ms: number) => ({ ...nameOf(coin), since, until: new Date(Date.now() + ms), why: '' });
  const pauses = [paused(1, 60_000), paused(2, -1)];
  const book = createRiskBook(
    () => Promise.resolve({ ...FACTS, holdings, pauses }),
    () => since,
  );
  await book.refresh();
  const reasonOf = (coin: number) => book.refusal(nameOf(coin), since)?.reason;
  assert.deepEqual([reasonOf(1), reasonOf(2), reasonOf(5)], ['halt-coin-paused', undefined, 'cap-open-positions']);
});
