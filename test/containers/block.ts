import assert from 'node:assert/strict';
import { fencedBlocks } from '#test/harness/fenced.ts';

/** A block of a document that needs an engine. */
export function blockOf(path: string, words: RegExp): string {
  const found = fencedBlocks(path).find(({ needs, text }) => needs === 'a Docker engine' && words.test(text));
  assert.ok(found !== undefined, `${path} has a block with ${words}`);
  return found.text;
}
