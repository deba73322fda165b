import assert from 'node:assert/strict';
import { test } from 'node:test';
import { divide, floorToStep, formatDecimal, requireDecimal as d, subtract } from '#core/amount/decimal.ts';
import { newId } from '#core/ids.ts';
import type { ActionOutcome } from '#core/order/operator-action.ts';
import type { OperatorRequest } from '#engine/state/operator-request.ts';
import { engageHalt, releaseHalt } from '#storage/trading/halts.ts';
import { enter, type Guarded, openGuarded, ordersOf, stopsOf } from './guarded.ts';
import { until } from './until.ts';

interface RequestOptions {
  readonly id?: string;
  readonly validMs?: number;
  readonly clientOrderId?: string | null;
}

const FORCE: OperatorRequest = { kind: 'force-sell' };
const market = (side: 'buy' | 'sell', quantity: string): OperatorRequest => ({
  kind: 'order',
  side,
  limit: null,
  size: { by: 'quantity', amount: d(quantity) },
});
const spending = (quote: string): OperatorRequest => ({
  ...{ kind: 'order', side: 'buy', limit: null },
  size: { by: 'quote', amount: d(quote) },
});
const limit = (
  on: Guarded,
  side: 'buy' | 'sell',
  { at, quantity }: { at: string; quantity: string },
): OperatorRequest => ({
  ...{ kind: 'order', side, limit: on.at(at) },
  size: { by: 'quantity', amount: d(quantity) },
});

function ask(
  on: Guarded,
  request: OperatorRequest,
  { id = newId(), validMs = 60_000, clientOrderId = null }: RequestOptions = {},
): Promise<ActionOutcome> {
  const [runner] = on.running().coins.all();
  assert.ok(runner !== undefined);
  return runner.act({ id, request, deadlineMs: performance.now() + validMs, clientOrderId });
}

const doneOf = (outcome: ActionOutcome): ActionOutcome['detail'] => {
  assert.equal(outcome.state, 'done', outcome.reason ?? '');
  return outcome.detail;
};
const codeOf = ({ state, reason, detail }: ActionOutcome): string => `${state} ${String(detail['code'] ?? reason)}`;

/** Every order of the exchange, by side, kind and end. */
const seen = (on: Guarded): string[] => ordersOf(on).map(({ side, type, status }) => `${side} ${type} ${status}`);
const flat = (on: Guarded): Promise<boolean> =>
  until('the position to be sold', () => on.coin().position.firstBuyAt === null && on.coin().live.size === 0);
/** The exchange gives no answer, and applies the request half a second later. */
const LATE_BUY = { match: { method: 'POST', text: 'side=BUY' }, kind: 'late', delayMs: 500 };

/** Committed intents and orders of the exchange are the same ones. */
async function assertOneEach(on: Guarded): Promise<void> {
  const rows = await on.database.kysely.selectFrom('orders').select('exchange_order_id').execute();
  const known = rows.flatMap((row) => (row.exchange_order_id === null ? [] : Number(row.exchange_order_id)));
  assert.deepEqual(
    known.toSorted((a, b) => a - b),
    ordersOf(on)
      .map(({ id }) => id)
      .toSorted((a, b) => a - b),
  );
}

test('a buy by hand is judged, booked and guarded like one of the strategy', async () => {
  await using on = await openGuarded();
  on.wheel.stop = on.ticks('0.97');
  const detail = doneOf(await ask(on, market('buy', '0.005')));
  assert.deepEqual([detail['state'], detail['filledQuantity']], ['filled', '0.005']);
  const stop = await until('a stop to rest', () => stopsOf(on)[0]);
  assert.equal(formatDecimal(stop.quantity), '0.00499', 'all of it that is worth a whole step');
  assert.deepEqual(
    on.coin().levels.map(({ level }) => level),
    [null],
  );
  const spent = doneOf(await ask(on, spending('200')));
  const quote = Number(spent['filledQuote']);
  assert.ok(quote > 190 && quote <= 200, `${quote} was spent`);
  for (const [request, code] of [
    [market('buy', '100'), 'refused size-no-funds'],
    [market('buy', '0.00001'), 'refused size-below-minimum'],
    [market('sell', '100'), 'refused size-more-than-held'],
    [limit(on, 'buy', { at: '0.5', quantity: '0.00012' }), 'refused size-below-minimum'],
  ] as const)
    assert.equal(codeOf(await ask(on, request)), code);
  const bought = on.audits.filter(({ decision }) => decision.reason === 'manual-buy');
  assert.equal(bought.filter(({ approval }) => approval.kind === 'approved').length, 2);
  assert.ok(bought.every(({ decision }) => 'action' in decision.numbers));
  await assertOneEach(on);
});

