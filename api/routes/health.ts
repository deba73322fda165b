import { isDiskFull, readWriteState, type WriteState } from '#storage/postgres/leases.ts';
import { requireCurrentSchema } from '#storage/postgres/migrate.ts';
import { readLiveness, readReadiness } from '#api/contract/health.ts';
import type { AllRoutes } from '#api/handle.ts';
import { Memo } from '#api/frame/memo.ts';
import { ApiProblem } from '#api/frame/problem.ts';

/** Both stores must answer within this time. */
const TIMEOUT_MS = 3_000;
/** Readiness needs no sign-in, and the test writes a temporary file: at most one in this time. */
const DISK_EVERY_MS = 5_000;
const OK = { status: 'ok' } as const;

function requireWrites({ readOnly, leaseEndedAt }: WriteState): void {
  if (readOnly)
    throw new ApiProblem('unavailable', 'The database is read-only: nothing can be stored, and no order is placed.');
  if (leaseEndedAt === null) return;
  throw new ApiProblem(
    'unavailable',
    `No account is traded: the last lease of a worker ended at ${leaseEndedAt.toISOString()}. Check that a worker runs, and that the disk of the database is not full.`,
  );
}

function requireRoom(isFull: boolean): void {
  if (!isFull) return;
  throw new ApiProblem(
    'unavailable',
    'The disk of the database is full: free some space. Changes may be refused, and no order is placed that cannot be stored first; the stops on the exchange stay.',
  );
}

export function mountHealth({ urgent: { context, handle } }: AllRoutes): void {
  const { database, cache } = context;
  const disk = new Memo<boolean>({ nowMs: () => performance.now(), most: 1 });
  handle(readLiveness, async () => OK);
  handle(readReadiness, async () => {
    const late = AbortSignal.timeout(TIMEOUT_MS);
    const tooLate = new Promise<never>((_, reject) => {
      late.addEventListener('abort', () => reject(new Error('no answer in time')), { once: true });
    });
    const answers = Promise.all([
      readWriteState(database),
      disk.get('full', DISK_EVERY_MS, () => isDiskFull(database)),
      requireCurrentSchema(database),
      cache.get('health'),
    ]);
    const [state, isFull] = await Promise.race([answers, tooLate]).catch(() => {
      throw new ApiProblem(
        'unavailable',
        'The database or the cache store does not answer, or has another version. Read the log of the database: a full disk can end it.',
      );
    });
    requireRoom(isFull);
    requireWrites(state);
    return OK;
  });
}
