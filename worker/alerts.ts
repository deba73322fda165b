import type { Venue } from '#core/account/account.ts';
import { fromNumber } from '#core/amount/decimal.ts';
import { COMMAND_CHANNEL, workerCommand } from '#core/installation/cache-keys.ts';
import { type Candle, INTERVAL_MS, INTERVALS, MOST_CLOSED } from '#core/market/candle.ts';
import { AlertWatch, triggeredText } from '#core/market/price-alert.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import { wait } from '#engine/state/wait.ts';
import { listArmedAlerts, markReady, type PriceAlert, triggerAlert } from '#storage/operator/price-alerts.ts';
import type { Announcer } from './announcer.ts';
import type { WorkerContext } from './context.ts';
import { notifyAccount } from './notify.ts';

/** The alerts are read again this often, should a command of the api be lost. */
const READ_EVERY_MS = 30_000;

type SeenPrice = Parameters<Announcer['price']>[0];
interface AlertDeps extends Pick<WorkerContext, 'database' | 'cache' | 'log' | 'announcer' | 'notifyDeps'> {
  /** Reads candles of a venue, newest last. */
  readonly candles: (venue: Venue, query: CandleQuery) => Promise<readonly Candle[]>;
}
type CandleQuery = Parameters<MarketPort['candles']>[0];

interface Watched {
  readonly alert: PriceAlert;
  readonly watch: AlertWatch;
  isReady: boolean;
  /** Whether it counts from the prices before the first one that this worker received. A level needs none. */
  history: 'missing' | 'requested' | 'complete' | 'failed';
}

const keyOf = (venue: Venue, symbol: string): string => `${venue} ${symbol}`;

/**
 * Judges the price alerts with the prices that the worker receives anyway. Several workers may see a price: the one that
 * marks the alert as triggered notifies.
 */
class PriceAlerts {
  readonly #deps: AlertDeps;
  #watched: ReadonlyMap<string, readonly Watched[]> = new Map();

  constructor(deps: AlertDeps) {
    this.#deps = deps;
  }

  /**
   * Reads the armed alerts. Those that were armed before keep the prices that they have seen, and request earlier ones
   * again when that failed.
   */
  async read(): Promise<void> {
    const alerts = await listArmedAlerts(this.#deps.database.kysely);
    const known = new Map(
      [...this.#watched.values()].flat().map((watched) => [armedKey(watched.alert), watched] as const),
    );
    for (const watched of known.values()) if (watched.history === 'failed') watched.history = 'missing';
    const watched = alerts.map(({ venue, ...alert }) => {
      const { rule, isReady } = alert;
      const history = rule.kind === 'move' ? 'missing' : 'complete';
      const fresh = { alert, watch: new AlertWatch(rule, isReady), isReady, history } as const;
      return { key: keyOf(venue, alert.symbol), value: known.get(armedKey(alert)) ?? fresh };
    });
    this.#watched = new Map(
      [...Map.groupBy(watched, ({ key }) => key)].map(([key, rows]) => [key, rows.map(({ value }) => value)]),
    );
  }

  /** Judges the alerts of a coin; returns without waiting for the database. */
  price(seen: SeenPrice): void {
    for (const watched of this.#watched.get(keyOf(seen.venue, seen.symbol)) ?? []) {
      if (watched.history === 'missing') void this.#addHistory(watched, seen);
      const isTriggered = watched.watch.triggers(seen);
      if (!isTriggered && watched.watch.isReady === watched.isReady) continue;
      const { id } = watched.alert;
      const change = isTriggered ? this.#trigger(watched.alert, seen) : markReady(this.#deps.database.kysely, id);
      watched.isReady = watched.watch.isReady;
      change.catch((err: unknown) =>
        this.#deps.log.warn({ event: 'alert_failed', id, err }, 'A price alert could not be stored or sent'),
      );
    }
  }

  /** Gives an alert the candles since it was armed, so that a restart of the worker does not lose them. */
  async #addHistory(watched: Watched, { venue, symbol, atMs }: SeenPrice): Promise<void> {
    const query = candlesBefore(watched.alert, atMs);
    watched.history = query === undefined ? 'complete' : 'requested';
    if (query === undefined) return;
    try {
      const candles = await this.#deps.candles(venue, { symbol, ...query });
      watched.watch.addHistory(
        candles.map(({ openMs, low, high }) => ({ startMs: openMs, low: fromNumber(low), high: fromNumber(high) })),
      );
      watched.history = 'complete';
    } catch (err) {
      watched.history = 'failed';
      const { id } = watched.alert;
      this.#deps.log.warn(
        { event: 'alert_history_failed', id, err },
        'Earlier prices of a price alert could not be read',
      );
    }
  }

  async #trigger(alert: PriceAlert, { price, atMs }: SeenPrice): Promise<void> {
    const { database, announcer, notifyDeps } = this.#deps;
    const { id, accountId, symbol, rule } = alert;
    this.#forget(alert);
    const at = new Date(atMs);
    const title = triggeredText(symbol, rule, price);
    const text = 'Price alerts never trade. This one is off until you switch it on again.';
    // The mark is kept only with its message: after a failure the alert is armed and read again.
    const isMine = await database.transaction(async (transaction) => {
      if (!(await triggerAlert(transaction, id, { price, at }))) return false;
      await notifyAccount(notifyDeps, accountId, { event: 'price-alert', title, text, at: at.toISOString() });
      return true;
    });
    if (isMine) announcer.announce({ topic: 'account', id: accountId, data: {} });
  }

  #forget({ id }: PriceAlert): void {
    this.#watched = new Map(
      [...this.#watched].map(([key, rows]) => [key, rows.filter(({ alert }) => alert.id !== id)]),
    );
  }
}