test('a limit buy rests, keeps the strategy from buying, and is cancelled; nothing can be cancelled twice', async () => {
  await using on = await openGuarded();
  const detail = doneOf(await ask(on, limit(on, 'buy', { at: '0.9', quantity: '0.01' })));
  assert.equal(detail['state'], 'open');
  await on.tick();
  assert.equal(on.coin().view.entryOrderOpen, true);
  const request: OperatorRequest = { kind: 'cancel', orderId: String(detail['orderId']) };
  doneOf(await ask(on, request));
  assert.deepEqual(seen(on), ['BUY LIMIT CANCELED']);
  assert.match(codeOf(await ask(on, request)), /refused There is nothing to cancel/);
  await enter(on);
  const [stop] = on.coin().live.values();
  const guard: OperatorRequest = { kind: 'cancel', orderId: stop?.record.id ?? '' };
  assert.match(codeOf(await ask(on, guard)), /refused This is the protective stop/);
});

test('a limit sale takes the place of the stop; what is left is guarded, and an exit takes it off the book first', async () => {
  await using on = await openGuarded();
  await enter(on);
  const position = on.coin().position.quantity;
  const dust = await ask(on, market('sell', '0.00502'));
  assert.equal(codeOf(dust), 'refused size-leaves-dust');
  doneOf(await ask(on, limit(on, 'sell', { at: '1.05', quantity: '0.002' })));
  const rest = formatDecimal(subtract(position, d('0.002')));
  await until('a stop for the rest', () =>
    stopsOf(on).some(
      ({ type, quantity }) => type === 'STOP_LOSS_LIMIT' && formatDecimal(quantity).startsWith(rest.slice(0, 7)),
    ),
  );
  assert.equal(stopsOf(on).length, 2);
  on.wheel.want = 'sell';
  await on.tick();
  await flat(on);
  assert.deepEqual(
    seen(on).filter((line) => line.startsWith('SELL LIMIT')),
    ['SELL LIMIT CANCELED'],
  );
  assert.deepEqual(seen(on).filter((line) => line === 'SELL MARKET FILLED').length, 1);
  await assertOneEach(on);
});

test('a force sale takes the place of the stop in one request, and takes a resting buy off the book before', async () => {
  await using on = await openGuarded();
  await enter(on);
  doneOf(await ask(on, limit(on, 'buy', { at: '0.95', quantity: '0.002' })));
  const detail = doneOf(await ask(on, FORCE));
  assert.equal(detail['state'], 'filled');
  await flat(on);
  assert.deepEqual(seen(on), [
    'BUY MARKET FILLED',
    'SELL STOP_LOSS_LIMIT CANCELED',
    'BUY LIMIT CANCELED',
    'SELL MARKET FILLED',
  ]);
  assert.equal(codeOf(await ask(on, FORCE)), 'refused exit-nothing-free');
  await assertOneEach(on);
});

test('a force sale reads the wallet again before it is refused: the stream may have lost what was bought', async () => {
  await using on = await openGuarded();
  on.wheel.settings = undefined;
  await on.stop();
  await on.start();
  await on.trade('1');
  await on.control('/faults/events', [{ kind: 'drop', event: 'outboundAccountPosition', times: 1 }]);
  on.wheel.want = 'buy';
  await on.tick();
  await until('the position', () => on.coin().position.firstBuyAt !== null);
  doneOf(await ask(on, FORCE));
  await flat(on);
  assert.deepEqual(seen(on), ['BUY MARKET FILLED', 'SELL MARKET FILLED']);
});

test('a force sale of more than one order may be sells in several, and what is left is dust at most', async () => {
  await using on = await openGuarded();
  await enter(on);
  const { rules, position } = on.coin();
  const most = floorToStep(divide(position.quantity, d('2')), rules.lot.step);
  Object.assign(rules.marketLot, { max: most });
  doneOf(await ask(on, FORCE));
  await flat(on);
  const sold = seen(on).filter((line) => line === 'SELL MARKET FILLED');
  assert.ok(sold.length > 1, `${sold.length} orders`);
  await assertOneEach(on);
});

test('a run that has ended opens no coin any more: what is asked of it is taken up by the next one', async () => {
  await using on = await openGuarded();
  const { coins, refreshProfiles } = on.running();
  await on.stop();
  await assert.rejects(refreshProfiles(), /does not run any more/);
  assert.deepEqual([...coins.all()], []);
});

