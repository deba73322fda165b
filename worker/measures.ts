import { type Coin, isCertain } from '#engine/state/coin.ts';
import { unprotectedSeconds } from '#engine/state/guard.ts';
import { measure, type Reading } from '#integrations/metrics.ts';
import type { Database } from '#storage/postgres/database.ts';
import { listUnwatchedPositions } from '#storage/operator/profile-symbols.ts';
import { countWaitingJobs, listSchedules } from '#storage/jobs/schedules.ts';
import { readDisks } from './disks.ts';
import type { AccountReport } from './account-report.ts';
import type { AccountLoop } from './account-loop.ts';
import type { VenueAccess } from './venues.ts';

/** An account that this worker owns, running or not. */
type OwnedAccount = Pick<AccountLoop, 'toRun' | 'running' | 'newestRun'> & {
  readonly report: Pick<AccountReport, 'downSinceMs' | 'faults'>;
};
type Measured = Pick<VenueAccess, 'venue' | 'market' | 'usedWeight'>;

/** Metrics of every running coin; `undefined` omits the series. */
const OF_COINS: Readonly<Record<string, readonly [help: string, read: (coin: Coin) => number | undefined]>> = {
  tradewind_unprotected_seconds: [
    'How long a position has had no stop on the exchange although it needs one',
    ({ guard }) => unprotectedSeconds(guard),
  ],
  tradewind_orders_unproven: [
    'Orders whose outcome is not certain yet',
    ({ live }) =>
      live
        .values()
        .filter((order) => !isCertain(order))
        .toArray().length,
  ],
  tradewind_price_age_seconds: [
    'Age of the last streamed price',
    ({ priceSeenMs }) => (Number.isFinite(priceSeenMs) ? (performance.now() - priceSeenMs) / 1000 : undefined),
  ],
};

/** Measures the accounts that this worker owns, until disposed. */
export function measureAccounts(owned: () => readonly OwnedAccount[]): Disposable {
  using stack = new DisposableStack();
  for (const [name, [help, read]] of Object.entries(OF_COINS)) {
    stack.use(measure({ name, help, labelNames: ['profile', 'symbol'] }, () => ofCoins(owned(), read)));
  }
  const accounts = { name: 'tradewind_accounts_running', help: 'Accounts that this worker trades', labelNames: [] };
  stack.use(measure(accounts, () => [[{}, owned().filter(({ running }) => running !== null).length]]));
  const labelNames = ['account'];
  const readingsOf = (read: (report: OwnedAccount['report']) => number): Reading[] =>
    owned()
      .filter(({ toRun }) => toRun.key !== null)
      .map(({ toRun: { account }, report }) => [{ account: account.name }, read(report)]);
  const faults = { name: 'tradewind_account_faults', help: 'Faults in a row that have stopped the account' };
  stack.use(measure({ ...faults, labelNames }, () => readingsOf((report) => report.faults)));
  const down = {
    name: 'tradewind_account_down_seconds',
    help: 'How long the account has not run; 0 while it runs',
  };
  stack.use(
    measure({ ...down, labelNames }, () =>
      readingsOf(({ downSinceMs }) => (downSinceMs === null ? 0 : (Date.now() - downSinceMs) / 1000)),
    ),
  );
  return stack.move();
}

/**
 * Measures each venue's clock against this machine's clock, and the used request weight.
 */
export function measureVenues(opened: () => Iterable<Measured>): Disposable {
  using stack = new DisposableStack();
  const labelNames = ['venue'];
  const readingsOf = (read: (venue: Measured) => number): Reading[] =>
    [...opened()].map((access) => [{ venue: access.venue }, read(access)]);
  const offset = { name: 'tradewind_clock_offset_seconds', help: "The exchange's clock minus this machine's clock" };
  stack.use(
    measure({ ...offset, labelNames }, () =>
      readingsOf(({ market }) => (market.clock.protocolMs() - Date.now()) / 1000),
    ),
  );
  const weight = {
    name: 'tradewind_request_weight_used',
    help: 'Request weight counted in the current minute',
  };
  stack.use(measure({ ...weight, labelNames }, () => readingsOf(({ usedWeight }) => usedWeight())));
  return stack.move();
}

/** Measures positions without a running coin; every worker reports the same values. */
export function measurePositions(database: Database): Disposable {
  const help = 'Held quantity of a coin that its profile no longer has: nothing sells it, no stop protects it';
  const unwatched = { name: 'tradewind_unwatched_position', help, labelNames: ['profile', 'symbol'] };
  return measure(unwatched, async () =>
    (await listUnwatchedPositions(database.kysely)).map(
      ({ profileName: profile, symbol, quantity }) => [{ profile, symbol }, Number(quantity)] as const,
    ),
  );
}

/**
 * Measures waiting jobs and the age of scheduled jobs; every worker reports the same values, because the queue is
 * shared.
 */
export function measureJobs(database: Database): Disposable {
  using stack = new DisposableStack();
  // Not "job", which is Prometheus' own name for what it scrapes.
  const labelNames = ['task'];
  const depth = { name: 'tradewind_jobs_waiting', help: 'Jobs that are due and wait' };
  stack.use(
    measure({ ...depth, labelNames }, async () =>
      (await countWaitingJobs(database.kysely)).map(({ name, waiting }) => [{ task: name }, waiting] as const),
    ),
  );
  const age = { name: 'tradewind_schedule_age_seconds', help: 'Time since the last run of a scheduled job ended' };
  stack.use(
    measure({ ...age, labelNames }, async () =>
      (await listSchedules(database.kysely)).flatMap(({ name, lastRun }): Reading[] =>
        lastRun === null ? [] : [[{ task: name }, (Date.now() - lastRun.endedAt.getTime()) / 1000]],
      ),
    ),
  );
  return stack.move();
}

/** Measures the free space on the disks of the given folders. */
export function measureDisks(folders: readonly string[]): Disposable {
  const help = 'Free space on the disk of a folder that this worker writes to';
  const free = { name: 'tradewind_disk_free_bytes', help, labelNames: ['folder'] };
  return measure(free, async () =>
    (await readDisks(folders)).map(({ folder, freeBytes }) => [{ folder }, freeBytes] as const),
  );
}

function* ofCoins(accounts: Iterable<OwnedAccount>, read: (coin: Coin) => number | undefined): Generator<Reading> {
  for (const { newestRun } of accounts) {
    for (const { coin } of newestRun?.coins.newest() ?? []) {
      const value = read(coin);
      if (value !== undefined) yield [{ profile: coin.profile.name, symbol: coin.symbol }, value];
    }
  }
}
