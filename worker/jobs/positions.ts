import { venueOf } from '#core/account/account.ts';
import { cachedPrice, cacheKeys } from '#core/installation/cache-keys.ts';
import { add, type Decimal, readDecimal, ZERO } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { orphansOn } from '#core/account/orphan.ts';
import { readSymbolInfos, type SymbolInfo } from '#core/market/symbol-codec.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { applyCostBasis, type BasisDeps, heldElsewhere, isSettled } from '#engine/runner/cost-basis.ts';
import { checkIdentity } from '#engine/account/identity.ts';
import { reconcilePositions, type Sweep } from '#engine/account/reconcile-positions.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import { wait } from '#engine/state/wait.ts';
import { identityChecks } from '#integrations/metrics.ts';
import { listRequestedCostBasis } from '#storage/trading/cost-basis.ts';
import { readAccountOf } from '#storage/operator/profile-symbols.ts';
import type { JobData, JobName, JobRun, Queue } from '#storage/jobs/queue.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import { type AccountLoop, runnerOf } from '#worker/account-loop.ts';
import type { WorkerContext } from '#worker/context.ts';
import type { Leases } from '#worker/leases.ts';
import { detectOrphans } from '#worker/orphans.ts';

/** Delay before a job of another worker's account is queued again. */
const HAND_OVER_MS = 300;
/** Longest wait for a starting account; after that no engine holds newer state. */
const START_TIMEOUT_MS = 10_000;

interface Owners {
  readonly context: WorkerContext;
  readonly queue: Queue;
  readonly leases: Leases;
}

type JobOf<Name extends JobName> = (data: JobData[Name], run: JobRun) => Promise<void>;

/** Jobs that change positions. They run in the worker that owns the account, so that a position has one writer. */
export function createPositionJobs(owners: Owners): {
  readonly applyAverageEntryPrice: JobOf<'apply-avg-entry-price'>;
  readonly reconcile: JobOf<'reconcile-positions'>;
  readonly checkIdentity: JobOf<'identity-check'>;
  readonly detectOrphans: JobOf<'detect-orphans'>;
} {
  const { context, queue, leases } = owners;
  const loopOf = (accountId: AccountId): AccountLoop | undefined =>
    leases.running().find(({ toRun }) => toRun.account.id === accountId);
  /**
   * Queues the job again, so that the worker that owns the account can take it. The new job is due at once: a delayed
   * job is found by polling, and workers that poll in step would hand it to the same worker again and again.
   */
  const handOver = async <Name extends JobName>(name: Name, data: JobData[Name], signal: AbortSignal) => {
    await wait(HAND_OVER_MS, signal);
    await queue.enqueue(name, data);
  };
  const perAccount =
    (
      name: 'reconcile-positions' | 'identity-check' | 'detect-orphans',
      work: (loop: AccountLoop, id: string) => Promise<void>,
    ): JobOf<typeof name> =>
    async ({ accountId }, { id, signal }) => {
      const loop = accountId === undefined ? undefined : loopOf(accountId);
      if (loop !== undefined) return work(loop, id);
      if (accountId !== undefined) {
        if (await isStored(context, accountId)) await handOver(name, { accountId }, signal);
        return;
      }
      for (const { account } of await loadAccountsToRun(context.database))
        await queue.enqueue(name, { accountId: account.id }, { singletonKey: account.id });
    };

  return {
    async applyAverageEntryPrice(data, { signal }) {
      const accountId = await readAccountOf(context.database.kysely, data);
      if (accountId === undefined) return;
      const loop = loopOf(accountId);
      if (loop === undefined) await handOver('apply-avg-entry-price', data, signal);
      else await applyHere(context, loop, { ...data, signal });
    },
    // One job for each account, in the worker that owns it.
    reconcile: perAccount('reconcile-positions', async (loop, id) => {
      // Retries a job that used up its attempts, for example while the exchange was down.
      for (const coin of await listRequestedCostBasis(context.database.kysely, loop.toRun.account.id)) {
        const singletonKey = `${coin.profileId}:${coin.symbol}`;
        await queue.enqueue('apply-avg-entry-price', coin, { singletonKey });
      }
      if (loop.running === null) return;
      const sweep = await sweepOf(context, loop, id);
      await reconcilePositions(depsOf(context, loop), [...loop.running.coins.all()], sweep);
    }),
    checkIdentity: perAccount('identity-check', async (loop) => {
      const { running } = loop;
      if (running === null) return;
      const { trading } = running.context.ports;
      const { kind } = await checkIdentity(depsOf(context, loop), trading, [...running.coins.all()]);
      identityChecks.inc({ result: kind });
    }),
    detectOrphans: perAccount('detect-orphans', async (loop) => {
      await detectOrphans(context, loop);
    }),
  };
}

