// Lease and fencing are described in leases.ts.
import type { z } from 'zod';
import { venueOf, type Wallet } from '#core/account/account.ts';
import { type cachedWallet, cacheKeys } from '#core/installation/cache-keys.ts';
import { type AccountId, newId, type ProfileId } from '#core/ids.ts';
import type { AccountToRun, ProfileToRun } from '#core/account/profile-to-run.ts';
import type { CoinRunner } from '#engine/runner/coin-runner.ts';
import { ExchangeReset, KeyRefused, LeaseLost } from '#engine/state/ends-run.ts';
import type { EnginePorts } from '#engine/state/ports.ts';
import { runAccount } from '#engine/account/run-account.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import { wait } from '#engine/state/wait.ts';
import { createAccountStream } from '#exchange/account-stream.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { ExchangeError, isKeyRefusal } from '#exchange/errors.ts';
import { createTrading } from '#exchange/place.ts';
import { KeyFormatError } from '#exchange/signing.ts';
import { createTradingStore } from '#storage/trading/trading-store.ts';
import { loadProfilesToRun } from '#storage/trading/worker-profiles.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import { type AccountReport, HEALTHY_AFTER_MS, reportAccount } from './account-report.ts';
import type { WorkerContext } from './context.ts';
import { notifyAccount } from './notify.ts';
import { verifyApiKey } from '#worker/jobs/verify-api-key.ts';

const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;
const REFUSED_KEY_WAIT_MS = 30_000;
/** The longest timer; an account without a key waits until a new key starts a new loop. */
const FOREVER_MS = 2 ** 31 - 1;

/** An account that this worker owns. It restarts after every fault until it is stopped or the lease is lost. */
export interface AccountLoop extends AsyncDisposable {
  readonly toRun: AccountToRun;
  readonly fencing: number;
  /** Changes with the stored account or key; the owner then starts a new loop. */
  readonly fingerprint: string;
  readonly running: RunningAccount | null;
  /** The newest run, also between a fault and the next run: its positions are still held. */
  readonly newestRun: RunningAccount | null;
  readonly report: AccountReport;
  readonly ended: Promise<void>;
}

export const fingerprintOf = ({ account, key }: AccountToRun): string =>
  JSON.stringify([account, key === null ? null : [key.apiKey, key.secret, key.status]]);

export function startAccountLoop(context: WorkerContext, toRun: AccountToRun, fencing: number): AccountLoop {
  const stop = new AbortController();
  let running: RunningAccount | null = null;
  let newestRun: RunningAccount | null = null;
  const report = reportAccount(context, toRun.account);
  const setRunning = (account: RunningAccount | null): void => {
    running = account;
    if (account !== null) newestRun = account;
    if (account !== null) report.runs(account);
  };
  const ended = keepRunning(context, { toRun, fencing, signal: stop.signal, setRunning, report }).finally(() =>
    report[Symbol.dispose](),
  );
  return {
    toRun,
    fencing,
    fingerprint: fingerprintOf(toRun),
    get running() {
      return running;
    },
    get newestRun() {
      return newestRun;
    },
    report,
    ended,
    async [Symbol.asyncDispose]() {
      stop.abort();
      await ended;
    },
  };
}

interface Loop {
  readonly toRun: AccountToRun;
  readonly fencing: number;
  readonly signal: AbortSignal;
  readonly setRunning: (account: RunningAccount | null) => void;
  readonly report: AccountReport;
}

async function keepRunning(context: WorkerContext, loop: Loop): Promise<void> {
  const { toRun, signal, setRunning, report } = loop;
  let waitMs = FIRST_WAIT_MS;
  while (!signal.aborted) {
    const startedMs = performance.now();
    try {
      await runOnce(context, loop);
      report.ended();
    } catch (error) {
      const fields = { event: 'account_fault', accountId: toRun.account.id, err: error };
      if (error instanceof LeaseLost) {
        context.log.warn(fields, `Account ${toRun.account.name}: ${error.message}`);
        return;
      }
      if (error instanceof ExchangeReset) {
        await reportReset(context, toRun, error);
        return;
      }
      report.ended(error);
      context.log.error(fields, `Account ${toRun.account.name} stopped because of a fault and starts again`);
      if (performance.now() - startedMs > HEALTHY_AFTER_MS) waitMs = FIRST_WAIT_MS;
      if (isKeyFault(error)) await checkRefusedKey(context, toRun, signal);
      await wait(waitMs, signal);
      waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
    } finally {
      setRunning(null);
    }
  }
}

/** Reports a reset once. An operator who misses the message finds the account halted, with the reason. */
async function reportReset(
  context: WorkerContext,
  { account }: AccountToRun,
  { message }: ExchangeReset,
): Promise<void> {
  const { announcer, database, log, notifyDeps, records } = context;
  const { id, name } = account;
  log.warn({ event: 'exchange_reset', accountId: id }, `Account ${name}: ${message}`);
  const at = new Date();
  for (const profile of await loadProfilesToRun(database, id).catch(() => [])) {
    const row = { level: 'warn', msg: message, ctx: { event: 'exchange_reset' } } as const;
    const times = { symbol: null, count: 1, firstAt: at, lastAt: at };
    records.log({ ...row, ...times, id: newId<string>(), profileId: profile.id });
    announcer.announce({ topic: 'position', id: profile.id, data: {} });
  }
  for (const topic of ['halt', 'account'] as const) announcer.announce({ topic, id, data: {} });
  const title = `The exchange of account ${name} was reset.`;
  await notifyAccount(notifyDeps, id, { event: 'exchange-reset', title, text: message }).catch((err: unknown) =>
    log.warn({ event: 'notice_lost', accountId: id, err }, 'The operator could not be notified of the reset'),
  );
}