test('a force sale waits until an unknown buy is proved, then sells what it bought; it never sends twice', async () => {
  await using on = await openGuarded();
  await enter(on);
  await on.control('/faults', [LATE_BUY]);
  on.wheel.want = 'buy';
  const ticked = on.tick();
  await until('the buy to be on its way', () =>
    [...on.coin().live.values()].some(({ record }) => record.side === 'buy'),
  );
  const { filledQuantity } = doneOf(await ask(on, FORCE));
  await ticked;
  assert.equal(filledQuantity, '0.01008', 'what was held, and what the unanswered buy had bought');
  await flat(on);
  // The sale itself is not answered: it is looked up, and nothing is sold a second time.
  on.wheel.stop = on.ticks('0.97');
  doneOf(await ask(on, market('buy', '0.004')));
  await until('a stop to rest', () => stopsOf(on)[0]);
  await on.control('/faults', [{ match: { method: 'POST', text: 'type=MARKET' }, kind: 'reset', applied: true }]);
  assert.equal(doneOf(await ask(on, FORCE))['state'], 'filled');
  await flat(on);
  assert.equal(seen(on).filter((line) => line === 'SELL MARKET FILLED').length, 2);
  await assertOneEach(on);
});

test('a kill switch refuses buys by hand and lets a force sale pass; a freeze refuses both', async () => {
  await using on = await openGuarded();
  await enter(on);
  const all = { scope: 'all', subject: 'all' } as const;
  const engage = async (freeze: boolean): Promise<void> => {
    await engageHalt(on.database, { ...all, reason: 'test', freeze, userId: null });
    await on.running().refreshHalts();
  };
  await engage(true);
  assert.equal(codeOf(await ask(on, FORCE)), 'refused halt-frozen');
  await engage(false);
  assert.equal(codeOf(await ask(on, market('buy', '0.003'))), 'refused halt-kill-switch');
  assert.equal(stopsOf(on).length, 1, 'the stop stays');
  doneOf(await ask(on, FORCE));
  await flat(on);
  await releaseHalt(on.database, all);
});

test('a disabled profile still cancels and sells by hand, and buys nothing', async () => {
  await using on = await openGuarded();
  await enter(on);
  const { orderId } = doneOf(await ask(on, limit(on, 'buy', { at: '0.95', quantity: '0.002' })));
  await on.database.kysely.updateTable('profiles').set({ enabled: false }).execute();
  await on.running().refreshProfiles();
  await until('the profile to be disabled', () => !on.coin().profile.enabled);
  const ticks = on.audits.length;
  doneOf(await ask(on, { kind: 'cancel', orderId: String(orderId) }));
  assert.equal(codeOf(await ask(on, market('buy', '0.003'))), 'refused halt-profile-disabled');
  doneOf(await ask(on, FORCE));
  await flat(on);
  // Ticks that did nothing before the profile was disabled may be reported now: repeats are reported together.
  const decided = on.audits.slice(ticks).filter(({ decision }) => decision.kind !== 'nothing');
  assert.deepEqual(
    decided.map(({ decision }) => decision.reason),
    ['manual-cancel', 'manual-buy', 'force-sell'],
    'nothing else was decided',
  );
});

test('what is not begun in time is dropped, also when it waits for something to become certain', async () => {
  await using on = await openGuarded();
  const late = await ask(on, market('buy', '0.003'), { validMs: 0 });
  assert.equal(late.state, 'expired');
  // Held back until the force sale is too late: the buy is on its way for as long as the answer takes.
  await on.control('/faults', [{ match: { method: 'POST', text: 'side=BUY' }, kind: 'reset' }]);
  on.wheel.want = 'buy';
  const ticked = on.tick();
  await until('the buy to be committed', () => on.coin().live.size > 0);
  const outcome = await ask(on, FORCE, { validMs: 50 });
  on.wheel.want = null;
  await ticked;
  assert.equal(outcome.state, 'expired');
  assert.equal(
    seen(on).some((line) => line.startsWith('SELL')),
    false,
  );
});

test('an action that its run left behind is decided once: by its order, where one was committed', async () => {
  await using on = await openGuarded();
  on.wheel.stop = on.ticks('0.97');
  const id = newId<string>();
  await on.control('/faults', [LATE_BUY]);
  const left = assert.rejects(ask(on, market('buy', '0.005'), { id }), /closed before/);
  await until('the buy to be on its way', () => on.coin().live.size > 0);
  await on.stop();
  await left;
  const { client_order_id: clientOrderId } = await on.database.kysely
    .selectFrom('orders')
    .select('client_order_id')
    .where('action_id', '=', id)
    .executeTakeFirstOrThrow();
  await on.start();
  await on.trade('1');
  const detail = doneOf(await ask(on, market('buy', '0.005'), { id, clientOrderId, validMs: -1 }));
  assert.equal(detail['filledQuantity'], '0.005');
  assert.deepEqual(
    seen(on).filter((line) => line.startsWith('BUY')),
    ['BUY MARKET FILLED'],
  );
  await assertOneEach(on);
});