const isStored = async ({ database }: WorkerContext, accountId: AccountId): Promise<boolean> =>
  (await loadAccountsToRun(database)).some(({ account }) => account.id === accountId);

const depsOf = (context: WorkerContext, { toRun, fencing }: AccountLoop): BasisDeps => ({
  account: toRun.account,
  fencing,
  store: createTradingStore(context.trading),
  records: context.records,
  announce: (event) => context.announcer.announce(event),
  log: context.log,
  now: () => new Date(context.venues.of(venueOf(toRun.account)).market.clock.marketMs()),
});

interface Wanted {
  readonly profileId: ProfileId;
  readonly symbol: string;
  readonly signal: AbortSignal;
}

/**
 * Applies the entry price. Without a running engine nothing else writes the position; the engine reads it at its start.
 */
async function applyHere(context: WorkerContext, loop: AccountLoop, { signal, ...coin }: Wanted): Promise<void> {
  const running = loop.toRun.key === null ? null : await runningOf(loop, signal);
  const runner = running === null ? undefined : await runnerOf(running, coin);
  const { infoOf, priceOf } = await sweepOf(context, loop, '');
  const trading = running?.context.ports.trading;
  const unread = (): Promise<never> => Promise.reject(new Error('The account does not run.'));
  const readWallet = trading === undefined ? unread : async () => (await trading.wallet()).wallet;
  const inputs = {
    ...coin,
    info: infoOf(coin.symbol),
    price: await priceOf(coin.symbol),
    readWallet: loop.toRun.key === null ? null : readWallet,
    heldElsewhere: () => (running === null || runner === undefined ? ZERO : notSellable(running, runner)),
    isSettled: async () => runner === undefined || isSettled(runner.coin),
  };
  const turn = runner === undefined ? (work: TurnWork) => work(undefined) : (work: TurnWork) => runner.change(work);
  await applyCostBasis(depsOf(context, loop), inputs, turn);
}

/** Quantity of a coin's base asset that other coins hold or that orphan orders lock. */
const notSellable = ({ coins, context }: RunningAccount, { coin }: CoinRunner): Decimal =>
  add(heldElsewhere(coins.all(), coin), orphansOn(coin.rules.baseAsset, context.orphans).locked);

type TurnWork = Parameters<Parameters<typeof applyCostBasis>[2]>[0];

async function runningOf(loop: AccountLoop, signal: AbortSignal): Promise<RunningAccount | null> {
  const endMs = performance.now() + START_TIMEOUT_MS;
  while (loop.running === null && performance.now() < endMs && !signal.aborted) await wait(100, signal);
  return loop.running;
}

/** A sweep with the cached data of the account's venue. */
async function sweepOf({ cache }: WorkerContext, { toRun }: AccountLoop, id: string): Promise<Sweep> {
  const venue = venueOf(toRun.account);
  const infoOf: (symbol: string) => SymbolInfo = readSymbolInfos(await cache.get(cacheKeys.rules(venue)));
  return {
    id,
    infoOf,
    priceOf: async (symbol) => priceIn(await cache.get(cacheKeys.price(venue, symbol))),
    hasTicked: async (profileId, symbol) => (await cache.get(cacheKeys.coinState(profileId, symbol))) !== undefined,
  };
}

function priceIn(text: string | undefined): Decimal | null {
  if (text === undefined) return null;
  const cached = cachedPrice.safeParse(JSON.parse(text));
  return (cached.success ? readDecimal(cached.data.price) : undefined) ?? null;
}
