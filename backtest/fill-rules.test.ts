// One case per rule of filling. Prices on a grid of 0.01, lots of 0.001, fee 0.1 %, 1000 at the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import type { Terms } from './fills.ts';
import { type KernelRun, runKernel } from './kernel.ts';
import type { CandlePath } from './resting.ts';
import { runBacktest } from './run.ts';
import { candlesOf, type Script, scripted } from './test-script.ts';

const TERMS: Terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
const STOP = { offset: requireDecimal('0.995'), onBandBlock: 'notify' } as const;
const BUY = { kind: 'buy', reason: 'entry', level: 0 } as const;
const SELL = { kind: 'sell', reason: 'exit', lots: 'all' } as const;
const maker = (limit: number) => ({ ...BUY, form: { type: 'maker', limit } }) as const;
const chase = (stop: number, limit: number) => ({ ...BUY, form: { type: 'chase', stop, limit } }) as const;

interface Case extends Script {
  readonly candles: readonly string[];
  readonly terms?: Partial<Terms>;
  readonly rules?: Partial<typeof GOLDEN_RULES>;
  readonly path?: CandlePath;
}

function run({ candles, terms, rules, path, ...script }: Case): KernelRun {
  const detail = candlesOf('1m', candles);
  const input = { rules: { ...GOLDEN_RULES, ...rules }, terms: { ...TERMS, ...terms }, signal: detail, detail };
  const window = { start: 0, end: candles.length, ...(path === undefined ? {} : { path }) };
  return runKernel({ bound: scripted(script), ...input, ...window });
}

const LEVELS = new Set(['exit-stop-loss', 'exit-trail', 'exit-failed-stop']);
/** Each fill as `minute side quantity @ price`, with `maker` where it waited and its level for a stop. */
const fillsOf = ({ book }: KernelRun): string[] =>
  book.fills.map(({ fill, reason }) => {
    const minute = Math.floor(fill.at.getTime() / 60_000);
    const text = `${minute} ${fill.side} ${formatDecimal(fill.quantity)} @ ${formatDecimal(fill.price)}`;
    return `${text}${fill.maker ? ' maker' : ''}${LEVELS.has(reason) ? ` ${reason.slice('exit-'.length)}` : ''}`;
  });

// 100 / (100 * 1.002) = 0.998 coins, 0.997002 after the fee: 0.997 can be sold.
const BOUGHT = '1 buy 0.998 @ 100';
const FLAT_AT_100 = '100/100/100/100';

test('a waiting buy fills only when the price trades through its limit, and pays the maker fee', () => {
  const terms = { makerFeeRate: requireDecimal('0.0005') };
  // 99.00 is touched in minute 1 and traded through in minute 2: 100 / 99 = 1.010.
  const candles = [FLAT_AT_100, '100/100/99/100', '100/100/98.99/100', FLAT_AT_100];
  const traded = run({ decisions: { 0: maker(9900) }, candles, terms });
  assert.deepEqual(fillsOf(traded), ['2 buy 1.01 @ 99 maker']);
  assert.equal(formatDecimal(traded.book.position.quantity), '1.009495');
  // If the order had been first in the queue, the touch would have been enough: one doubtful candle.
  assert.equal(traded.book.ambiguous, 1);
  const lucky = run({ decisions: { 0: maker(9900) }, candles, terms, path: 'fall-first' });
  assert.deepEqual(fillsOf(lucky), ['1 buy 1.01 @ 99 maker']);
});

test('a waiting buy below whose limit a candle opens fills at that open, inside the candle', () => {
  const candles = [FLAT_AT_100, '98.5/98.7/98/98.2', FLAT_AT_100];
  assert.deepEqual(fillsOf(run({ decisions: { 0: maker(9900) }, candles })), ['1 buy 1.01 @ 98.5 maker']);
  // Set off in minute 1 above its limit of 101.50, it waits; minute 2 opens below that.
  const chased = [FLAT_AT_100, '102/103/102/102', '101.2/101.3/101/101.1'];
  assert.deepEqual(fillsOf(run({ decisions: { 0: chase(10_100, 10_150) }, candles: chased })), [
    '2 buy 0.985 @ 101.2 maker',
  ]);
});