/**
 * The candles between the arming of a move and a price at market time `atMs`, at most those of its time. Undefined when
 * none is that old. In a replay the time since the arming passed faster, so that these are fewer than there are.
 */
function candlesBefore({ rule, armedAt }: PriceAlert, atMs: number): Omit<CandleQuery, 'symbol'> | undefined {
  if (rule.kind !== 'move') return undefined;
  const spanMs = Math.min(rule.minutes * INTERVAL_MS['1m'], Date.now() - armedAt.getTime());
  const interval = INTERVALS.find((one) => spanMs / INTERVAL_MS[one] <= MOST_CLOSED);
  if (interval === undefined || spanMs < INTERVAL_MS[interval]) return undefined;
  return { interval, limit: MOST_CLOSED, fromMs: atMs - spanMs };
}

const armedKey = ({ id, armedAt }: PriceAlert): string => `${id} ${armedAt.getTime()}`;

/** An announcer whose prices are judged too. Disposing it ends both. */
export async function judgePrices(announcer: Announcer, deps: Omit<AlertDeps, 'announcer'>): Promise<Announcer> {
  const { cache, log } = deps;
  const alerts = new PriceAlerts({ ...deps, announcer });
  const read = (): Promise<void> =>
    alerts.read().catch((err: unknown) => log.warn({ event: 'alerts_unread', err }, 'Price alerts could not be read'));
  const listening = await cache.subscribe(COMMAND_CHANNEL, (text) => {
    if (workerCommand.safeParse(JSON.parse(text)).data?.kind === 'alerts-changed') void read();
  });
  const stop = new AbortController();
  const reading = (async (): Promise<void> => {
    while (!stop.signal.aborted) {
      await read();
      await wait(READ_EVERY_MS, stop.signal);
    }
  })();
  return {
    announce: (event) => announcer.announce(event),
    forgetCoin: (profileId, symbol) => announcer.forgetCoin(profileId, symbol),
    price(seen) {
      announcer.price(seen);
      alerts.price(seen);
    },
    async [Symbol.asyncDispose]() {
      stop.abort();
      await listening[Symbol.asyncDispose]();
      await reading;
      await announcer[Symbol.asyncDispose]();
    },
  };
}
