import type { RunningAccount } from '#engine/account/account-run.ts';
import type { Listener } from '#storage/postgres/listener.ts';
import { pendingSignals, SIGNAL_CHANNEL } from '#storage/trading/signals.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { WorkerContext } from './context.ts';
import type { Leases } from './leases.ts';

/** Interval of the reads that replace a missed notification. */
const LOOK_EVERY_MS = 1_000;

/** Without a coin that acts on signals nothing is read. */
const takesSignals = ({ coins }: RunningAccount): boolean =>
  [...coins.all()].some(({ coin }) => STRATEGIES.get(coin.profile.strategyName)?.takesSignals === true);

/**
 * Gives the pending signals of owned accounts to their coins. A coin takes each once; after a restart or a takeover the next
 * read gives it again, as long as it has no order and is not too old.
 */
export async function followSignals(
  { database, log }: WorkerContext,
  leases: Leases,
  listener: Listener,
): Promise<AsyncDisposable> {
  const lookNow = async (): Promise<void> => {
    const owned = leases
      .running()
      .flatMap(({ running }) => (running !== null && takesSignals(running) ? [running] : []));
    const signals = await pendingSignals(
      database,
      owned.map(({ context }) => context.account.id),
    );
    for (const signal of signals) {
      const { coins } = owned.find(({ context }) => context.account.id === signal.accountId) ?? {};
      coins
        ?.of(signal.symbol)
        .find(({ coin }) => coin.profile.id === signal.profileId)
        ?.onSignal(signal);
    }
  };
  let looking: Promise<void> = Promise.resolve();
  const look = (): Promise<void> => {
    looking = looking
      .then(lookNow)
      .catch((err: unknown) => log.warn({ event: 'signals_not_read', err }, 'Signals could not be read; trying again'));
    return looking;
  };
  const subscription = await listener.subscribe(SIGNAL_CHANNEL, () => void look());
  const timer = setInterval(() => void look(), LOOK_EVERY_MS);
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await subscription[Symbol.asyncDispose]();
      await looking;
    },
  };
}
