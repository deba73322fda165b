import { type Venue, venueOf } from '#core/account/account.ts';
import { dueAt } from './equity-times.ts';
import { cachedPrice, cacheKeys } from '#core/installation/cache-keys.ts';
import { add, type Decimal, formatDecimal, multiply, requireDecimal, ZERO } from '#core/amount/decimal.ts';
import { type AccountId, newId } from '#core/ids.ts';
import { wait } from '#engine/state/wait.ts';
import { listEquitySpans, listHoldings, saveEquity } from '#storage/history/equity.ts';
import type { WorkerContext } from './context.ts';
import type { Leases } from './leases.ts';

const textOf = (stored: string): string | undefined => cachedPrice.safeParse(JSON.parse(stored)).data?.price;

/** Cached prices of a venue by coin. */
async function readPrices({ cache }: Pick<EquityContext, 'cache'>, venue: Venue): Promise<ReadonlyMap<string, string>> {
  const prefix = cacheKeys.prices(venue);
  const entries = [...(await cache.list(prefix))].flatMap(([key, stored]) => {
    const price = textOf(stored);
    return price === undefined ? [] : [[key.slice(prefix.length), price] as const];
  });
  return new Map(entries);
}

/** How often the worker checks whether a minute of the market began: a replay passes minutes of market time in less. */
const LOOK_EVERY_MS = 2_000;
/** Within a minute it reads this often what is due: a new profile, or a coin that had no price before. */
const READ_EVERY_MS = 10_000;
const MINUTE_MS = 60_000;

type EquityContext = Pick<WorkerContext, 'database' | 'cache'>;
type Holding = Awaited<ReturnType<typeof listHoldings>>[number];

/**
 * Stores the equity of every profile of the accounts, each at the market time that `nowMs` returns for its venue, once a
 * point is due. Skips a profile that holds a coin without a price: an incomplete sum is wrong.
 */
export async function recordEquity(
  { database, cache }: EquityContext,
  venues: ReadonlyMap<AccountId, Venue>,
  nowMs: (venue: Venue) => number,
): Promise<void> {
  if (venues.size === 0) return;
  const { kysely } = database;
  const spans = new Map((await listEquitySpans(kysely)).map((span) => [span.profileId, span]));
  const prices = new Map<Venue, ReadonlyMap<string, string>>();
  const profiles = Map.groupBy(await listHoldings(kysely), ({ profileId }) => profileId);
  for (const [profileId, coins] of profiles) {
    const venue = venues.get(coins[0]?.accountId ?? newId());
    const at = venue === undefined ? undefined : dueAt(nowMs(venue), spans.get(profileId));
    if (venue === undefined || at === undefined) continue;
    const known = prices.get(venue) ?? (await readPrices({ cache }, venue));
    prices.set(venue, known);
    const amounts = valueOf(coins, known);
    if (amounts !== undefined) await saveEquity(database, { profileId, at, ...amounts });
  }
}

/** Undefined without any price, or when a held coin has none. */
function valueOf(coins: readonly Holding[], prices: ReadonlyMap<string, string>) {
  const known: Record<string, string> = {};
  let [value, cost]: [Decimal, Decimal] = [ZERO, ZERO];
  for (const { symbol, quantity, cost: paid } of coins) {
    const price = prices.get(symbol);
    const held = requireDecimal(quantity);
    if (price !== undefined) known[symbol] = price;
    else if (held > 0n) return undefined;
    if (price === undefined || held === 0n) continue;
    value = add(value, multiply(held, requireDecimal(price)));
    cost = add(cost, requireDecimal(paid));
  }
  if (Object.keys(known).length === 0) return undefined;
  return { positionValue: formatDecimal(value), positionCost: formatDecimal(cost), prices: known };
}

/** Records the equity of the accounts that this worker runs. */
export function keepEquity(context: WorkerContext, leases: Pick<Leases, 'running'>): AsyncDisposable {
  const stop = new AbortController();
  let last = { minutes: '', readMs: Number.NEGATIVE_INFINITY };
  const record = async (): Promise<void> => {
    const accounts = leases.running().map(({ toRun: { account } }) => account);
    const venues = new Map(accounts.map((account) => [account.id, venueOf(account)]));
    const nowMs = (venue: Venue): number => context.venues.of(venue).market.clock.marketMs();
    const minutes = [...venues].map(([id, venue]) => `${id} ${Math.floor(nowMs(venue) / MINUTE_MS)}`).join();
    if (minutes === last.minutes && performance.now() - last.readMs < READ_EVERY_MS) return;
    await recordEquity(context, venues, nowMs);
    last = { minutes, readMs: performance.now() };
  };
  const recording = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await record().catch((err: unknown) => {
        context.log.warn({ event: 'equity_not_recorded', err }, 'The equity could not be recorded; trying again');
      });
      await wait(LOOK_EVERY_MS, stop.signal);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stop.abort();
      await recording;
    },
  };
}
