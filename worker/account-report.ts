import {
  type AccountRunState,
  cacheKeys,
  HEARTBEAT_EVERY_MS,
  HEARTBEAT_TTL_MS,
} from '#core/installation/cache-keys.ts';
import type { Account } from '#core/account/account.ts';
import type { AccountId } from '#core/ids.ts';
import { scrubError } from '#core/installation/scrub.ts';
import type { RunningAccount } from '#engine/account/account-run.ts';
import type { WorkerContext } from './context.ts';
import { notifyAccount } from './notify.ts';

/** A run of this length (wall ms) ends a series of faults. */
export const HEALTHY_AFTER_MS = 30_000;
/** Faults in a row after which the operator is notified: fewer may come from a restarted database or exchange. */
const NOTIFY_AT = 3;

/** Publishes to the api whether an account runs; notifies the operator from the third fault in a row. */
export interface AccountReport extends Disposable {
  /** Since when the account has not run (wall ms of `Date.now()`); null while it does. */
  readonly downSinceMs: number | null;
  readonly faults: number;
  runs(account: RunningAccount): void;
  /** The run has ended; with a fault, unless it was stopped. */
  ended(fault?: unknown): void;
}

type Context = Pick<WorkerContext, 'cache' | 'notifyDeps' | 'log' | 'announcer'>;

function notifyFault({ notifyDeps, log }: Context, id: AccountId, message: { title: string; text: string }): void {
  notifyAccount(notifyDeps, id, { event: 'account-fault', ...message }).catch((err: unknown) =>
    log.warn({ event: 'notice_lost', accountId: id, err }, 'The operator could not be notified of the account state'),
  );
}

export function reportAccount(context: Context, { id, name }: Account): AccountReport {
  const { cache, announcer } = context;
  let downSinceMs: number | null = Date.now();
  let faults: AccountRunState['faults'] = null;
  let running: RunningAccount | undefined;
  let healthy: NodeJS.Timeout | undefined;

  const key = cacheKeys.accountRun(id);
  const write = (): Promise<void> => {
    const coins = running?.coins.troubles() ?? [];
    const streamConnected = running?.reportedStream();
    const state: AccountRunState = {
      downSince: downSinceMs === null ? null : new Date(downSinceMs).toISOString(),
      faults,
      ...(streamConnected === undefined ? {} : { streamConnected }),
      coins: coins.map((coin) => ({ ...coin, nextAt: coin.nextAt?.toISOString() ?? null })),
    };
    return cache.set(key, JSON.stringify(state), HEARTBEAT_TTL_MS);
  };
  // An unavailable cache appears as a worker without a heartbeat.
  const refresh = (): void => void write().catch(() => {});
  const timer = setInterval(refresh, HEARTBEAT_EVERY_MS);
  const changed = (): void => {
    refresh();
    announcer.announce({ topic: 'account', id, data: {} });
  };
  const recovered = (): void => {
    if (faults === null) return;
    const { count, since } = faults;
    faults = null;
    changed();
    if (count < NOTIFY_AT) return;
    const title = `The account ${name} runs again.`;
    notifyFault(context, id, { title, text: `It had stopped ${count} times since ${since}.` });
  };
  refresh();
  return {
    get downSinceMs() {
      return downSinceMs;
    },
    get faults() {
      return faults?.count ?? 0;
    },
    runs(account) {
      running = account;
      downSinceMs = null;
      healthy = setTimeout(recovered, HEALTHY_AFTER_MS);
      changed();
    },
    ended(fault) {
      clearTimeout(healthy);
      running = undefined;
      downSinceMs ??= Date.now();
      if (fault === undefined) return;
      const count = (faults?.count ?? 0) + 1;
      const cause = scrubError(fault).message;
      faults = { count, cause, since: faults?.since ?? new Date().toISOString() };
      changed();
      if (count !== NOTIFY_AT) return;
      const text = `It has stopped ${count} times since ${faults.since} and starts again each time. Meanwhile it buys and sells nothing, and only stops on the exchange protect its positions. Cause: ${cause}`;
      notifyFault(context, id, { title: `The account ${name} keeps stopping.`, text });
    },
    [Symbol.dispose]() {
      clearTimeout(healthy);
      clearInterval(timer);
    },
  };
}