test('a buy of one lot is refused where its fee comes out of the lot, and made where fees are paid in another asset', () => {
  const rules = { lot: { ...GOLDEN_RULES.lot, step: requireDecimal('1'), min: requireDecimal('1') } };
  const candles = ['50/50/50/50', '50/50/50/50'];
  const taken = run({ decisions: { 0: BUY }, candles, rules });
  assert.deepEqual([fillsOf(taken), taken.counts[taken.reasons.indexOf('size-exit-infeasible')]], [[], 1]);
  const other = run({ decisions: { 0: BUY }, candles, rules, terms: { feeIn: 'other' } });
  assert.deepEqual(fillsOf(other), ['1 buy 1 @ 50']);
});

test('a waiting buy locks its cost and can be taken back', () => {
  const seen: (number | undefined)[] = [];
  const decisions = { 0: maker(9900), 1: { kind: 'cancel', reason: 'order-entry-timeout' } } as const;
  const watch: Script['watch'] = (view) => seen.push(view.waiting?.limit);
  const { book } = run({ decisions, watch, candles: [FLAT_AT_100, FLAT_AT_100, '100/100/90/90', '90/90/90/90'] });
  assert.deepEqual([book.fills.length, seen], [0, [undefined, 9900, undefined, undefined]]);
});

test('a buy that follows the price is set off by a touch from below and pays no more than its limit', () => {
  // Set off at 101 in minute 1; slippage of 1 % would be 102.01, the limit is 101.50: 100 / 101.5 = 0.985.
  const decisions = { 0: chase(10_100, 10_150) };
  const slippage = requireDecimal('0.01');
  const crossed = run({ decisions, candles: [FLAT_AT_100, '100/101/100/100.5', FLAT_AT_100], terms: { slippage } });
  assert.deepEqual(fillsOf(crossed), ['1 buy 0.985 @ 101.5']);
  // Opens at 102, above the limit: it waits, and 101.49 trades through it in minute 2.
  const jumped = run({ decisions, candles: [FLAT_AT_100, '102/103/102/102', '102/102/101.49/102'] });
  assert.deepEqual(fillsOf(jumped), ['2 buy 0.985 @ 101.5 maker']);
  // Opens between stop and limit: it fills at the open.
  const between = run({ decisions, candles: [FLAT_AT_100, '101.2/103/101/102'] });
  assert.deepEqual(fillsOf(between), ['1 buy 0.985 @ 101.2']);
});

test('the stop rests from the fill on, is set off by a touch and sells there', () => {
  // Bought at the open of minute 1; its stop at 97 is touched by the low of the same minute.
  const held = { decisions: { 0: BUY }, stops: { 0: 9700 }, protectiveStop: STOP };
  const touched = run({ ...held, candles: [FLAT_AT_100, '100/100/97/98', FLAT_AT_100] });
  assert.deepEqual(fillsOf(touched), [BOUGHT, '1 sell 0.997 @ 97 stop-loss']);
  // One tick above it nothing happens.
  assert.deepEqual(fillsOf(run({ ...held, candles: [FLAT_AT_100, '100/100/97.01/98'] })), [BOUGHT]);
  // Slippage of 0.2 % sells at 96.80, of 1 % at the limit: 97 * 0.995 = 96.51.
  for (const [slippage, price] of [
    ['0.002', '96.8'],
    ['0.01', '96.51'],
  ] as const) {
    const slipped = run({
      ...held,
      candles: [FLAT_AT_100, '100/100/97/98'],
      terms: { slippage: requireDecimal(slippage) },
    });
    assert.equal(fillsOf(slipped)[1]?.split(' @ ')[1], `${price} stop-loss`);
  }
});

test('a gap through the stop sells at the open; below the limit it waits for a trade through it', () => {
  const held = { decisions: { 0: BUY }, stops: { 0: 9700 }, protectiveStop: STOP };
  const sold = (third: string, ...more: string[]): string[] =>
    fillsOf(run({ ...held, candles: [FLAT_AT_100, FLAT_AT_100, third, ...more] })).slice(1);
  assert.deepEqual(sold('96.7/97/96/96'), ['2 sell 0.997 @ 96.7 stop-loss']);
  // Opens at 96, below the limit of 96.51, which the same candle trades through.
  assert.deepEqual(sold('96/96.6/95/96'), ['2 sell 0.997 @ 96.51 maker stop-loss']);
  // It does not: at the close the position is sold at the market, as live, at the next open.
  assert.deepEqual(sold('96/96.51/95/95.5', '95.2/95.2/95/95'), ['3 sell 0.997 @ 95.2 failed-stop']);
});

