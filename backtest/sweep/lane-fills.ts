import { snapDown, snapUp } from '#strategies/ticks.ts';
import type { Lane } from './lane-state.ts';
import { CHUNK, SHIFT, WIDE, WIDE_SHIFT } from '#backtest/extremes.ts';
import type { LaneMarket } from './lane-market.ts';
import { type LaneMoney, share } from './lane-money.ts';
import { addNet } from './row.ts';

interface Row {
  readonly row: number;
  readonly money: LaneMoney;
}

/** A row at which an order is filled, with its open. */
interface Met extends Row {
  readonly price: number;
  readonly open: number;
}

export function fillBuy(lane: Lane, market: LaneMarket, met: Met): void {
  const { row, price, open, money } = met;
  const { worth, lot, fee } = money;
  const lots = lane.pending;
  lane.pending = 0;
  if (exceedsVolume(lots, market, met)) lane.bailed = true;
  if (lots * price * worth.n > lane.cash * worth.d) return;
  accountUntil(lane, market, met);
  const cost = share(lots * price, worth);
  const received = lots * lot - share(lots * lot, fee);
  const held = lane.dust + received;
  lane.spent = cost + quoteOf(lane.dust, lane.average, money);
  lane.average = lane.dust === 0 ? price : (lane.average * lane.dust + price * received) / held;
  lane.cash -= cost;
  lane.lots = Math.floor(held / lot);
  lane.dust = held - lane.lots * lot;
  lane.fills += 1;
  lane.acted = lane.newest;
  lane.fillMs = market.openMs[row] ?? 0;
  lane.fillRow = row;
  lane.exitSignal = false;
  lane.pausedUntil = 0;
  lane.high = snapUp(lane.average);
  lane.stop = snapDown(lane.high * lane.knobs.trail);
  if (lots * lot * fee.n > Number.MAX_SAFE_INTEGER || held > Number.MAX_SAFE_INTEGER) lane.bailed = true;
  placeStop(lane, open, money);
  lane.settled = lane.knobs.offset === null || lane.resting > 0;
}

/** An order that the volume of the candle may not hold whole is for the full kernel; a buy and its stop may share one. */
const exceedsVolume = (lots: number, { volume }: LaneMarket, { row, money: { lotsOfVolume } }: Met): boolean =>
  lotsOfVolume > 0 && 2 * lots + 1 > (volume[row] ?? 0) * lotsOfVolume;

/** Base in 1e-8 at a price in ticks, in 1e-8 quote. */
const quoteOf = (base: number, ticks: number, { worth, lot }: LaneMoney): number =>
  ((base / lot) * ticks * worth.n) / worth.d;

export function fillSell(lane: Lane, market: LaneMarket, met: Met): void {
  const { row, price, money } = met;
  const { worth, fee } = money;
  if (exceedsVolume(lane.lots, market, met)) lane.bailed = true;
  accountUntil(lane, market, met);
  const product = lane.lots * price;
  if (product * worth.n > Number.MAX_SAFE_INTEGER) lane.bailed = true;
  const quote = share(product, worth);
  const received = quote - share(quote, fee);
  lane.cash += received;
  lane.heldRows += row - lane.fillRow;
  lane.fills += 1;
  lane.acted = lane.newest;
  const net = received - lane.spent + quoteOf(lane.dust, lane.average, money);
  addNet(lane.tally, net / 1e8);
  lane.pausedUntil = net < 0 ? (market.openMs[row] ?? 0) + lane.knobs.cooldownMs : 0;
  lane.pending = 0;
  lane.lots = 0;
  lane.resting = 0;
  lane.settled = false;
}

/** Places the stop on the exchange, or moves it. */
export function placeStop(lane: Lane, price: number, { worth, least, askDown }: LaneMoney): void {
  const { offset } = lane.knobs;
  const { stop } = lane;
  if (offset === null || stop >= price || isNear(lane, stop)) return;
  const limit = share(stop, offset);
  lane.resting = stop;
  lane.restingLimit = limit;
  if (lane.lots * limit * worth.n < least.quote * worth.d || limit < price * askDown) lane.bailed = true;
}

/** The stop on the exchange stays where it is while it is off by less than a thousandth, as the plan of live trading says. */
export function isNear({ resting, restingLimit, knobs: { offset } }: Lane, stop: number): boolean {
  if (offset === null) return true;
  const limit = share(stop, offset);
  return resting > 0 && (stop - resting) * 1000 < stop && (limit - restingLimit) * 1000 < limit;
}

/** Measures the equity of the rows before `row`, through which cash and quantity stayed as they are. */
export function accountUntil(lane: Lane, market: LaneMarket, { row, money: { lot } }: Row): void {
  const cash = lane.cash / 1e8;
  const quantity = (lane.lots * lot + lane.dust) / 1e8;
  const { closes, dayRows } = market;
  const { values, most, least, wideMost, wideLeast } = closes;
  let { peak, floor, depth } = lane;
  for (let at = lane.since; at < row; ) {
    const wide = (at & (WIDE - 1)) === 0 && at + WIDE <= row;
    if (wide && cash + quantity * (wideMost[at >> WIDE_SHIFT] ?? 0) <= peak) {
      if (cash + quantity * (wideLeast[at >> WIDE_SHIFT] ?? 0) >= floor) {
        at += WIDE;
        continue;
      }
    }
    const chunk = at >> SHIFT;
    const whole = (at & (CHUNK - 1)) === 0 && at + CHUNK <= row;
    // Below the peak the deepest fall of a chunk is all that counts.
    const skips = whole && cash + quantity * (most[chunk] ?? 0) <= peak;
    const equity = cash + quantity * (skips ? (least[chunk] ?? 0) : (values[at] ?? 0));
    at += skips ? CHUNK : 1;
    if (equity > peak) {
      peak = equity;
      floor = equity * (1 - depth);
    } else if (equity < floor) {
      floor = equity;
      if (1 - equity / peak > depth) depth = 1 - equity / peak;
    }
  }
  lane.peak = peak;
  lane.floor = floor;
  lane.depth = depth;
  lane.since = row;
  while (lane.day < dayRows.length && (dayRows[lane.day] ?? row) < row) {
    lane.days[lane.day] = cash + quantity * (values[dayRows[lane.day] ?? 0] ?? 0);
    lane.day += 1;
  }
}
