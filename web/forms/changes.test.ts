import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changesOf, patchOf } from './changes.ts';

const config = { sell: { stop: '0.97' }, levels: [{ at: '1' }, { at: '0.98' }] };

test('changes become a patch, a list whole', () => {
  const changes = [
    { path: 'sell.stop', value: '0.95' },
    { path: 'levels.1.at', value: '0.96' },
  ];
  assert.deepEqual(patchOf(config, changes), {
    sell: { stop: '0.95' },
    levels: [{ at: '1' }, { at: '0.96' }],
  });
  assert.deepEqual(patchOf(config, []), {});
});

test('an address proposes changes as pairs; what is none changes nothing', () => {
  assert.deepEqual(changesOf('[["sell.stop","0.95"],[7,1],"x"]'), [{ path: 'sell.stop', value: '0.95' }]);
  for (const text of [undefined, '', '{}', '[', '"a"']) assert.deepEqual(changesOf(text), []);
});
