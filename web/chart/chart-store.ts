import { type ChartData, type ChartPage, joinPage, MOST_CANDLES } from './chart-data.ts';

export interface ChartState {
  readonly data: ChartData | undefined;
  /** Grows with every start of new data that does not continue the shown candles. */
  readonly epoch: number;
  /** The data ends with the newest candle. */
  readonly atNewest: boolean;
  readonly loading: 'older' | 'newer' | 'jump' | undefined;
  readonly error: unknown;
}

interface StoreOptions {
  /** Reads the candles that opened before a time, or the newest ones. */
  readonly read: (beforeMs: number | undefined) => Promise<ChartPage>;
  readonly intervalMs: number;
  /** Candles of a page. */
  readonly limit: number;
}

/** Candles after a jump lie in the middle of the page. */
const AFTER = 0.4;

/** The loaded candles of one chart: grows in both directions, follows the newest, and jumps to other times. */
export class ChartStore {
  readonly #options: StoreOptions;
  readonly #listeners = new Set<() => void>();
  #state: ChartState = { data: undefined, epoch: 0, atNewest: true, loading: undefined, error: null };

  constructor(options: StoreOptions) {
    this.#options = options;
  }

  readonly read = (): ChartState => this.#state;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Takes the newest page. */
  receive(page: ChartPage): void {
    const { data, atNewest } = this.#state;
    if (data === undefined) return this.#restart(page, true);
    const joined = joinPage(data, page, this.#options.intervalMs);
    if (joined !== undefined) this.#set({ data: joined, atNewest: true });
    else if (atNewest) this.#restart(page, true);
  }

  async older(): Promise<void> {
    const first = this.#state.data?.candles[0];
    const full = (this.#state.data?.candles.length ?? 0) >= MOST_CANDLES;
    if (first === undefined || full || this.#state.data?.beginsMs !== null) return;
    await this.#load('older', first.openMs, (data, page) => joinPage(data, page, this.#options.intervalMs));
  }

  async newer(): Promise<void> {
    const { intervalMs, limit } = this.#options;
    const last = this.#state.data?.candles.at(-1);
    if (last === undefined || this.#state.atNewest) return;
    await this.#load('newer', last.openMs + (limit + 1) * intervalMs, (data, page) => joinPage(data, page, intervalMs));
  }

  /** Loads the candles around a time range, unless they are loaded. Resolves when they are shown. */
  async jump(fromMs: number, toMs: number): Promise<void> {
    const { intervalMs, limit } = this.#options;
    const [first, last] = [this.#state.data?.candles[0], this.#state.data?.candles.at(-1)];
    if (first === undefined || last === undefined) return;
    if (first.openMs <= fromMs && toMs < last.openMs + intervalMs) return;
    await this.#load('jump', toMs + AFTER * limit * intervalMs, (_data, page) => page);
  }

  async #load(
    loading: NonNullable<ChartState['loading']>,
    beforeMs: number,
    join: (data: ChartData, page: ChartPage) => ChartData | undefined,
  ): Promise<void> {
    if (this.#state.loading !== undefined) return;
    this.#set({ loading });
    try {
      const page = await this.#options.read(beforeMs);
      const { data } = this.#state;
      const joined = data === undefined ? page : join(data, page);
      this.#set({ loading: undefined, error: null });
      if (joined === page) this.#restart(page, false);
      else if (joined !== undefined) this.#set({ data: joined });
    } catch (error) {
      this.#set({ loading: undefined, error });
    }
  }

  #restart(data: ChartData, atNewest: boolean): void {
    this.#set({ data, atNewest, epoch: this.#state.epoch + 1 });
  }

  #set(change: Partial<ChartState>): void {
    this.#state = { ...this.#state, ...change };
    for (const listener of this.#listeners) listener();
  }
}
