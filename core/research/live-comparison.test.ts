import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareResults, type Outcome, verdictOf } from './live-comparison.ts';
import { randomFrom } from './random.ts';

/** 60 % win 2 %, the rest loses 1.5 %: mean 0.6 %, profit factor 2. */
const cycleOf = (won: boolean): Outcome => (won ? { net: 2, share: 0.02 } : { net: -1.5, share: -0.015 });
const drawn = (count: number, wins: number, seed: number): Outcome[] => {
  const random = randomFrom(seed);
  return Array.from({ length: count }, () => cycleOf(random() < wins));
};
const TESTED = { cycles: Array.from({ length: 100 }, (_, i) => cycleOf(i % 5 < 3)), slippageBps: 2 };
const judged = (cycles: Outcome[], slippages: number[] = []) =>
  compareResults({ tested: TESTED, live: { cycles, slippages } });
const verdicts = (tests: ReturnType<typeof judged>): string[] => tests.map(({ verdict }) => verdict);

test('nothing is said before there is enough to say', () => {
  const tests = judged([]);
  assert.deepEqual(verdicts(tests), ['undecided', 'undecided', 'undecided']);
  assert.equal(verdictOf(tests), 'undecided');
  assert.deepEqual(
    tests.map(({ tested, live }) => [tested, live]),
    [
      [0.6, null],
      [2, null],
      [2, null],
    ],
  );
  assert.equal(verdictOf(judged([cycleOf(false), cycleOf(false)])), 'undecided');
});

test('by hand: a row of losses speaks ln(0.55 / 0.40) each for a lower win rate, fifteen of them are enough', () => {
  const losses = (count: number) => judged(Array.from({ length: count }, () => cycleOf(false)))[0];
  const one = losses(1);
  assert.equal(one?.evidence.toFixed(6), Math.log(0.55 / 0.4).toFixed(6));
  assert.equal(losses(14)?.verdict, 'undecided');
  assert.equal(losses(15)?.verdict, 'worse');
});

test('wolf is cried over few profiles that trade as tested, and of those that do not few are missed', () => {
  const runs = Array.from({ length: 400 }, (_, seed) => seed + 1);
  const first = (wins: number) =>
    runs.map((seed) => {
      // One round: the decision that comes first.
      for (let n = 5; n <= 400; n += 5) {
        const [wonShare] = judged(drawn(n, wins, seed));
        if (wonShare !== undefined && wonShare.verdict !== 'undecided') return wonShare.verdict;
      }
      return 'undecided';
    });
  const share = (list: readonly string[], verdict: string): number =>
    list.filter((one) => one === verdict).length / list.length;
  assert.ok(share(first(0.6), 'worse') <= 0.015, String(share(first(0.6), 'worse')));
  assert.ok(share(first(0.45), 'as-tested') <= 0.11, String(share(first(0.45), 'as-tested')));
});

test('a decline after a good time is seen; worse stays; slippage has a test of its own', () => {
  const good = drawn(200, 0.62, 7);
  assert.equal(judged(good)[0]?.verdict, 'as-tested');
  const later = judged([...good, ...drawn(80, 0.3, 8)]);
  assert.deepEqual([later[0]?.verdict, later[1]?.verdict, verdictOf(later)], ['worse', 'worse', 'worse']);
  const steady = Array.from({ length: 40 }, (_, i) => (i % 2 === 0 ? 1 : 3));
  assert.equal(judged([], steady)[2]?.verdict, 'as-tested');
  const slipping = judged(
    [],
    steady.map((bps) => bps + 12),
  );
  assert.deepEqual([slipping[2]?.verdict, slipping[2]?.live, verdictOf(slipping)], ['worse', 14, 'worse']);
});

test('a backtest that closed little or made nothing is no measure', () => {
  const live = { cycles: drawn(50, 0.1, 3), slippages: [] };
  const few = compareResults({ tested: { cycles: TESTED.cycles.slice(0, 5), slippageBps: 0 }, live });
  assert.deepEqual(verdicts(few), ['undecided', 'undecided', 'undecided']);
  assert.match(few[0]?.sentence ?? '', /fewer than 10/);
  const lost = compareResults({ tested: { cycles: drawn(50, 0.1, 4), slippageBps: 0 }, live });
  assert.equal(lost[1]?.verdict, 'undecided');
  assert.match(lost[1]?.sentence ?? '', /made no profit/);
});
