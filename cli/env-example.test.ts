import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

const ROOT = join(import.meta.dirname, '..');
const namesIn = (path: string, pattern: RegExp) =>
  new Set(Array.from(readFileSync(join(ROOT, path), 'utf8').matchAll(pattern), ([, name]) => name));

test('.env.example explains exactly the variables that are read', () => {
  const read = namesIn('core/installation/env.ts', /^ {2}([A-Z][A-Z_]+):/gm);
  assert(read.has('DATABASE_URL'));
  assert.deepEqual(namesIn('.env.example', /^([A-Z_]+)=/gm), read);
});
