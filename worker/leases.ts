import type { AccountId } from '#core/ids.ts';
import type { AccountToRun } from '#core/account/profile-to-run.ts';
import { wait } from '#engine/state/wait.ts';
import { acquireLease, leasedAccounts, releaseLease, renewLease } from '#storage/postgres/leases.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import { type AccountLoop, fingerprintOf, startAccountLoop } from './account-loop.ts';
import type { WorkerContext } from './context.ts';
import { createLeaseRebalancer } from './lease-rebalancer.ts';

/*
 * Lease and fencing, in order. This is the one full account of it; other files point here.
 *
 * A lease gives one worker the right to trade one account. The fencing number makes that right safe: a worker that lost
 * its lease cannot commit an order, even when it does not know of the loss.
 *
 * 1. Find. Every 2 s (`RENEW_EVERY_MS`) `look` reads the stored accounts. It renews owned leases first, then acquires
 *    free ones, then stops accounts that were deleted. A command of the api (commands.ts) starts a look at once.
 * 2. Acquire. `acquireLease` (storage/postgres/leases.ts) takes an account when it has no lease row, when its lease has
 *    expired, or when the row names the same slot. A restarted worker of a slot therefore takes its accounts back at
 *    once; a worker of another slot waits until the lease expires, 6 s after the last renewal (docs/decisions/0004).
 *    Each acquisition draws a new, higher fencing number from the sequence `fencing_number`.
 * 3. Lock. `acquireLease` holds the account's advisory lock exclusively; every intent holds the same lock shared. So
 *    each intent of an older number either has committed before the takeover, or reads the new row and is refused.
 * 4. Run. `startAccountLoop` starts the account with the number. The engine sends the number with each write that needs
 *    the lease: order intents, position adjustments, ledger corrections, the close of an epoch, operator actions. These
 *    statements require a lease row with the same number that has not expired.
 * 5. Renew. `renewLease` moves the expiry to 6 s from now where the row still carries the number. When it does not,
 *    another worker has the account: this worker stops its loop. A changed account or API key stops the loop too, and
 *    the next look starts it again with a new number.
 * 6. Lose. A refused write returns `lost-lease`, and the engine throws LeaseLost. The loop of the account then ends
 *    without a restart. A worker that was frozen and continues learns of the takeover at its next intent or its next
 *    renewal.
 * 7. Take over. The new owner builds the account from stored state (engine/runner/recover.ts). An intent that the old
 *    owner committed may still be signed until its `sendBeforeMs`: 2 s after the decision for a buy, 6 s for a sale or
 *    a stop. The new owner finds it among the orders that are not final and looks it up until its outcome is certain.
 * 8. Release. A worker that stops ends its loops first and then deletes its lease rows, so that others start at once. A
 *    worker that dies leaves its rows; they expire.
 *
 * Which worker takes a free account: accounts of a dead worker go to the first worker that looks. Before it takes new
 * accounts, a worker waits 500 ms for each account that it owns, at most 1 s: a worker with fewer accounts comes first.
 * Every 8 intervals lease-rebalancer.ts passes one account on when another worker owns at least two fewer.
 *
 * A database that is unreachable stops nothing here: without it no intent can commit, and stops on the exchange stay.
 *
 * The life of an order: engine/tick/execute.ts. Kill switches: storage/trading/halts.ts.
 */

const LEASE_TTL_MS = 6_000;
const RENEW_EVERY_MS = 2_000;
/** Wait per owned account before a worker takes new accounts, and the longest such wait. */
const [YIELD_MS, MOST_YIELD_MS] = [500, 1_000];
const REBALANCE_EVERY_INTERVALS = 8;

/** The accounts this worker owns. */
export interface Leases extends AsyncDisposable {
  running(): AccountLoop[];
  /** Checks the stored accounts now instead of at the next interval. */
  refresh(): Promise<void>;
}

/**
 * Every 2 s: renews owned leases, acquires free or expired ones, and stops accounts that were taken over or deleted.
 * Steps 1 to 8 above.
 */
export function keepLeases(context: WorkerContext): Leases {
  const loops = new Map<AccountId, AccountLoop>();
  const stopping = new Set<AccountId>();
  const stop = new AbortController();
  let refreshing: Promise<void> = Promise.resolve();

  const start = async (toRun: AccountToRun): Promise<void> => {
    // A command may start a look while the worker stops: a loop started then would outlive the worker.
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
  // Not awaited by `look`: an order in flight may take seconds, and other leases must be renewed meanwhile.
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
    if (!held) void halted.then(() => logLost(context, toRun));
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
        rebalancer.passOnIfUneven([...loops.values()].filter((loop) => !stopping.has(loop.toRun.account.id)));
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

const logLost = ({ log }: WorkerContext, { account: { id, name } }: AccountToRun): void =>
  log.warn(
    { event: 'lease_lost', accountId: id },
    `The lease of account ${name} expired before it was renewed: this worker no longer runs the account`,
  );

async function endAll({ database }: WorkerContext, loops: readonly AccountLoop[]): Promise<void> {
  await Promise.all(loops.map((loop) => loop[Symbol.asyncDispose]()));
  const held = loops.map(({ fencing, toRun: { account } }) => ({ fencing, accountId: account.id }));
  await Promise.all(held.map((lease) => releaseLease(database, lease).catch(() => {})));
}

const yieldMs = (owned: number): number => Math.min(owned * YIELD_MS, MOST_YIELD_MS);

/** First the accounts of dead workers, then, after a pause, new ones: a worker with fewer accounts comes first. */
async function* inTurn(
  { database }: WorkerContext,
  free: readonly AccountToRun[],
  yieldTurn: () => Promise<void>,
): AsyncGenerator<AccountToRun> {
  if (free.length === 0) return;
  const leased = await leasedAccounts(database);
  const isNew = ({ account }: AccountToRun): boolean => !leased.has(account.id);
  yield* free.filter((toRun) => !isNew(toRun));
  const fresh = free.filter(isNew);
  if (fresh.length > 0) await yieldTurn();
  yield* fresh;
}
