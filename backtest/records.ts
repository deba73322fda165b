import { formatDecimal } from '#core/amount/decimal.ts';
import type { BookedFill, Cycle, Rejection } from './book.ts';
import type { CycleRecord, FillRecord, RejectionRecord } from '#core/research/backtest-result.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const twoDigits = (value: number): string => String(value).padStart(2, '0');
const minutes = Array.from(
  { length: DAY_MS / MINUTE_MS },
  (_, minute) => `T${twoDigits(Math.floor(minute / 60))}:${twoDigits(minute % 60)}:00.000Z`,
);
/** Texts of days, computed on first use. */
const days = new Map<number, string>();

/** A moment in ms UTC as ISO text, as `Date` writes it. */
export function iso(ms: number): string {
  const startMs = Math.floor(ms / DAY_MS) * DAY_MS;
  const minute = minutes[Math.floor((ms - startMs) / MINUTE_MS)];
  if (minute === undefined || ms % MINUTE_MS !== 0) return new Date(ms).toISOString();
  let day = days.get(startMs);
  if (day === undefined) {
    day = new Date(startMs).toISOString().slice(0, -minute.length);
    days.set(startMs, day);
  }
  return day + minute;
}

export function fillRecord(booked: BookedFill & { readonly symbol?: string }): FillRecord {
  const { fill, reason, cycle, realised, cash, position, symbol } = booked;
  const record = {
    at: iso(fill.at.getTime()),
    side: fill.side,
    price: formatDecimal(fill.price),
    quantity: formatDecimal(fill.quantity),
    quote: formatDecimal(fill.quoteQuantity),
    fee: formatDecimal(fill.feeAmount),
    feeAsset: fill.feeAsset ?? '',
    reason,
    cycle,
    realised: fill.side === 'buy' ? null : formatDecimal(realised),
    cash: formatDecimal(cash),
    position: formatDecimal(position),
  };
  return symbol === undefined ? record : { symbol, ...record };
}

export const cycleRecord = ({ symbol, ...cycle }: Cycle & { readonly symbol?: string }): CycleRecord => ({
  ...(symbol !== undefined && { symbol }),
  cycle: cycle.number,
  openedAt: iso(cycle.openedMs),
  closedAt: iso(cycle.closedMs),
  net: formatDecimal(cycle.net),
  exitReason: cycle.exitReason,
});

export const rejectionRecord = ({ atMs, order, reason }: Rejection): RejectionRecord => ({
  at: iso(atMs),
  side: order.side,
  quantity: formatDecimal(order.quantity),
  reason,
});
