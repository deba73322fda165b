import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { ROOT } from '#test/harness/source-files.ts';
import { DOCUMENTS } from './documents.ts';

for (const [path, make] of Object.entries(DOCUMENTS))
  test(`${path} says what the code says; npm run documents writes it anew`, () => {
    assert.equal(readFileSync(join(ROOT, path), 'utf8'), make());
  });