test('what fills inside a candle counts from its last moment on, what fills at its open from then on', () => {
  const held = { stops: { 0: 9700 }, protectiveStop: STOP, shared: { lossCooldownMs: 120_000 } };
  const after = [FLAT_AT_100, FLAT_AT_100, FLAT_AT_100, FLAT_AT_100];
  // Sold at a loss somewhere in minute 1: after 2 minutes, at 3:00, it may not be 2 minutes ago; at 4:00 it is.
  const inside = run({
    ...held,
    decisions: { 0: BUY, 2: BUY, 3: BUY },
    candles: [FLAT_AT_100, '100/100/97/97', ...after],
  });
  assert.deepEqual(fillsOf(inside).slice(1), ['1 sell 0.997 @ 97 stop-loss', '4 buy 0.998 @ 100']);
  assert.equal(inside.book.fills[1]?.fill.at.getTime(), 119_999);
  // Sold at 2:00 by a gap: 2 minutes later is 4:00.
  const gap = [FLAT_AT_100, FLAT_AT_100, '96.7/97/96/96', ...after];
  const opened = run({ ...held, decisions: { 0: BUY, 2: BUY, 3: BUY }, candles: gap });
  assert.deepEqual(fillsOf(opened).slice(1), ['2 sell 0.997 @ 96.7 stop-loss', '4 buy 0.998 @ 100']);
});

test('the stop moves up with the level by more than 0.1 %, never down, and leaves with the exit', () => {
  const held = { decisions: { 0: BUY, 4: SELL }, protectiveStop: STOP };
  // 97.00 to 97.09 is less than 97.09 * 0.001; 97.10 is moved to; a level that falls to 96 changes nothing.
  const stops = { 0: 9700, 1: 9709, 2: 9710, 3: 9600 };
  const candles = [FLAT_AT_100, FLAT_AT_100, FLAT_AT_100, FLAT_AT_100, FLAT_AT_100, '99/99/97/97.5'];
  assert.deepEqual(fillsOf(run({ ...held, stops, candles })), [BOUGHT, '5 sell 0.997 @ 99']);
  const fallen = [...candles.slice(0, 3), '100/100/97.1/98'];
  assert.deepEqual(fillsOf(run({ ...held, stops, candles: fallen })).at(-1), '3 sell 0.997 @ 97.1 stop-loss');
});

test('a fill of the stop names the level it stood at', () => {
  const held = {
    decisions: { 0: BUY },
    stops: { 0: 9700, 1: 9900 },
    levels: { 1: 'exit-trail' },
    protectiveStop: STOP,
  };
  const early = run({ ...held, candles: [FLAT_AT_100, '100/100/97/98'] });
  assert.deepEqual(fillsOf(early).slice(1), ['1 sell 0.997 @ 97 stop-loss']);
  const moved = run({ ...held, candles: [FLAT_AT_100, FLAT_AT_100, '100/100/98/98'] });
  assert.deepEqual(fillsOf(moved).slice(1), ['2 sell 0.997 @ 99 trail']);
  assert.equal(moved.book.cycles[0]?.exitReason, 'exit-trail');
});

test('a stop that did not sell in time is a failed stop, also where the strategy sells at that close', () => {
  const held = { stops: { 0: 9700 }, protectiveStop: STOP };
  const candles = [FLAT_AT_100, FLAT_AT_100, '96/96.51/95/95.5', '95.2/95.2/95/95'];
  const failed = run({ ...held, decisions: { 0: BUY, 2: SELL }, candles });
  assert.deepEqual(fillsOf(failed).slice(1), ['3 sell 0.997 @ 95.2 failed-stop']);
});

const TRAILING = {
  orderTypes: ['LIMIT', 'MARKET', 'STOP_LOSS', 'STOP_LOSS_LIMIT'],
  // The exchange accepts no price below 98 % of the present one.
  band: {
    bidUp: requireDecimal('5'),
    bidDown: requireDecimal('0.2'),
    askUp: requireDecimal('5'),
    askDown: requireDecimal('0.98'),
  },
  trailing: { min: 10, max: 2000 },
};

