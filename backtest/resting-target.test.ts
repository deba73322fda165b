// A target that rests next to the stop. Prices on a grid of 0.01, lots of 0.001, fee 0.1 %, 1000 at the start.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDecimal, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { GOLDEN_RULES } from '#test/golden/market-run.ts';
import type { Terms } from './fills.ts';
import { type KernelRun, runKernel } from './kernel.ts';
import type { CandlePath } from './resting.ts';
import { candlesOf, type Script, scripted } from './test-script.ts';

const TERMS: Terms = { balance: requireDecimal('1000'), feeRate: requireDecimal('0.001'), slippage: ZERO };
const STOP = { offset: requireDecimal('0.995'), onBandBlock: 'notify', restsTarget: true } as const;
/** Bought at 100 in minute 1, with a stop at 97 and a target at 105. */
const HELD: Script = {
  decisions: { 0: { kind: 'buy', reason: 'entry', level: 0 } },
  ...{ stops: { 0: 9700 }, target: 10_500, protectiveStop: STOP },
};
const FLAT = '100/100/100/100';

interface Case {
  readonly candles: readonly string[];
  readonly script?: Partial<Script>;
  readonly rules?: Partial<typeof GOLDEN_RULES>;
  readonly terms?: Partial<Terms>;
  readonly path?: CandlePath;
}

function run({ candles, script, rules, terms, path }: Case): KernelRun {
  const detail = candlesOf('1m', [FLAT, ...candles]);
  const window = { start: 0, end: candles.length + 1, ...(path === undefined ? {} : { path }) };
  return runKernel({
    ...{ bound: scripted({ ...HELD, ...script }), terms: { ...TERMS, ...terms }, signal: detail, detail },
    ...{ rules: { ...GOLDEN_RULES, lists: true, ...rules }, ...window },
  });
}

/** Sales as `minute quantity @ price reason`, with `maker` where the order waited. */
const salesOf = ({ book }: KernelRun): string[] =>
  book.fills
    .filter(({ fill }) => fill.side === 'sell')
    .map(({ fill, reason }) => {
      const minute = Math.floor(fill.at.getTime() / 60_000);
      const text = `${minute} ${formatDecimal(fill.quantity)} @ ${formatDecimal(fill.price)} ${reason}`;
      return fill.maker ? `${text} maker` : text;
    });

test('the target sells at its limit once the price trades through it, and pays the maker fee', () => {
  const terms = { makerFeeRate: requireDecimal('0.0005') };
  const { book, ...rest } = run({ candles: [FLAT, '104/105/104/104', '104/105.01/104/104', FLAT], terms });
  assert.deepEqual(salesOf({ book, ...rest }), ['3 0.997 @ 105 exit-take-profit maker']);
  assert.deepEqual([book.stop, book.target, book.ambiguous], [null, null, 0]);
});

test('the stop sells at its trigger and ends the target', () => {
  const { book, ...rest } = run({ candles: [FLAT, '98/98/97/98', '104/106/104/104'] });
  assert.deepEqual(salesOf({ book, ...rest }), ['2 0.997 @ 97 exit-stop-loss']);
  assert.deepEqual([book.stop, book.target], [null, null]);
});

test('a candle that reaches both is doubtful: the assumed path decides', () => {
  const candles = [FLAT, '100/105.01/97/100', FLAT];
  const rise = run({ candles });
  assert.deepEqual([salesOf(rise), rise.book.ambiguous], [['2 0.997 @ 105 exit-take-profit maker'], 1]);
  const fall = run({ candles, path: 'fall-first' });
  assert.deepEqual([salesOf(fall), fall.book.ambiguous], [['2 0.997 @ 97 exit-stop-loss'], 1]);
});

test('a candle that opens beyond one of them is certain', () => {
  const low = run({ candles: [FLAT, '96.9/106/96/100'] });
  assert.deepEqual([salesOf(low), low.book.ambiguous], [['2 0.997 @ 96.9 exit-stop-loss'], 0]);
  const high = run({ candles: [FLAT, '106/106/96/100'], path: 'fall-first' });
  assert.deepEqual([salesOf(high), high.book.ambiguous], [['2 0.997 @ 105 exit-take-profit maker'], 0]);
});

test('a stop that opened below its limit has ended the target', () => {
  const { book, ...rest } = run({ candles: [FLAT, '95/95/94/94', '106/106/106/106'] });
  assert.deepEqual(salesOf({ book, ...rest }), ['3 0.997 @ 106 exit-failed-stop']);
  assert.equal(book.target, null);
});

test('the rest of a partly sold target gets a stop and a target again at the close', () => {
  const terms = { participation: requireDecimal('0.1') };
  const { book, ...rest } = run({ candles: [FLAT, '104/105.01/104/104/5', '104/104/104/104'], terms });
  assert.deepEqual(salesOf({ book, ...rest }), ['2 0.5 @ 105 exit-take-profit maker']);
  const left = book.target?.quantity;
  assert.ok(left !== undefined && left === book.stop?.quantity);
  assert.equal(formatDecimal(left), '0.497');
});

test('without lists of the coin the stop rests alone', () => {
  const alone = run({ candles: [FLAT, '104/105.01/104/104'], rules: { lists: false } });
  assert.deepEqual([salesOf(alone), alone.book.target], [[], null]);
  assert.notEqual(alone.book.stop, null);
});
