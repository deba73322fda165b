import type { AccountId } from '#core/ids.ts';
import type { AccountToRun } from '#core/account/profile-to-run.ts';
import { wait } from '#engine/state/wait.ts';
import { acquireLease, leasedAccounts, releaseLease, renewLease } from '#storage/postgres/leases.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import { type AccountLoop, fingerprintOf, startAccountLoop } from './account-loop.ts';
import type { WorkerContext } from './context.ts';
import { createLeaseRebalancer } from './lease-rebalancer.ts';

const LEASE_TTL_MS = 6_000;
const RENEW_EVERY_MS = 2_000;
/**
 * Before a worker takes accounts that nobody had it waits this long for each that it owns, so that one with fewer is
 * first.
 */
const [YIELD_MS, MOST_YIELD_MS] = [500, 1_000];
const REBALANCE_EVERY_INTERVALS = 8;

/** The accounts this worker owns. */
export interface Leases extends AsyncDisposable {
  running(): AccountLoop[];
  /** Looks at the stored accounts now instead of at the next beat. */
  refresh(): Promise<void>;
}

/**
 * Every 2 s: renews what is owned, takes what is free or expired, stops what was taken over or deleted. A database that
 * cannot be reached stops nothing by itself: without it no intent can be committed.
 */
export function keepLeases(context: WorkerContext): Leases {
  const loops = new Map<AccountId, AccountLoop>();
  const stopping = new Set<AccountId>();
  const stop = new AbortController();
  let refreshing: Promise<void> = Promise.resolve();

  const start = async (toRun: AccountToRun): Promise<void> => {
    // A command may look once more while the worker stops: what began then would outlive it.
    if (stop.signal.aborted) return;
    const { id } = toRun.account;
    const lease = await acquireLease(context.database, { accountId: id, holder: context.slot, ttlMs: LEASE_TTL_MS });
    if (lease === undefined) return;
    const loop = startAccountLoop(context, toRun, lease.fencing);
    loops.set(id, loop);
    void loop.ended.then(() => {
      if (loops.get(id) === loop) loops.delete(id);
    });
  };
  // Not awaited by the beat: an order in flight may take seconds to finish, and other leases must be renewed meanwhile.
  const halt = (loop: AccountLoop): PromiseLike<unknown> => {
    const { id } = loop.toRun.account;
    stopping.add(id);
    const forget = (): boolean => stopping.delete(id) && loops.delete(id);
    return loop[Symbol.asyncDispose]().then(forget, forget);
  };
  const rebalancer = createLeaseRebalancer(context, halt);
  const renew = async (toRun: AccountToRun, loop: AccountLoop): Promise<void> => {
    const { id: accountId } = toRun.account;
    const held = await renewLease(context.database, { accountId, fencing: loop.fencing, ttlMs: LEASE_TTL_MS });
    if (held && loop.fingerprint === fingerprintOf(toRun)) return;
    const halted = halt(loop);
    if (!held) void halted.then(() => tellLost(context, toRun));
  };
  const look = async (): Promise<void> => {
    const accounts = await loadAccountsToRun(context.database);
    for (const toRun of accounts) {
      const loop = loops.get(toRun.account.id);
      if (loop !== undefined && !stopping.has(toRun.account.id)) await renew(toRun, loop);
    }
    const isTaken = (id: AccountId): boolean => loops.has(id) || stopping.has(id) || rebalancer.isLeft(id);
    const free = accounts.filter(({ account }) => !isTaken(account.id));
    for await (const one of inTurn(context, free, () => wait(yieldMs(loops.size), stop.signal))) await start(one);
    const isKnown = (id: AccountId): boolean => accounts.some(({ account }) => account.id === id);
    for (const [id, loop] of loops) if (!isKnown(id) && !stopping.has(id)) void halt(loop);
  };
  const refresh = (): Promise<void> => {
    refreshing = refreshing.then(look).catch((err: unknown) => {
      context.log.warn({ event: 'leases_not_renewed', err }, 'Leases could not be renewed; trying again');
    });
    return refreshing;
  };
  const renewals = (async (): Promise<void> => {
    for (let count = 1; !stop.signal.aborted; count++) {
      await refresh();
      if (count % REBALANCE_EVERY_INTERVALS === 0)
        rebalancer.begin([...loops.values()].filter((loop) => !stopping.has(loop.toRun.account.id)));
      await wait(RENEW_EVERY_MS, stop.signal);
    }
  })();

  return {
    ...{ running: () => [...loops.values()], refresh },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await renewals;
      await refreshing;
      await endAll(context, [...loops.values()]);
    },
  };
}

const tellLost = ({ log }: WorkerContext, { account: { id, name } }: AccountToRun): void =>
  log.warn(
    { event: 'lease_lost', accountId: id },
    `The lease of account ${name} ran out before it was renewed: this worker does not run it any more`,
  );

async function endAll({ database }: WorkerContext, loops: readonly AccountLoop[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
  const held = loops.map(({ fencing, toRun: { account } }) => ({ fencing, accountId: account.id }));
  await Promise.all(held.map((lease) => releaseLease(database, lease).catch(() => {})));
}

const yieldMs = (owned: number): number => Math.min(owned * YIELD_MS, MOST_YIELD_MS);

/** Accounts whose worker died at once, then new ones: a worker that owns fewer is first to ask for those. */
async function* inTurn(
  { database }: WorkerContext,
  free: readonly AccountToRun[],
  yieldTo: () => Promise<void>,
): AsyncGenerator<AccountToRun> {
  if (free.length === 0) return;
  const leased = await leasedAccounts(database);
  const isNew = ({ account }: AccountToRun): boolean => !leased.has(account.id);
  yield* free.filter((toRun) => !isNew(toRun));
  const fresh = free.filter(isNew);
  if (fresh.length > 0) await yieldTo();
  yield* fresh;
}
