import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TOKEN_SCOPES } from '#core/installation/token-scopes.ts';
import { SCOPES, scopesText } from './scopes.ts';

test('every scope of a token is described', () => {
  assert.deepEqual(
    SCOPES.map(({ scope }) => scope),
    TOKEN_SCOPES,
  );
});

test('a token that proposes orders also reads', () => {
  assert.equal(scopesText(['trade']), 'Read, propose orders');
});

test('a token that manages is not listed with the scopes that this contains', () => {
  assert.equal(scopesText(['read', 'research', 'trade', 'manage']), 'Read, manage');
});
