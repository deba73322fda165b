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

/** How soon a job that belongs to another worker is offered again. */
const HAND_OVER_MS = 300;
/** An account that is just being started runs by then; one that does not has no engine that could know better. */
const START_PATIENCE_MS = 10_000;

interface Owners {
  readonly context: WorkerContext;
  readonly queue: Queue;
  readonly leases: Leases;
}

type JobOf<Name extends JobName> = (data: JobData[Name], run: JobRun) => Promise<void>;

/** Jobs that change positions: they run in the worker that owns the account, so that a position has one writer. */
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
   * The queue lies in the database: whichever worker owns the account takes the job there. It is offered to all of them
   * at once; one that starts later would be found by polling, again and again by the same worker where both poll in
   * step.
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
    // For every account, each in the worker that owns it.
    reconcile: perAccount('reconcile-positions', async (loop, id) => {
      // A job that was exhausted, such as while the exchange was away, gets another chance.
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

/** Without a running engine nothing else writes the position, and it is read again when the engine starts. */
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

/** What other coins hold of a coin's base asset, and what orders that no profile tracks lock of it. */
const notSellable = ({ coins, context }: RunningAccount, { coin }: CoinRunner): Decimal =>
  add(heldElsewhere(coins.all(), coin), orphansOn(coin.rules.baseAsset, context.orphans).locked);

type TurnWork = Parameters<Parameters<typeof applyCostBasis>[2]>[0];

async function runningOf(loop: AccountLoop, signal: AbortSignal): Promise<RunningAccount | null> {
  const endMs = performance.now() + START_PATIENCE_MS;
  while (loop.running === null && performance.now() < endMs && !signal.aborted) await wait(100, signal);
  return loop.running;
}

/** What the cache store says about the coins of an account's venue. */
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
