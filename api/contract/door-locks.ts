import type { DemoLock } from './demo-locks.ts';

const TOKENS = 'access for programs';
const lock = (method: DemoLock['method'], path: string, reason: string): DemoLock => ({ method, path, reason });

/** Operations that a live demo also refuses, although the specification does not name them: access for programs. */
export const DOOR_LOCKS: readonly DemoLock[] = [
  lock('GET', '/tokens', TOKENS),
  lock('POST', '/tokens', TOKENS),
  lock('DELETE', '/tokens/:id', TOKENS),
  lock('POST', '/tokens/revoke-all', TOKENS),
  lock('POST', '/profiles/:id/symbols/:symbol/proposals', TOKENS),
  lock('GET', '/proposals', TOKENS),
  lock('GET', '/proposals/:id', TOKENS),
  lock('DELETE', '/proposals/:id', TOKENS),
  lock('POST', '/proposals/:id/approve', TOKENS),
  lock('POST', '/proposals/:id/deny', TOKENS),
  lock('GET', '/profiles/:id/inlets', TOKENS),
  lock('POST', '/profiles/:id/inlets', TOKENS),
  lock('POST', '/profiles/:id/inlets/:inlet/secret', TOKENS),
  lock('DELETE', '/profiles/:id/inlets/:inlet', TOKENS),
  lock('GET', '/profiles/:id/signals', TOKENS),
  lock('POST', '/signals/:inlet', TOKENS),
  lock('GET', '/chat', TOKENS),
  lock('PUT', '/chat', TOKENS),
  lock('DELETE', '/chat', TOKENS),
  lock('GET', '/mcp', TOKENS),
  lock('POST', '/mcp', TOKENS),
  lock('DELETE', '/mcp', TOKENS),
];
