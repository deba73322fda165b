import type { TokenScope } from '#core/installation/token-scopes.ts';
import { DEMO_LOCKS } from './demo-locks.ts';
import { DOOR_LOCKS } from './door-locks.ts';
import type { Operation } from './operation.ts';

const LOCKED = new Set([...DEMO_LOCKS, ...DOOR_LOCKS].map(({ method, path }) => `${method} ${path}`));

/**
 * Scope that a token needs to call an operation; `session`: no token may. An operation without its own `need` follows this
 * rule: what a live demo locks needs the session, other reads need `read`, other changes `manage`.
 */
export function needOf(operation: Operation): 'public' | 'session' | TokenScope {
  const { auth, method, path, need, reads } = operation;
  if (auth === 'public') return 'public';
  if (need !== undefined) return need;
  if (LOCKED.has(`${method} ${path}`)) return 'session';
  return method === 'GET' || reads === true ? 'read' : 'manage';
}

/** Whether a token with these scopes may call an operation, apart from its accounts. */
export function allows(scopes: readonly TokenScope[], operation: Operation): boolean {
  const need = needOf(operation);
  if (need === 'public' || need === 'read') return true;
  return need !== 'session' && (scopes.includes(need) || scopes.includes('manage'));
}
