import { createSma } from '#core/indicators/sma.ts';
import { readFactor, readKnob } from '#strategies/fields.ts';
import { readStoredConfig } from '#strategies/momentum/config.ts';
import type { BoundStrategy } from '#strategies/strategy.ts';
import type { KernelInput } from '../kernel.ts';
import { accountUntil } from './lane-fills.ts';
import { advance, type Lane, type LaneColumns, type LaneKnobs, openLane } from './lane.ts';
import { type LaneMarket, readLaneMarket } from './lane-market.ts';
import { fractionOf, type LaneMoney, laneMoney, unitsOf } from './lane-money.ts';
import { type Evaluated, evaluatedOf } from './row.ts';

/** Signals that all lanes take together, so that averages of many periods stay in the cache. */
const BLOCK = 2048;
const MOST_CASH = 2 ** 50;

/** The knobs of a lane, undefined where the config uses something that lanes do not know. */
function knobsOf(bound: BoundStrategy, stored: unknown, { askDown }: LaneMoney): LaneKnobs | undefined {
  const { config, readable } = readStoredConfig(stored);
  const { ema, trendFilter, atrTrailing, profitTrail, entryExtension, entrySizing } = config;
  const { shared, needs } = bound;
  const { caps, protectiveStop } = shared;
  const budget = unitsOf(shared.entryBudget);
  const trail = readFactor(config.trailingStopPercentage);
  const capped = caps !== undefined && (caps.symbolExposure ?? caps.positionLoss) !== null;
  const plain =
    readable &&
    config.entryEnabled &&
    config.exitEnabled &&
    entrySizing.mode === 'fixed' &&
    !capped &&
    trendFilter.period === 0 &&
    readFactor(atrTrailing.multiplier) === 0 &&
    readFactor(profitTrail.activationPercentage) === 0;
  const offset = protectiveStop === undefined ? null : fractionOf(protectiveStop.offset);
  if (!plain || budget === undefined || budget > MOST_CASH || trail <= 0 || trail >= 1 || ema.slow <= ema.fast)
    return undefined;
  if (readKnob(config.trailingStopPercentage) === undefined || trail / 2 < askDown * 1.1) return undefined;
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

/** One moving average over the signals from `first` on, a block at a time. */
interface Column {
  readonly values: Float64Array;
  fill(closes: Float64Array, from: number, to: number): void;
}

/** The exponential average of core/indicators/ema.ts, bit for bit, without a call for each value. */
function emaColumn(length: number, first: number): Column {
  const values = new Float64Array(BLOCK + 1);
  const weight = 2 / (length + 1);
  let [count, sum, value] = [0, 0, 0];
  return {
    values,
    fill(closes, from, to) {
      values[0] = values[BLOCK] ?? 0;
      for (let k = Math.max(from, first); k < to; k++) {
        const close = closes[k] ?? 0;
        if (count === length) value += weight * (close - value);
        else {
          count += 1;
          sum += close;
          if (count === length) value = sum / length;
        }
        values[k - from + 1] = value;
      }
    },
  };
}

function smaColumn(length: number, first: number): Column {
  const values = new Float64Array(BLOCK + 1);
  const average = createSma(length);
  return {
    values,
    fill(closes, from, to) {
      values[0] = values[BLOCK] ?? 0;
      for (let k = Math.max(from, first); k < to; k++) {
        average.push(closes[k] ?? 0);
        values[k - from + 1] = average.value;
      }
    },
  };
}

/** Averages that several lanes share: they must have the same length and begin with the same candle. */
class Columns {
  readonly #known = new Map<string, Column>();

  of(kind: 'ema' | 'sma', length: number, first: number): Column {
    const key = `${kind} ${length} ${first}`;
    const column = this.#known.get(key) ?? (kind === 'ema' ? emaColumn : smaColumn)(length, first);
    this.#known.set(key, column);
    return column;
  }

  fill(closes: Float64Array, from: number, to: number): void {
    for (const column of this.#known.values()) column.fill(closes, from, to);
  }
}

/**
 * Evaluates parameter sets of momentum in one pass over the candles, with the fills and the equity that the kernel gives,
 * to the last bit. A set that needs more than lanes know comes back undefined: the kernel must run it.
 */
export function runMomentumLanes(
  base: Omit<KernelInput, 'bound'>,
  sets: readonly { readonly bound: BoundStrategy; readonly config: unknown }[],
): (Evaluated | undefined)[] {
  const money = laneMoney(base.rules, base.terms);
  if (money === undefined || money.cash > MOST_CASH) return sets.map(() => undefined);
  const knobs = sets.map(({ bound, config }) => knobsOf(bound, config, money));
  const needed = sets.find(({ bound }) => bound.needs.interval !== base.signal.interval);
  const market = needed === undefined && knobs.some((one) => one !== undefined) ? laneMarketOf(base) : undefined;
  if (market === undefined) return sets.map(() => undefined);
  const lanes = knobs.map((one) => (one === undefined ? undefined : openLane(one, market, money)));
  const columns = new Columns();
  const runs = lanes.flatMap((lane) => (lane === undefined ? [] : [{ lane, columns: columnsOf(lane, columns) }]));
  const signals = market.signalClose.length;
  const from = runs.reduce((first, { lane }) => Math.min(first, lane.first), signals);
  for (let at = from; at < signals; at += BLOCK) {
    const to = Math.min(at + BLOCK, signals);
    columns.fill(market.signalClose, at, to);
    for (const run of runs) {
      run.columns.from = at;
      advance(run.lane, market, { columns: run.columns, to, money });
    }
  }
  return lanes.map((lane) => (lane === undefined ? undefined : outcomeOf(lane, market, money)));
}

/** The market of a window is read once for all calls about it. */
const markets = new WeakMap<
  object,
  { readonly base: Omit<KernelInput, 'bound'>; readonly market: LaneMarket | undefined }
>();
function laneMarketOf(base: Omit<KernelInput, 'bound'>): LaneMarket | undefined {
  const known = markets.get(base.detail);
  const same = known !== undefined && known.base.signal === base.signal && known.base.rules === base.rules;
  if (same && known.base.start === base.start && known.base.end === base.end) return known.market;
  const market = readLaneMarket(base);
  markets.set(base.detail, { base, market });
  return market;
}

function columnsOf({ knobs, first }: Lane, columns: Columns): LaneColumns & { from: number } {
  const { fast, slow, extension } = knobs;
  return {
    fast: columns.of('ema', fast, first).values,
    slow: columns.of('ema', slow, first).values,
    extension: extension === 0 ? null : columns.of('sma', extension, first).values,
    from: 0,
  };
}

function outcomeOf(lane: Lane, market: LaneMarket, money: LaneMoney): Evaluated | undefined {
  if (lane.bailed) return undefined;
  accountUntil(lane, market, { row: market.end, money });
  return evaluatedOf({
    balance: money.cash / 1e8,
    days: [...lane.days],
    drawdown: lane.depth,
    nets: lane.nets,
    fills: lane.fills,
    heldCandles: lane.heldRows + (lane.lots > 0 ? market.end - lane.fillRow : 0),
    candles: market.end - market.start,
  });
}
