import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knownBlockers } from '#web/data/blockers.ts';
import type { Dashboard } from '#web/data/answers.ts';
import { noneText, noTradesText } from './none-text.ts';

const CLEAR: Dashboard['blockers'] = {
  checkedAt: '2026-11-20T14:12:07.000Z',
  list: [],
  waiting: 2,
  coins: 3,
  undecided: 0,
};

test('none is only said when every coin was decided on', () => {
  assert.equal(noneText(CLEAR), 'None. 2 coins wait for their buy price.');
  assert.equal(noneText({ ...CLEAR, waiting: 1 }), 'None. 1 coin waits for its buy price.');
  assert.equal(noneText({ ...CLEAR, waiting: 0 }), 'None.');
  assert.equal(noneText({ ...CLEAR, undecided: 1 }), 'Not known yet: 1 coin has not been decided on.');
  assert.equal(noneText({ ...CLEAR, coins: 0 }), 'No running profile has a coin.');
});

test('prices that stopped hide the blockers below them', () => {
  const cooled: Dashboard['blockers']['list'][number] = {
    ...{ kind: 'cool-down', scope: 'coin', accountId: null, profileId: null, symbol: 'BTCUSDT', name: 'BTC' },
    ...{ sentence: 'has a cool-down.', since: null, orderId: null, behind: false, everything: false },
  };
  const list = knownBlockers({ ...CLEAR, list: [cooled] }, 7_400);
  assert.deepEqual(
    list.map(({ kind, behind, sentence }) => [kind, behind, sentence]),
    [
      ['price', false, 'No price has arrived for 7 s.'],
      ['cool-down', true, 'has a cool-down.'],
    ],
  );
  assert.deepEqual(knownBlockers({ ...CLEAR, list: [cooled] }, 4_999), [cooled]);
});

test('after the first decisions the activity no longer says that there were none', () => {
  assert.match(noTradesText(0), /^No activity yet/);
  assert.match(noTradesText(1_400), /^No trades yet/);
});