test('where the band forbids the stop, the exchange trails the price from the same distance', () => {
  const held = {
    decisions: { 0: BUY },
    stops: { 0: 9700 },
    protectiveStop: { ...STOP, onBandBlock: 'native-trail' },
    rules: TRAILING,
  } as const;
  // 3 % below the best price: minute 2 rises to 104, so it sells at 100.88 on the way down to 100.5.
  const candles = [FLAT_AT_100, FLAT_AT_100, '100/104/100.5/101', '101/101/101/101'];
  const risen = run({ ...held, candles });
  assert.deepEqual(fillsOf(risen), [BOUGHT, '2 sell 0.997 @ 100.88 stop-loss']);
  assert.equal(risen.book.ambiguous, 1);
  // Had the low come first, the stop of 97 would not have been reached, and 101 is above 100.88.
  const fallen = run({ ...held, candles, path: 'fall-first' });
  assert.deepEqual(fillsOf(fallen), [BOUGHT]);
  // A gap below its level sells at the open.
  const gap = run({ ...held, candles: [FLAT_AT_100, FLAT_AT_100, '96/96/95/95'] });
  assert.deepEqual(fillsOf(gap), [BOUGHT, '2 sell 0.997 @ 96 stop-loss']);
});

test('clamped, the stop rests at the lowest price allowed, a cushion above the edge', () => {
  // 98 / 0.995 * 1.01 = 99.477, up to 99.48; its limit is 98.98.
  const held = {
    decisions: { 0: BUY },
    stops: { 0: 9700 },
    protectiveStop: { ...STOP, onBandBlock: 'clamp' },
    rules: TRAILING,
  } as const;
  const sold = run({ ...held, candles: [FLAT_AT_100, FLAT_AT_100, '100/100/99.48/100'] });
  assert.deepEqual(fillsOf(sold), [BOUGHT, '2 sell 0.997 @ 99.48 stop-loss']);
});

test('a buy on the way down fills before the stop below it, which then guards what both bought', () => {
  // 0.998 at 100; the add waits at 98: 100 / 98 = 1.020. Level 97 lies below both.
  const decisions = { 0: BUY, 1: { ...maker(9800), level: 1 } };
  const candles = [FLAT_AT_100, FLAT_AT_100, '99/99/96.9/97', '97/97/97/97'];
  const both = run({ decisions, stops: { 0: 9700 }, protectiveStop: STOP, candles });
  // 0.997002 + 1.020 * 0.999 = 2.015982.
  assert.deepEqual(fillsOf(both), [BOUGHT, '2 buy 1.02 @ 98 maker', '2 sell 2.015 @ 97 stop-loss']);
  assert.equal(both.book.ambiguous, 0);
});

test('a buy on the way up and the stop below it in one candle: the band holds both outcomes', () => {
  const decisions = { 0: BUY, 1: { ...chase(10_100, 10_150), level: 1 } };
  // 100 / 101.5 = 0.985 at 101; then down to 97 where 0.997002 + 0.984015 are sold, or the other way around.
  const candles = [FLAT_AT_100, FLAT_AT_100, '100/101/97/98', '98/98/98/98'];
  const script = { decisions, stops: { 0: 9700 }, protectiveStop: STOP, candles };
  const risen = run(script);
  assert.deepEqual(fillsOf(risen), [BOUGHT, '2 buy 0.985 @ 101', '2 sell 1.981 @ 97 stop-loss']);
  assert.equal(risen.book.ambiguous, 1);
  const fallen = run({ ...script, path: 'fall-first' });
  assert.deepEqual(fillsOf(fallen), [BOUGHT, '2 sell 0.997 @ 97 stop-loss', '2 buy 0.985 @ 101']);
});

test('the result tells worst, base and best', () => {
  const decisions = { 0: BUY, 1: { ...chase(10_100, 10_150), level: 1 } };
  const candles = candlesOf('1m', [FLAT_AT_100, FLAT_AT_100, '100/101/97/98', '98/98/98/98']);
  const bound = scripted({ decisions, stops: { 0: 9700 }, protectiveStop: STOP });
  const outcome = runBacktest({ bound, rules: GOLDEN_RULES, terms: TERMS, candles });
  assert.ok(outcome.kind === 'result');
  const { ambiguity, metrics } = outcome.result;
  assert.deepEqual([ambiguity.candles, ambiguity.base], [1, metrics.finalEquity]);
  // Base: 99.8 and 99.485 paid, 1.981 * 97 * 0.999 received, 0.000017 left at 98.
  assert.equal(ambiguity.worst.toFixed(6), (1000 - 199.285 + 191.964843 + 0.001666).toFixed(6));
  // The other way: 0.997 sold at 97, 0.984015 held at 98 with 0.000002 of the first.
  assert.equal(ambiguity.best.toFixed(6), (1000 - 199.285 + 96.612291 + 0.984017 * 98).toFixed(6));
});

