import assert from 'node:assert/strict';
import { test } from 'node:test';
import { browserName } from './push.ts';

test('a browser is named by its product and system', () => {
  const chrome =
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/130.0 Safari/537.36';
  assert.equal(browserName(chrome), 'Chrome on Windows');
  assert.equal(browserName(`${chrome} Edg/130.0`), 'Edge on Windows');
  const safari =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1';
  assert.equal(browserName(safari), 'Safari on iPhone');
  assert.equal(browserName('curl'), 'Browser on another system');
});
