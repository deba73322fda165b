import assert from 'node:assert/strict';
import { test } from 'node:test';
import { COST_NAMES, DEFAULT_COSTS } from './costs.ts';
import { costTerms } from './research.ts';

test('the costs without the schema library are the defaults of the schema', () => {
  assert.deepEqual(costTerms.parse({}), DEFAULT_COSTS);
  assert.deepEqual(COST_NAMES.toSorted(), Object.keys(costTerms.shape).toSorted());
});