/** The result of one buy about its stop at 97, whose limit is 96.51. */
function bandOf(candles: readonly string[], terms: Partial<Terms> = {}) {
  const bound = scripted({ decisions: { 0: BUY }, stops: { 0: 9700 }, protectiveStop: STOP });
  const series = candlesOf('1m', [FLAT_AT_100, FLAT_AT_100, ...candles]);
  const outcome = runBacktest({ bound, rules: GOLDEN_RULES, terms: { ...TERMS, ...terms }, candles: series });
  assert.ok(outcome.kind === 'result');
  return outcome.result.ambiguity;
}

test('a stop that sold on a candle which went on beyond its limit: at worst it waits, or sells at the next open', () => {
  // 0.997 sold at 97, less the fee; at worst at 96.51, which the candle comes back to.
  const back = bandOf(['100/100/95/98', '98/98/98/98']);
  assert.deepEqual([back.candles, back.stops, back.crossed], [1, 1, 0]);
  assert.equal(back.best, back.base);
  assert.equal((back.base - back.worst).toFixed(6), (0.997 * (97 - 96.51) * 0.999).toFixed(6));
  // It closes below the limit: at worst all is sold at the next open, 94.
  const through = bandOf(['100/100/95/95', '94/94/94/94']);
  assert.equal((through.base - through.worst).toFixed(6), (0.997 * (97 - 94) * 0.999).toFixed(6));
  // Slippage of 1 % filled it at the limit. In the worst case it is cancelled and sold at the low of 95.
  const slipped = bandOf(['100/100/95/98', '98/98/98/98'], { slippage: requireDecimal('0.01') });
  assert.equal((slipped.base - slipped.worst).toFixed(6), (0.997 * (96.51 - 95) * 0.999).toFixed(6));
  // An open above the limit sells no better than the limit.
  const risen = bandOf(['100/100/95/95', '99/99/99/99']);
  assert.equal((risen.base - risen.worst).toFixed(6), (0.997 * (97 - 96.51) * 0.999).toFixed(6));
});

test('a stop whose limit held, or that a gap has sold at the open, leaves no doubt', () => {
  for (const candles of [['100/100/96.51/98'], ['96.7/97/95/95']]) {
    const { candles: doubtful, stops, worst, base, best } = bandOf([...candles, '95/95/95/95']);
    assert.deepEqual([doubtful, stops, worst, best], [0, 0, base, base]);
  }
});

test('a share of the volume fills an order in parts; the rest waits for the next candles', () => {
  // A tenth of 4 coins is 0.4 a candle; 0.2 fills the rest in minute 3.
  const terms = { participation: requireDecimal('0.1') };
  const seen: boolean[] = [];
  const watch: Script['watch'] = (view) => seen.push(view.entryOrderOpen);
  const candles = [
    '100/100/100/100/4',
    '100/100/100/100/4',
    '101/101/101/101/4',
    '102/102/102/102/4',
    '102/102/102/102/4',
  ];
  const parts = run({ decisions: { 0: BUY }, terms, watch, candles });
  assert.deepEqual(fillsOf(parts), ['1 buy 0.4 @ 100', '2 buy 0.4 @ 101', '3 buy 0.198 @ 102']);
  assert.deepEqual(seen, [false, true, true, false, false]);
});

test('fees in another asset leave the coins whole and are taken from the cash', () => {
  const { book } = run({
    decisions: { 0: BUY, 1: SELL },
    terms: { feeIn: 'other' },
    candles: [FLAT_AT_100, FLAT_AT_100, '101/101/101/101'],
  });
  // 0.998 coins for 99.80 and a fee of 0.0998, sold for 100.798 less 0.100798.
  assert.equal(formatDecimal(book.balance.cash), '1000.797402');
  assert.equal(formatDecimal(book.position.quantity), '0');
  assert.equal(formatDecimal(book.cycles[0]?.net ?? ZERO), '0.797402');
});

test('the rest of a stop that is too small to sell blocks no buy', () => {
  const terms = { participation: requireDecimal('0.1') };
  // 0.97 of 0.997 sell at the touch of 97. The rest of 0.027 is below the minimum order value and waits at 96.51.
  const [flat, low] = [`${FLAT_AT_100}/100`, '96/96/96/96/100'];
  const candles = [flat, flat, '100/100/96/96/9.7', low, low];
  const held = { decisions: { 0: BUY, 3: BUY }, stops: { 0: 9700, 3: 9000 }, protectiveStop: STOP };
  assert.deepEqual(fillsOf(run({ ...held, candles, terms })), [
    BOUGHT,
    '2 sell 0.97 @ 97 stop-loss',
    '4 buy 1.039 @ 96',
  ]);
});
