import { readFactor } from '#strategies/fields.ts';
import { type Config, config as schema, fitWindows } from '#strategies/momentum/config.ts';
import type { ReasonCode } from '#strategies/momentum/reasons.ts';
import type { Sweep, SweptConfig } from '#strategies/strategy.ts';
import type { RecordedRun, SweptMarket, SweptRun } from '#strategies/sweep.ts';
import { BLOCK, type Column, type Ema, emaColumn, fillEmas, smaColumn } from './vector-averages.ts';
import { accountUntil } from './vector-fills.ts';
import { advance, type Crosses } from './vector-run.ts';
import { FILL_REASONS, type VectorRun, type VectorParams, openVectorRun } from './vector-state.ts';
import { FillRecorder } from './vector-trades.ts';
import { type VectorMarket, readVectorMarket } from './vector-market.ts';
import { fractionOf, vectorMoney, type VectorMoney, unitsOf } from './vector-money.ts';

/** Signals per block of a vector run, so that the candles also stay in the cache. */
const STRETCH = 2048;
const MOST_CASH = 2 ** 50;

/** A config without the settings that vector runs support. Two configs with the same rest need the same features. */
const restOf = (config: Config): Readonly<Record<string, unknown>> => ({
  ...config,
  candleInterval: null,
  entrySizing: config.entrySizing.mode,
  lossCooldownMinutes: null,
  ema: null,
  entryMarginPercentage: null,
  entryExtension: null,
  exitOnCross: null,
  trailingStopPercentage: null,
  protectiveStop: null,
});
/** Every other feature of the strategy is off by default. A config that enables one runs in the kernel. */
const PLAIN_PARTS = restOf(schema.parse({}));
const PLAIN = JSON.stringify(PLAIN_PARTS);

/** Params of a vector run; undefined when the config uses an unsupported feature. */
function paramsOf(swept: SweptConfig<Config>, { askDown }: VectorMoney): VectorParams | undefined {
  const { readable, shared, needs } = swept;
  const config = fitWindows(swept.config);
  const { ema, entryExtension } = config;
  const budget = unitsOf(shared.entryBudget);
  const trail = readFactor(config.trailingStopPercentage);
  const offset = shared.protectiveStop === undefined ? null : fractionOf(shared.protectiveStop.offset);
  const plain = readable && shared.gates === undefined && JSON.stringify(restOf(config)) === PLAIN;
  if (!plain || budget === undefined || budget > MOST_CASH || ema.slow <= ema.fast) return undefined;
  // The limit of a stop is at least half of the stop.
  if (trail >= 1 || trail / 2 < askDown * 1.1) return undefined;
  const extensionMost = readFactor(entryExtension.maxPercentage);
  return {
    fast: ema.fast,
    slow: ema.slow,
    margin: readFactor(config.entryMarginPercentage) || 1,
    trail,
    exitOnCross: config.exitOnCross,
    extension: extensionMost > 0 ? entryExtension.period : 0,
    extensionMost,
    cooldownMs: shared.lossCooldownMs,
    budget,
    offset,
    need: needs.min,
    want: needs.want,
  };
}

/** The feature of a config that vector runs do not support. */
function unsupported(config: Config): string | undefined {
  const { mode } = config.entrySizing;
  if (mode !== 'fixed') return `entrySizing.mode is ${mode}`;
  const differs = Object.entries(restOf(config)).find(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(PLAIN_PARTS[key]),
  );
  return differs === undefined ? undefined : `${differs[0]} is not at its default`;
}

