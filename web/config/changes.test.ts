import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf } from './changes.ts';

test('an address proposes changes as pairs; what is none changes nothing', () => {
  assert.deepEqual(changesOf('[["sell.stop","0.95"],[7,1],"x"]'), [{ path: 'sell.stop', value: '0.95' }]);
  for (const text of [undefined, '', '{}', '[', '"a"']) assert.deepEqual(changesOf(text), []);
});