const isRefusedByExchange = (error: unknown): boolean => error instanceof ExchangeError && isKeyRefusal(error);
const isKeyFault = (error: unknown): boolean =>
  error instanceof KeyFormatError || error instanceof KeyRefused || isRefusedByExchange(error);

/** Checks a refused key, so that the operator sees the cause, and delays the next attempt. */
async function checkRefusedKey(context: WorkerContext, { account }: AccountToRun, signal: AbortSignal): Promise<void> {
  const status = await verifyApiKey(context, account.id).catch((err: unknown) => {
    context.log.warn({ event: 'key_not_checked', accountId: account.id, err }, 'The API key could not be checked');
    return null;
  });
  if (status !== 'healthy') await wait(REFUSED_KEY_WAIT_MS, signal);
}

async function runOnce(context: WorkerContext, { toRun, fencing, signal, setRunning }: Loop): Promise<void> {
  const { account, key } = toRun;
  const { trading, cache, announcer, venues, notifyDeps, log, tracer } = context;
  if (key === null) {
    await wait(FOREVER_MS, signal);
    return;
  }
  const venue = venues.of(venueOf(account));
  const endpoints = endpointsOf(venue.venue, context.env);
  const credentials = { apiKey: key.apiKey, secret: key.secret, clock: venue.market.clock };
  const ports: EnginePorts = {
    store: createTradingStore(trading),
    trading: createTrading({ restUrl: endpoints.restUrl, timing: venue.timing, ...credentials }),
    market: venue.market,
    openMarketStream: venue.openMarketStream,
    openAccountStream: createAccountStream({ wsApiUrl: endpoints.wsApiUrl, ...credentials }),
    records: context.records,
    announce: (event) => announcer.announce(event),
    log,
    tracer,
  };
  await runAccount({
    account,
    fencing,
    keyStatus: key.status,
    ports,
    timing: venue.timing,
    isKeyRefusal: isRefusedByExchange,
    signal,
    roster: { strategies: STRATEGIES, loadProfiles: () => loadProfiles(context, account.id) },
    onRunning(running) {
      setRunning(running);
      log.info({ event: 'account_running', accountId: account.id, fencing }, `Account ${account.name} is running`);
      // An order of another program may lock the quantity that an exit has to sell: look for orphans at once.
      notifyDeps.queue
        .enqueue('detect-orphans', { accountId: account.id }, { singletonKey: account.id })
        .catch((err: unknown) =>
          log.warn({ event: 'orphans_not_read', accountId: account.id, err }, 'Orphan orders were not looked for'),
        );
    },
    onWallet: (wallet, takerFee) => keepWallet(context, toRun, { ...wallet, takerFee }),
    onRules: (rules) => venue.keepRules(rules),
    keptRules: () => venue.keptRules(),
    onPrice: (seen) => venue.keepPrice(seen),
    onUnbound: (profileId, symbol) => announcer.forgetCoin(profileId, symbol),
  });
  await cache.delete(cacheKeys.wallet(account.id)).catch(() => {});
}

/** The profiles of an account. A version that another host has stored is read first. */
async function loadProfiles({ database, shelf }: WorkerContext, accountId: AccountId): Promise<ProfileToRun[]> {
  const profiles = await loadProfilesToRun(database, accountId);
  if (profiles.some(({ strategyName }) => !STRATEGIES.has(strategyName))) await shelf.refresh();
  return profiles;
}

interface KnownWallet extends Wallet {
  readonly takerFee: number;
}

function keepWallet({ cache, announcer, log }: WorkerContext, { account }: AccountToRun, wallet: KnownWallet): void {
  const { at, balances, takerFee } = wallet;
  const kept: z.input<typeof cachedWallet> = {
    at: at.toISOString(),
    keptAt: new Date().toISOString(),
    balances,
    takerFee,
  };
  const text = JSON.stringify(kept);
  cache
    .set(cacheKeys.wallet(account.id), text)
    .then(() => announcer.announce({ topic: 'account', id: account.id, data: {} }))
    .catch((err: unknown) => log.warn({ event: 'wallet_not_cached', err }, 'The wallet snapshot could not be cached'));
}

/** The runner of a coin. Opens a coin that was just added to the profile; undefined for a coin that cannot run. */
export async function runnerOf(
  { coins, refreshProfiles }: RunningAccount,
  { profileId, symbol }: { readonly profileId: ProfileId; readonly symbol: string },
): Promise<CoinRunner | undefined> {
  const find = () => coins.of(symbol).find(({ coin }) => coin.profile.id === profileId);
  const found = find();
  if (found !== undefined) return found;
  await refreshProfiles();
  return find();
}