/** The crosses of two averages, collected block by block. */
class CrossFinder implements Crosses {
  codes = new Int32Array(256);
  references: Float64Array | null;
  count = 0;
  readonly #columns: {
    readonly fast: Float64Array;
    readonly slow: Float64Array;
    readonly extension: Float64Array | null;
  };
  readonly #margin: number;
  /** Side of the fast average: 1 above the slow one by the margin, -1 below it. */
  #side = 0;

  constructor(columns: { fast: Float64Array; slow: Float64Array; extension: Float64Array | null }, margin: number) {
    this.#columns = columns;
    this.#margin = margin;
    this.references = columns.extension === null ? null : new Float64Array(this.codes.length);
  }

  find(from: number, to: number): void {
    const { fast, slow } = this.#columns;
    const margin = this.#margin;
    const last = to - from;
    let was = this.#side;
    for (let slot = 1; slot <= last; slot++) {
      // Crosses are rare. A separate loop for each side needs only one comparison per slot.
      if (was > 0) while (slot <= last && (fast[slot] ?? 0) > (slow[slot] ?? 0) * margin) slot += 1;
      else if (was < 0) while (slot <= last && (fast[slot] ?? 0) < (slow[slot] ?? 0)) slot += 1;
      if (slot > last) break;
      const f = fast[slot] ?? 0;
      const s = slow[slot] ?? 0;
      const side = f > s * margin ? 1 : f < s ? -1 : 0;
      if (side === was) continue;
      if (side !== 0) this.#add(slot, 2 * (from + slot - 1) + (side === 1 ? 1 : 0));
      was = side;
    }
    this.#side = was;
  }

  #add(slot: number, code: number): void {
    if (this.count === this.codes.length) {
      const [codes, references] = [this.codes, this.references];
      this.codes = new Int32Array(2 * this.count);
      this.codes.set(codes);
      this.references &&= new Float64Array(2 * this.count);
      if (references !== null) this.references?.set(references);
    }
    this.codes[this.count] = code;
    if (this.references !== null) this.references[this.count] = this.#columns.extension?.[slot] ?? 0;
    this.count += 1;
  }
}

/** Averages that several vector runs share. They have the same length and the same first candle. */
class Columns {
  readonly #crosses = new Map<string, CrossFinder>();
  readonly #emas = new Map<string, Ema>();
  readonly #smas = new Map<string, Column>();

