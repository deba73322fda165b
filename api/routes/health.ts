import { requireCurrentSchema } from '#storage/migrate.ts';
import { readLiveness, readReadiness } from '../contract/health.ts';
import type { Routes } from '../handle.ts';
import { ApiProblem } from '../problem.ts';

/** Both stores must answer within this time. */
const PATIENCE_MS = 3_000;
const OK = { status: 'ok' } as const;

export function mountHealth({ context, handle }: Routes): void {
  const { database, cache } = context;
  handle(readLiveness, async () => OK);
  handle(readReadiness, async () => {
    const late = AbortSignal.timeout(PATIENCE_MS);
    const tooLate = new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true });
    });
    try {
      await Promise.race([Promise.all([requireCurrentSchema(database), cache.get('health')]), tooLate]);
    } catch {
      throw new ApiProblem('unavailable', 'The database or the cache store does not answer, or is of another version.');
    }
    return OK;
  });
}
