import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Judged, sweepVerdict } from './verdict.ts';

const measured = (chance: number) => ({ kind: 'measured', chance, trials: 9 }) as const;
const GOOD: Judged = {
  evaluated: 9,
  profitable: 5,
  rows: [{ totalReturn: 0.2 }],
  luck: measured(0.012),
  overfitting: 0.1,
  walkForward: { totalReturn: 0.05 },
};

for (const [what, found, kind, text] of [
  [
    'no set made money',
    { ...GOOD, profitable: 0, luck: measured(0.9) },
    'no-profit',
    /^None of the 9 sets made money\.$/,
  ],
  ['the best lost', { ...GOOD, rows: [{ totalReturn: -0.01 }] }, 'no-profit', /best set by this ranking made no money/],
  [
    'no set made money on three trades',
    { ...GOOD, profitable: 0, luck: { kind: 'few-trades', trades: 3, needed: 30 } },
    'too-few-trades',
    /^The best set closed 3 trades\./,
  ],
  [
    'a best set that lost on 412 trades',
    { ...GOOD, profitable: 0, luck: { kind: 'short-record', trades: 412, days: 365, needed: null } },
    'no-profit',
    /^None of the 9 sets made money\.$/,
  ],
  [
    'three trades',
    { ...GOOD, luck: { kind: 'few-trades', trades: 3, needed: 30 } },
    'too-few-trades',
    /^The best set closed 3 trades\. At least 30 are needed to distinguish skill from luck\.$/,
  ],
  [
    'a short record',
    { ...GOOD, luck: { kind: 'short-record', trades: 412, days: 365, needed: 1204 } },
    'too-few-trades',
    /closed 412 trades in 365 days\. With its Sharpe ratio at least 1,204 days are needed/,
  ],
  ['one great day', { ...GOOD, luck: { kind: 'irregular', trades: 31 } }, 'too-few-trades', /Luck cannot be measured/],
  ['an old sweep', { ...GOOD, luck: { kind: 'not-measured' } }, 'not-measured', /Run it again/],
  [
    'luck of 37 %',
    { ...GOOD, luck: measured(0.37) },
    'likely-luck',
    /^A result this good would come from luck alone in 37\.0 % of cases\./,
  ],
  ['luck of 80 %', { ...GOOD, luck: measured(0.8) }, 'likely-luck', /in 80\.0 % of cases\.$/],
  ['overfitting', { ...GOOD, overfitting: 0.6 }, 'likely-luck', /below the median set in the other half in 60\.0 %/],
  [
    'a loss later',
    { ...GOOD, walkForward: { totalReturn: -0.02 } },
    'likely-luck',
    /no choice had seen it made -2\.0 %/,
  ],
  ['no walk-forward', { ...GOOD, walkForward: undefined }, 'not-tried-forward', /Run a walk-forward/],
  ['all of it', GOOD, 'promising', /luck alone in 1\.2 % of cases\. On days that no choice had seen it made 5\.0 %/],
] as const) {
  test(`the verdict about ${what}`, () => {
    const verdict = sweepVerdict(found);
    assert.equal(verdict.kind, kind);
    assert.match(verdict.text, text);
  });
}

test('what is below a thousandth is not called zero', () =>
  assert.match(sweepVerdict({ ...GOOD, luck: measured(1e-7) }).text, /in less than 0\.1 % of cases/));