  crosses({ params, first }: VectorRun): Crosses {
    const { fast, slow, extension, margin } = params;
    return take(this.#crosses, `${fast} ${slow} ${extension} ${margin} ${first}`, () => {
      const average = extension === 0 ? null : this.sma(extension, first);
      return new CrossFinder({ fast: this.ema(fast, first), slow: this.ema(slow, first), extension: average }, margin);
    });
  }

  ema(length: number, first: number): Float64Array {
    return take(this.#emas, `${length} ${first}`, () => emaColumn(length, first)).values;
  }

  sma(length: number, first: number): Float64Array {
    return take(this.#smas, `${length} ${first}`, () => smaColumn(length, first)).values;
  }

  fill(closes: Float64Array, from: number, to: number): void {
    for (const column of this.#smas.values()) column.fill(closes, from, to);
    fillEmas([...this.#emas.values()], closes, { from, to });
    for (const crosses of this.#crosses.values()) crosses.find(from, to);
  }
}

function take<T>(known: Map<string, T>, key: string, make: () => T): T {
  const found = known.get(key) ?? make();
  known.set(key, found);
  return found;
}

/** Runs many parameter sets in one pass over the candles. */
function run(swept: SweptMarket, sets: readonly SweptConfig<Config>[]): (SweptRun | undefined)[] {
  const money = vectorMoney(swept);
  if (money === undefined || money.cash > MOST_CASH) return sets.map(() => undefined);
  const params = sets.map((set) => paramsOf(set, money));
  const otherInterval = sets.some(({ needs }) => needs.interval !== swept.signal.interval);
  const isNeeded = !otherInterval && params.some((one) => one !== undefined);
  const market = isNeeded ? vectorMarketOf(swept) : undefined;
  if (market === undefined) return sets.map(() => undefined);
  const runs = params.map((one) => (one === undefined ? undefined : openVectorRun(one, market, { money })));
  advanceAll(
    runs.filter((run) => run !== undefined),
    market,
    money,
  );
  return runs.map((run) => (run === undefined ? undefined : outcomeOf(run, market, money)));
}

function advanceAll(runs: readonly VectorRun[], market: VectorMarket, money: VectorMoney): void {
  const columns = new Columns();
  const active = runs.map((run) => ({ run, crosses: columns.crosses(run) }));
  const signals = market.signalClose.length;
  const from = active.reduce((first, { run }) => Math.min(first, run.first), signals);
  for (let at = from; at < signals; at += BLOCK) {
    const to = Math.min(at + BLOCK, signals);
    columns.fill(market.signalClose, at, to);
  }
  for (let at = from; at < signals; at += STRETCH) {
    for (const { run, crosses } of active) {
      if (run.next < at + STRETCH) advance(run, market, { crosses, money, to: at + STRETCH });
    }
  }
}

/** Only where every detail candle is a signal: then each close has one decision, and the runs visit what is not `no cross` or `hold`. */
function record(swept: SweptMarket, set: SweptConfig<Config>): RecordedRun | undefined {
  const { signal, detail, start, end } = swept;
  const aligned = signal.columns.openMs === detail.columns.openMs && set.needs.interval === signal.interval;
  const money = aligned ? vectorMoney(swept) : undefined;
  const params = money === undefined || money.cash > MOST_CASH ? undefined : paramsOf(set, money);
  const market = params === undefined ? undefined : vectorMarketOf(swept);
  if (money === undefined || params === undefined || market === undefined) return undefined;
  const fills = new FillRecorder();
  const run = openVectorRun(params, market, { money, recorder: fills });
  advanceAll([run], market, money);
  if (run.fellBack) return undefined;
  const heldCandles = heldRowsOf(run, market);
  const short = Math.min(Math.max(0, run.first + params.need - 1 - start), end - start);
  const { entries, overextended, paused, stopExits, crossExits } = run;
  const decisions: Readonly<Partial<Record<ReasonCode | 'cooldown-loss', number>>> = {
    'entry-history-short': short,
    'entry-no-cross': end - start - heldCandles - short - entries - overextended - paused,
    'entry-overextended': overextended,
    'cooldown-loss': paused,
    'entry-cross-up': entries,
    'hold-above-stop': heldCandles - stopExits - crossExits,
    'exit-trailing-stop': stopExits,
    'exit-cross-down': crossExits,
  };
  return {
    ...{ fills, reasons: FILL_REASONS, decisions: new Map(Object.entries(decisions)), heldCandles },
    ...{ warmUp: market.firstInside - run.first, skipped: end - start - run.decided },
  };
}

const heldRowsOf = (run: VectorRun, market: VectorMarket): number =>
  run.heldRows + (run.lots > 0 ? market.end - run.fillRow : 0);

/** The market of a window is read once and cached. */
const markets = new WeakMap<object, { readonly swept: SweptMarket; readonly market: VectorMarket | undefined }>();
function vectorMarketOf(swept: SweptMarket): VectorMarket | undefined {
  const known = markets.get(swept.detail.columns);
  const sameSignal = known?.swept.signal.columns === swept.signal.columns;
  const same = known !== undefined && sameSignal && known.swept.rules === swept.rules;
  if (same && known.swept.start === swept.start && known.swept.end === swept.end) return known.market;
  const market = readVectorMarket(swept);
  markets.set(swept.detail.columns, { swept, market });
  return market;
}

function outcomeOf(run: VectorRun, market: VectorMarket, money: VectorMoney): SweptRun | undefined {
  if (run.fellBack) return undefined;
  accountUntil(run, market, { row: market.end, money });
  return {
    balance: money.cash / 1e8,
    days: [...run.days],
    drawdown: run.depth,
    tally: run.tally,
    fills: run.fills,
    heldCandles: heldRowsOf(run, market),
    candles: market.end - market.start,
  };
}

/** Vector runs of momentum (docs/decisions/0011-sweeps-in-lanes.md). */
export const sweep: Sweep<Config> = { unsupported, run, record };
