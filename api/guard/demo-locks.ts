import { DEMO_LOCKS, type DemoLock } from '#api/contract/demo-locks.ts';
import { DOOR_LOCKS } from '#api/contract/door-locks.ts';
import { ApiProblem } from '#api/frame/problem.ts';

const patternOf = ({ path }: DemoLock): RegExp => new RegExp(`^${path.replaceAll(/:\w+/g, '[^/]+')}/?$`);
const LOCKS = [...DEMO_LOCKS, ...DOOR_LOCKS].map((lock) => ({ ...lock, pattern: patternOf(lock) }));

/** Throws for an operation that a live demo locks, even with a real session. `path` is under the API root. */
export function requireUnlocked(method: string, path: string): void {
  const lockMethod = method === 'HEAD' ? 'GET' : method;
  const lock = LOCKS.find(({ method: locked, pattern }) => locked === lockMethod && pattern.test(path));
  if (lock === undefined) return;
  throw new ApiProblem('demo_locked', `This is a live demo: ${lock.reason} is switched off.`);
}
