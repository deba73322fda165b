import { type RefObject, useEffect, useRef, useState } from 'react';
import type { Interval } from '#core/market/candle.ts';
import { useZone } from '#web/data/session.tsx';
import { decimalsOf } from '#web/ui/numbers.ts';
import { useTheme } from '#web/ui/theme-switch.tsx';
import type { ChartData, TradeSpan } from './chart-data.ts';
import type { NamedLevel } from './chart-levels.ts';
import type { ChartStore } from './chart-store.ts';
import { type ChartCoin, markText, priceText, volumeText } from './chart-text.ts';
import { type ChartEvents, ChartView, type Layers, type LivePrice } from './chart-view.ts';

/** One chart for as long as the coin stays the same: other candles, colours and levels change it in place. */
export function useView(
  box: RefObject<HTMLDivElement | null>,
  coin: ChartCoin,
  events: ChartEvents,
): ChartView | undefined {
  const [view, setView] = useState<ChartView | undefined>(undefined);
  const latest = useRef(events);
  useEffect(() => {
    latest.current = events;
  });
  const zone = useZone();
  const theme = useTheme();
  const { symbol, base, quote, tickSize } = coin;
  useEffect(() => {
    if (box.current === null) return;
    const shown = { symbol, base, quote, tickSize };
    const made = new ChartView(box.current, {
      zone,
      minMove: 10 ** -decimalsOf(tickSize, 2),
      format: (price) => priceText(price, shown),
      label: (group) => markText(group, shown),
      volume: volumeText,
      events: {
        range: (range) => latest.current.range(range),
        edge: (side) => latest.current.edge(side),
        cursor: (index) => latest.current.cursor(index),
        trade: (chosen) => latest.current.trade(chosen),
      },
    });
    setView(made);
    return () => {
      setView(undefined);
      made[Symbol.dispose]();
    };
  }, [box, zone, symbol, base, quote, tickSize]);
  useEffect(() => view?.recolor(), [view, theme]);
  return view;
}

interface Shown {
  readonly data: ChartData | undefined;
  readonly epoch: number;
  readonly interval: Interval;
}

/** Shows the loaded candles; new data starts at its newest candles. */
export function useShown(view: ChartView | undefined, { data, epoch, interval }: Shown): void {
  const last = useRef<readonly unknown[]>([]);
  useEffect(() => {
    if (view === undefined || data === undefined) return;
    const start = [view, epoch, interval];
    const isNew = start.some((part, i) => part !== last.current[i]);
    last.current = start;
    view.show(data, interval, isNew ? 'newest' : 'stay');
  }, [view, data, epoch, interval]);
}

interface Overlaid {
  readonly data: ChartData | undefined;
  readonly layers: Layers;
  readonly levels: readonly NamedLevel[];
  readonly trade: TradeSpan | undefined;
  readonly momentMs: number | undefined;
  readonly price: LivePrice | undefined;
}

/** Shows what lies over the candles; bars are counted from the first candle, so new data places them again. */
export function useOverlay(view: ChartView | undefined, { data, layers, levels, ...rest }: Overlaid): void {
  const { trade, momentMs, price } = rest;
  useEffect(() => view?.setLayers(layers), [view, layers]);
  useEffect(() => view?.plan(levels), [view, levels]);
  useEffect(() => view?.choose(trade), [view, trade, data]);
  useEffect(() => view?.markMoment(momentMs), [view, momentMs, data]);
  useEffect(() => view?.tick(price), [view, price]);
}

/** A time range to bring into view. */
export interface Frame {
  readonly fromMs: number;
  readonly toMs: number;
}

interface Framed {
  readonly data: ChartData | undefined;
  readonly store: ChartStore;
  readonly frame: Frame | undefined;
}

/** Loads the candles of a time range and brings it into view, once for each range and kind of candles. */
export function useFramed(view: ChartView | undefined, { data, store, frame }: Framed): void {
  const done = useRef<readonly unknown[]>([]);
  const isLoaded = data !== undefined;
  useEffect(() => {
    if (frame !== undefined && isLoaded) void store.jump(frame.fromMs, frame.toMs);
  }, [store, frame, isLoaded]);
  useEffect(() => {
    const [first, last] = [data?.candles[0], data?.candles.at(-1)];
    if (view === undefined || frame === undefined || first === undefined || last === undefined) return;
    if (done.current[0] === frame && done.current[1] === store) return;
    const isShown = first.openMs <= frame.fromMs || data?.beginsMs != null;
    if (!isShown || last.openMs < frame.fromMs) return;
    done.current = [frame, store];
    view.frame(frame.fromMs, frame.toMs);
  }, [view, store, frame, data]);
}
