import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { AccountId } from '#core/ids.ts';
import { releaseLease, countLeases } from '#storage/postgres/leases.ts';
import type { AccountLoop } from './account-loop.ts';
import type { WorkerContext } from './context.ts';

/** How long the worker that passed an account on does not claim it again. */
const LEFT_TO_OTHERS_MS = 10_000;

/** Passes accounts on to workers that own fewer. Leases are described in leases.ts. */
interface LeaseRebalancer {
  /** Passes the last account on if another live worker owns at least two fewer. A failure waits for the next call. */
  passOnIfUneven(owned: readonly AccountLoop[]): void;
  /** True while other workers may take this account first. */
  isLeft(id: AccountId): boolean;
}

export function createLeaseRebalancer(
  context: WorkerContext,
  halt: (loop: AccountLoop) => PromiseLike<unknown>,
): LeaseRebalancer {
  const { cache, database, log } = context;
  let passed: { readonly id: AccountId; readonly atMs: number } | undefined;
  const fewest = async (): Promise<number> => {
    const living = [...(await cache.list(cacheKeys.heartbeats)).keys()];
    const counts = await countLeases(database);
    return Math.min(...living.map((key) => counts.get(key.slice(cacheKeys.heartbeats.length)) ?? 0));
  };
  const passOn = async (owned: readonly AccountLoop[]): Promise<void> => {
    const loop = owned.at(-1);
    if (loop === undefined || owned.length - (await fewest()) < 2) return;
    const { id, name } = loop.toRun.account;
    log.info({ event: 'account_passed_on', accountId: id }, `Account ${name} passes to a worker that owns fewer`);
    passed = { id, atMs: Number.POSITIVE_INFINITY };
    await halt(loop);
    passed = { id, atMs: performance.now() };
    await releaseLease(database, { accountId: id, fencing: loop.fencing });
  };
  return {
    // Not awaited: an order in flight may take seconds, and other leases must be renewed meanwhile.
    passOnIfUneven: (owned) => void passOn(owned).catch(() => {}),
    isLeft: (id) => id === passed?.id && performance.now() - passed.atMs < LEFT_TO_OTHERS_MS,
  };
}
