import { type Bar, type Indicator, type IndicatorState, numberOf, partOf, ringOf } from './indicator.ts';
import { createWindowRange } from './window-range.ts';

export interface Ichimoku extends Indicator {
  push(bar: Bar): void;
  /** Tenkan-sen and Kijun-sen: the middles of the `conversion` and of the `base` window. */
  readonly conversion: number;
  readonly base: number;
  /**
   * What this candle leads to: Senkou A, the mean of conversion and base, and Senkou B, the middle of the `lead`
   * window.
   */
  readonly leadA: number;
  readonly leadB: number;
  /** The cloud at this candle: the leads of `displacement` candles before. */
  readonly cloudA: number;
  readonly cloudB: number;
}

interface IchimokuLengths {
  readonly conversion: number;
  readonly base: number;
  readonly lead: number;
  readonly displacement: number;
}

/**
 * Ichimoku: middles of highest high and lowest low of three windows; 9, 26, 52 and 26 as published. No seed, nothing of
 * the future: what a chart draws ahead is read here when its candle has come. The lagging span is the close. Ready
 * after the longest window, the cloud `displacement` candles later. Source: Goichi Hosoda, 1969.
 */
export function createIchimoku(lengths: IchimokuLengths, saved?: IndicatorState): Ichimoku {
  const { displacement } = lengths;
  const conversion = createWindowRange(lengths.conversion, partOf(saved, 'conversion'));
  const base = createWindowRange(lengths.base, partOf(saved, 'base'));
  const lead = createWindowRange(lengths.lead, partOf(saved, 'lead'));
  const leadsA = ringOf(saved, 'leadsA', displacement + 1);
  const leadsB = ringOf(saved, 'leadsB', displacement + 1);
  const s = { leads: numberOf(saved, 'leads') };
  const isReady = (): boolean => lead.ready && base.ready && conversion.ready;
  const middle = (window: typeof lead): number => (window.high + window.low) / 2;
  const leadA = (): number => (middle(conversion) + middle(base)) / 2;
  // The slot after the newest is the oldest, `displacement` candles before it.
  const cloud = (leads: Float64Array): number =>
    s.leads > displacement ? (leads[s.leads % (displacement + 1)] ?? Number.NaN) : Number.NaN;
  return {
    push({ high, low }) {
      conversion.push(high, low);
      base.push(high, low);
      lead.push(high, low);
      if (!isReady()) return;
      const slot = s.leads % (displacement + 1);
      leadsA[slot] = leadA();
      leadsB[slot] = middle(lead);
      s.leads += 1;
    },
    get ready() {
      return isReady();
    },
    get conversion() {
      return middle(conversion);
    },
    get base() {
      return middle(base);
    },
    get leadA() {
      return leadA();
    },
    get leadB() {
      return middle(lead);
    },
    get cloudA() {
      return cloud(leadsA);
    },
    get cloudB() {
      return cloud(leadsB);
    },
    state: () => ({
      ...s,
      conversion: conversion.state(),
      base: base.state(),
      lead: lead.state(),
      leadsA: Array.from(leadsA),
      leadsB: Array.from(leadsB),
    }),
  };
}
