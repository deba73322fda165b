import { addNet } from '#core/research/tally.ts';
import { snapDown, snapUp } from '#strategies/ticks.ts';
import { ENTRY, type VectorRun } from './vector-state.ts';
import { SHIFT, WIDE_SHIFT } from '#core/market/extremes.ts';
import type { VectorMarket } from './vector-market.ts';
import { type VectorMoney, share } from './vector-money.ts';

interface RowInput {
  readonly row: number;
  readonly money: VectorMoney;
}

/** A row with a fill: fill price and open. `limit`: that of a stop that sells inside the candle, or 0. */
interface FillInput extends RowInput {
  readonly price: number;
  readonly open: number;
  readonly limit: number;
}

export function fillBuy(run: VectorRun, market: VectorMarket, input: FillInput): void {
  const { row, price, open, money } = input;
  const { worth, lot, fee } = money;
  const lots = run.pending;
  run.pending = 0;
  if (exceedsVolume(lots, market, input)) run.fellBack = true;
  if (lots * price * worth.n > run.cash * worth.d) {
    // A record contains the rejection of the order, with its exact quantity.
    if (run.recorder !== null) run.fellBack = true;
    return;
  }
  accountUntil(run, market, input);
  const cost = share(lots * price, worth);
  const feePaid = share(lots * lot, fee);
  const received = lots * lot - feePaid;
  const held = run.dust + received;
  run.spent = cost + quoteOf(run.dust, run.average, money);
  run.average = run.dust === 0 ? price : (run.average * run.dust + price * received) / held;
  run.cash -= cost;
  run.lots = Math.floor(held / lot);
  run.dust = held - run.lots * lot;
  run.fills += 1;
  run.recorder?.add({
    row,
    atMs: market.openMs[row] ?? 0,
    lots,
    ticks: price,
    quote: cost,
    fee: feePaid,
    cash: run.cash,
    position: held,
    limit: 0,
    reason: ENTRY,
  });
  run.acted = run.newest;
  run.fillMs = market.openMs[row] ?? 0;
  run.fillRow = row;
  run.exitSignal = false;
  run.pausedUntil = 0;
  run.high = snapUp(run.average);
  run.stop = snapDown(run.high * run.params.trail);
  if (lots * lot * fee.n > Number.MAX_SAFE_INTEGER || held > Number.MAX_SAFE_INTEGER) run.fellBack = true;
  placeStop(run, open, money);
  run.settled = run.params.offset === null || run.resting > 0;
}

/** The full kernel handles orders that may exceed the volume of the candle. A buy and its stop may share one candle. */
const exceedsVolume = (lots: number, { volume }: VectorMarket, { row, money: { lotsOfVolume } }: FillInput): boolean =>
  lotsOfVolume > 0 && 2 * lots + 1 > (volume[row] ?? 0) * lotsOfVolume;

/** Bound of the rounding error of a net, as a share of the amounts in it. */
const NET_ERROR = 1e-14;

/** Value of `base` (1e-8) at a price in ticks, in 1e-8 quote. */
const quoteOf = (base: number, ticks: number, { worth, lot }: VectorMoney): number =>
  ((base / lot) * ticks * worth.n) / worth.d;

export function fillSell(run: VectorRun, market: VectorMarket, input: FillInput): void {
  const { row, price, limit, money } = input;
  const { worth, fee } = money;
  if (exceedsVolume(run.lots, market, input)) run.fellBack = true;
  accountUntil(run, market, input);
  const product = run.lots * price;
  if (product * worth.n > Number.MAX_SAFE_INTEGER) run.fellBack = true;
  const quote = share(product, worth);
  const feePaid = share(quote, fee);
  const received = quote - feePaid;
  run.cash += received;
  run.heldRows += row - run.fillRow;
  run.fills += 1;
  run.recorder?.add({
    row,
    atMs: (market.openMs[row] ?? 0) + (limit > 0 ? market.lengthMs - 1 : 0),
    lots: -run.lots,
    ticks: price,
    quote,
    fee: feePaid,
    cash: run.cash,
    position: run.dust,
    limit,
    reason: run.exit,
  });
  run.acted = run.newest;
  const net = received - run.spent + quoteOf(run.dust, run.average, money);
  addNet(run.tally, net / 1e8);
  // Its sign starts the cool-down, and the average price is a float.
  if (run.params.cooldownMs > 0 && Math.abs(net) <= NET_ERROR * (received + run.spent)) run.fellBack = true;
  run.pausedUntil = net < 0 ? (market.openMs[row] ?? 0) + run.params.cooldownMs : 0;
  run.pending = 0;
  run.lots = 0;
  run.resting = 0;
  run.settled = false;
}

/** Places the stop on the exchange, or moves it. */
export function placeStop(run: VectorRun, price: number, { worth, least, askDown }: VectorMoney): void {
  const { offset } = run.params;
  const { stop } = run;
  if (offset === null || stop >= price || isNear(run, stop)) return;
  const limit = share(stop, offset);
  run.resting = stop;
  run.restingLimit = limit;
  if (run.lots * limit * worth.n < least.quote * worth.d || limit < price * askDown) run.fellBack = true;
}

/** As in live trading, the stop on the exchange is not moved by less than a thousandth. */
export function isNear({ resting, restingLimit, params: { offset } }: VectorRun, stop: number): boolean {
  if (offset === null) return true;
  const limit = share(stop, offset);
  return resting > 0 && (stop - resting) * 1000 < stop && (limit - restingLimit) * 1000 < limit;
}

/** Measures the equity of the rows before `row`. Cash and quantity did not change there. A record leaves it to its reader. */
export function accountUntil(run: VectorRun, market: VectorMarket, { row, money: { lot } }: RowInput): void {
  if (run.recorder !== null) return;
  const cash = run.cash / 1e8;
  const quantity = (run.lots * lot + run.dust) / 1e8;
  const { closes, dayRows } = market;
  const { values, most, least, wideMost, wideLeast } = closes;
  let { peak, floor, depth } = run;
  for (let at = run.since; at < row; ) {
    const wide = at >> WIDE_SHIFT;
    if (cash + quantity * (wideMost[wide] ?? 0) <= peak && cash + quantity * (wideLeast[wide] ?? 0) >= floor) {
      at = (wide + 1) << WIDE_SHIFT;
      continue;
    }
    const chunk = at >> SHIFT;
    const until = Math.min(row, (chunk + 1) << SHIFT);
    // The bounds of a chunk hold for each part of it.
    const quiet = cash + quantity * (most[chunk] ?? 0) <= peak && cash + quantity * (least[chunk] ?? 0) >= floor;
    if (quiet) at = until;
    for (; at < until; at++) {
      const equity = cash + quantity * (values[at] ?? 0);
      if (equity > peak) {
        peak = equity;
        floor = equity * (1 - depth);
      } else if (equity < floor) {
        floor = equity;
        if (1 - equity / peak > depth) depth = 1 - equity / peak;
      }
    }
  }
  run.peak = peak;
  run.floor = floor;
  run.depth = depth;
  run.since = row;
  while (run.day < dayRows.length && (dayRows[run.day] ?? row) < row) {
    run.days[run.day] = cash + quantity * (values[dayRows[run.day] ?? 0] ?? 0);
    run.day += 1;
  }
}
