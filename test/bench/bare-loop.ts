import type { CandleColumns } from '#core/market/candle.ts';

/** The settings of the compared run as plain numbers; prices in quote, times in ms. */
interface BareSettings {
  readonly window: number;
  readonly entry: number;
  readonly stop: number;
  readonly arm: number;
  readonly trail: number;
  readonly budget: number;
  readonly fee: number;
  readonly cooldownMs: number;
  readonly balance: number;
  readonly tick: number;
  readonly step: number;
}

export interface BareRun {
  readonly fills: number;
  readonly cash: number;
  readonly equity: number;
  readonly drawdown: number;
}

/** Holds one position through its levels. */
interface Hold {
  lots: number;
  avg: number;
  stop: number;
  arm: number;
  high: number;
  trail: number;
  spent: number;
}

/**
 * The floor to compare with: one strategy and its fills written out by hand over the columns, floats only, no reasons, no
 * records, no checks but those that shape the fills. Nothing of it is part of the product.
 */
export function bareLoop(columns: CandleColumns, s: BareSettings): BareRun {
  const { openMs, open, low, close } = columns;
  const rows = openMs.length;
  const ring = new Float64Array(s.window + 1);
  const at = new Int32Array(s.window + 1);
  const breakEven = 1 / ((1 - s.fee) * (1 - s.fee));
  const hold: Hold = { lots: 0, avg: 0, stop: 0, arm: 0, high: 0, trail: 0, spent: 0 };
  let [head, size, order, fills, pausedMs, cash, held] = [0, 0, 0, 0, 0, s.balance, 0];
  let [peak, drawdown, equity, lastClose] = [s.balance, 0, 0, 0];
  for (let row = 0; row < rows; row++) {
    if (order !== 0) {
      const price = Math.round((open[row] ?? 0) / s.tick);
      fills += 1;
      if (order > 0) {
        const cost = order * s.step * price * s.tick;
        const got = order * s.step * (1 - s.fee);
        hold.spent = cost + held * hold.avg * s.tick;
        hold.avg = (hold.avg * held + price * got) / (held + got);
        held += got;
        cash -= cost;
        hold.lots = Math.floor(held / s.step + 1e-9);
        hold.stop = Math.floor(hold.avg * s.stop + 1e-6);
        hold.arm = Math.ceil(hold.avg * Math.max(s.arm, breakEven) - 1e-6);
        hold.high = 0;
        hold.trail = 0;
        lastClose = 0;
      } else {
        const proceeds = -order * s.step * price * s.tick * (1 - s.fee);
        cash += proceeds;
        held += order * s.step;
        hold.lots = 0;
        if (proceeds + held * hold.avg * s.tick < hold.spent) pausedMs = (openMs[row] ?? 0) + s.cooldownMs;
      }
      order = 0;
    }
    const price = Math.round((close[row] ?? 0) / s.tick);
    const lowest = Math.round((low[row] ?? 0) / s.tick);
    if (size > 0 && (at[head] ?? 0) <= row - s.window) {
      head = (head + 1) % s.window;
      size -= 1;
    }
    while (size > 0 && (ring[(head + size - 1) % s.window] ?? 0) >= lowest) size -= 1;
    ring[(head + size) % s.window] = lowest;
    at[(head + size) % s.window] = row;
    size += 1;
    if (hold.lots > 0) {
      lastClose = price;
      if (hold.high > 0) hold.high = Math.max(hold.high, price);
      else if (price >= hold.arm) hold.high = Math.max(hold.arm, lastClose);
      if (hold.high > 0) hold.trail = Math.max(hold.trail, Math.floor(hold.high * s.trail + 1e-6));
      if (price <= hold.stop || price <= hold.trail) order = -hold.lots;
    } else if (row + 1 >= s.window && price <= Math.floor((ring[head] ?? 0) * s.entry + 1e-6)) {
      const asked = Math.floor(s.budget / (price * s.tick * 1.002) / s.step + 1e-9);
      if ((openMs[row] ?? 0) + 60_000 >= pausedMs) order = asked;
    }
    equity = cash + held * (close[row] ?? 0);
    if (equity > peak) peak = equity;
    else drawdown = Math.max(drawdown, 1 - equity / peak);
  }
  return { fills, cash, equity, drawdown };
}

/** The settings of a compared run of momentum. */
interface BareCross extends Pick<BareSettings, 'trail' | 'budget' | 'fee' | 'balance' | 'tick' | 'step'> {
  readonly fast: number;
  readonly slow: number;
}

/** The same floor for momentum: two averages, their crosses, a trailing stop, fees and the equity at every close. */
export function bareCrosses({ open, close }: CandleColumns, s: BareCross): BareRun {
  const [a, b] = [2 / (s.fast + 1), 2 / (s.slow + 1)];
  const unit = s.step * s.tick;
  let [x, y, above, below, order, lots, held, cash] = [0, 0, false, false, 0, 0, 0, s.balance];
  let [high, stop, fills, peak, drawdown, equity] = [0, 0, 0, s.balance, 0, 0];
  for (let row = 0; row < close.length; row++) {
    if (order !== 0) {
      const price = Math.round((open[row] ?? 0) / s.tick);
      fills += 1;
      if (order > 0) {
        const got = order * s.step * (1 - s.fee);
        cash -= order * price * unit;
        held += got;
        lots = Math.floor(held / s.step + 1e-9);
        high = price;
        stop = Math.floor(high * s.trail + 1e-6);
      } else {
        cash -= order * price * unit * (1 - s.fee);
        held += order * s.step;
        lots = 0;
      }
      order = 0;
    }
    const last = close[row] ?? 0;
    // An average is seeded with the mean of its first values.
    x = row < s.fast ? x + last / s.fast : x + a * (last - x);
    y = row < s.slow ? y + last / s.slow : y + b * (last - y);
    const price = Math.round(last / s.tick);
    const [isAbove, isBelow] = [x > y, x < y];
    if (lots > 0) {
      if (price > high) {
        high = price;
        stop = Math.max(stop, Math.floor(high * s.trail + 1e-6));
      }
      if (price <= stop || (isBelow && !below)) order = -lots;
    } else if (row >= s.slow && isAbove && !above)
      order = Math.floor(s.budget / (price * s.tick * 1.002) / s.step + 1e-9);
    above = isAbove;
    below = isBelow;
    equity = cash + held * last;
    if (equity > peak) peak = equity;
    else drawdown = Math.max(drawdown, 1 - equity / peak);
  }
  return { fills, cash, equity, drawdown };
}
