import {
  CandlestickSeries,
  HistogramSeries,
  type IChartApi,
  type ISeriesApi,
  LineStyle,
  type MouseEventParams,
} from 'lightweight-charts';
import { type Interval, INTERVAL_MS, openOf } from '#core/market/candle.ts';
import {
  barsInView,
  colorChart,
  openChart,
  type Palette,
  readPalette,
  revealBar,
  seconds,
  zoomChart,
} from './base-chart.ts';
import {
  candleAt,
  type ChartCandle,
  type ChartData,
  groupMarks,
  indexAt,
  type MarkGroup,
  type TradeSpan,
} from './chart-data.ts';
import type { ChartCommand } from './chart-keys.ts';
import type { NamedLevel } from './chart-levels.ts';
import { IndicatorPanes } from './indicator-panes.ts';
import type { DrawnLevel } from './overlay-draw.ts';
import { Overlay } from './overlay.ts';

/** The visible time range, and the width of the price axis in px. */
export interface ChartRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rightPx: number;
}

/** Which layers are drawn. */
export interface Layers {
  readonly indicators: boolean;
  readonly orders: boolean;
  readonly volume: boolean;
}

/** The newest trade price. */
export interface LivePrice {
  readonly value: number;
  readonly atMs: number;
}

export interface ChartEvents {
  readonly range: (range: ChartRange) => void;
  /** The view is near the first candle (`older`) or the last one. */
  readonly edge: (side: 'older' | 'newer') => void;
  /** Index of the candle at the cursor; undefined away from the chart. */
  readonly cursor: (index: number | undefined) => void;
  /** A mark was clicked; undefined for a click anywhere else. */
  readonly trade: (trade: number | undefined) => void;
}

interface ViewOptions {
  readonly zone: string;
  readonly minMove: number;
  readonly format: (price: number) => string;
  readonly label: (group: MarkGroup) => string;
  readonly volume: (quantity: number) => string;
  readonly events: ChartEvents;
}

/** Candles in view at first; a phone shows half of them. */
const [WIDE, NARROW, NARROW_PX] = [120, 60, 480];
/** Candles beyond the view that are loaded ahead. */
const AHEAD = 40;
/** Heights of the panes below the candles, and of the time axis. `--panes` of the style sheet adds room for indicators. */
const [VOLUME_PX, INDICATOR_PX, AXIS_PX] = [64, 84, 28];

/** The candle chart of one coin: hollow when it closed higher, filled when lower. */
export class ChartView implements Disposable {
  readonly #chart: IChartApi;
  readonly #box: HTMLElement;
  readonly #candles: ISeriesApi<'Candlestick'>;
  readonly #volume: ISeriesApi<'Histogram'>;
  readonly #overlay: Overlay;
  readonly #panes: IndicatorPanes;
  readonly #events: ChartEvents;
  #palette: Palette = readPalette();
  #data: ChartData | undefined;
  #interval: Interval = '1h';
  #layers: Layers = { indicators: true, orders: true, volume: true };
  #levels: readonly NamedLevel[] = [];
  #cursor: number | undefined;
  #range = '';
  /** React may still pass data after the chart is removed. */
  #removed = false;

  constructor(box: HTMLElement, { zone, minMove, format, label, volume, events }: ViewOptions) {
    this.#box = box;
    this.#events = events;
    this.#chart = openChart(box, zone);
    this.#overlay = new Overlay({ palette: () => this.#palette, label, format });
    const tickText = (price: number): string => (this.#overlay.coversTick(price) ? '' : format(price));
    const tickmarksFormatter = (prices: readonly number[]): string[] => prices.map(tickText);
    const priceFormat = { type: 'custom', minMove, formatter: format, tickmarksFormatter } as const;
    this.#candles = this.#chart.addSeries(CandlestickSeries, { priceFormat, priceLineStyle: LineStyle.Dotted });
    const volumeFormat = { type: 'custom', minMove: 1e-8, formatter: volume } as const;
    const last = { priceLineVisible: false, lastValueVisible: false };
    this.#volume = this.#chart.addSeries(HistogramSeries, { priceFormat: volumeFormat, ...last }, 1);
    this.#panes = new IndicatorPanes(this.#chart);
    this.#share();
    this.#volume.priceScale().applyOptions({ scaleMargins: { top: 0.3, bottom: 0 } });
    this.#candles.attachPrimitive(this.#overlay);
    this.#chart.timeScale().subscribeVisibleLogicalRangeChange(() => this.#reportRange());
    this.#chart.subscribeCrosshairMove((event) => this.#moveCursor(event));
    this.#chart.subscribeClick(({ point }) => {
      events.trade(point === undefined ? undefined : this.#overlay.tradeAt(point));
    });
    this.recolor();
  }

  /** Shows other data: `stay` keeps candles in place, `newest` goes to the last ones. */
  show(data: ChartData, interval: Interval, at: 'stay' | 'newest'): void {
    if (this.#removed) return;
    const before = this.#data?.candles ?? [];
    this.#data = data;
    this.#interval = interval;
    const tail = at === 'stay' ? tailOf(before, data.candles) : undefined;
    if (tail === undefined) {
      this.#candles.setData(data.candles.map(barOf));
      this.#volume.setData(data.candles.map((candle) => this.#volumeOf(candle)));
    } else for (const candle of tail) this.#update(candle);
    this.#draw();
    if (at === 'newest') this.#showNewest();
    this.#reportRange();
  }

  /** A trade price between two answers of the server. */
  tick(price: LivePrice | undefined): void {
    const last = this.#data?.candles.at(-1);
    if (this.#removed || price === undefined || last === undefined || last.closed) return;
    if (openOf(price.atMs, this.#interval) !== last.openMs) return;
    const [high, low] = [Math.max(last.high, price.value), Math.min(last.low, price.value)];
    this.#candles.update(barOf({ ...last, close: price.value, high, low }));
  }

  plan(levels: readonly NamedLevel[]): void {
    this.#levels = levels;
    if (!this.#removed) this.#overlay.show({ levels: this.#drawnLevels() });
  }

  setLayers(layers: Layers): void {
    this.#layers = layers;
    if (this.#removed) return;
    this.#volume.applyOptions({ visible: layers.volume });
    this.#draw();
    this.#share();
  }

  /** Tints a trade. */
  choose(span: TradeSpan | undefined): void {
    const candles = this.#data?.candles ?? [];
    if (this.#removed) return;
    const bars =
      span === undefined
        ? undefined
        : { trade: span.trade, from: candleAt(candles, span.fromMs), to: candleAt(candles, span.toMs) };
    this.#overlay.show({ span: bars });
  }

  /** Marks the time of a decision. */
  markMoment(atMs: number | undefined): void {
    const candles = this.#data?.candles ?? [];
    if (this.#removed) return;
    this.#overlay.show({ moment: atMs === undefined || candles.length === 0 ? undefined : this.#barOf(atMs) });
  }

  /** Shows a time range with some candles around it. */
  frame(fromMs: number, toMs: number): void {
    const candles = this.#data?.candles ?? [];
    if (this.#removed || candles.length === 0) return;
    const [from, to] = [candleAt(candles, fromMs), candleAt(candles, toMs)];
    const around = Math.max(12, (to - from) * 0.4);
    this.#chart.timeScale().setVisibleLogicalRange({ from: from - around, to: to + around });
  }

  /** Carries out a command; returns the candle at the cursor when it moved the cursor. */
  run({ kind, ...command }: ChartCommand): number | undefined {
    const count = this.#data?.candles.length ?? 0;
    if (this.#removed || count === 0) return undefined;
    const by = 'by' in command ? command.by : 1;
    if (kind === 'fit') this.#chart.timeScale().fitContent();
    else if (kind === 'zoom') zoomChart(this.#chart, by, this.#cursor);
    if (kind === 'fit' || kind === 'zoom') return undefined;
    if (kind === 'ends') return this.#setCursor(by === 1 ? count - 1 : 0);
    const from = this.#cursor ?? (by === 1 ? this.#lastInView() : this.#lastInView() + 1);
    return this.#setCursor(from + by * (kind === 'step' ? 1 : barsInView(this.#chart)));
  }

  /** Reads the colours of the theme again. */
  recolor(): void {
    if (this.#removed) return;
    this.#palette = readPalette();
    const { plane, ink, ink3 } = this.#palette;
    colorChart(this.#chart, this.#palette);
    this.#candles.applyOptions({
      ...{ upColor: plane, downColor: ink, borderUpColor: ink, borderDownColor: ink },
      ...{ wickUpColor: ink, wickDownColor: ink, priceLineColor: ink3 },
    });
    if (this.#data !== undefined) this.#volume.setData(this.#data.candles.map((candle) => this.#volumeOf(candle)));
    this.#draw();
  }

  [Symbol.dispose](): void {
    this.#removed = true;
    this.#chart.remove();
  }

  #draw(): void {
    const { candles, lines, marks } = this.#data ?? { candles: [], lines: [], marks: [] };
    const { indicators, orders } = this.#layers;
    this.#overlay.show({
      candles,
      lines: indicators ? lines.filter(({ pane }) => pane === null) : [],
      groups: orders ? groupMarks(marks, candles) : [],
      levels: this.#drawnLevels(),
    });
    const below = indicators ? lines.filter(({ pane }) => pane !== null) : [];
    if (this.#panes.show(below, candles, this.#palette)) this.#share();
  }

  /** Shares the height among the panes. */
  #share(): void {
    const { count } = this.#panes;
    this.#box.style.setProperty('--panes', String(count));
    const volume = this.#layers.volume ? VOLUME_PX : 1;
    const price = Math.max(VOLUME_PX, this.#box.clientHeight - AXIS_PX - volume - count * INDICATOR_PX);
    for (const [i, pane] of this.#chart.panes().entries())
      pane.setStretchFactor(i === 0 ? price : i === 1 ? volume : INDICATOR_PX);
  }

  /** A level that is a line too, such as a trailing stop, continues at the last candle. */
  #drawnLevels(): DrawnLevel[] {
    const { candles, lines } = this.#data ?? { candles: [], lines: [] };
    if (!this.#layers.orders) return [];
    return this.#levels.map(({ name, fromMs, ...level }) => {
      const isLine = this.#layers.indicators && lines.some((line) => line.acts && line.name === name);
      const from = isLine ? candles.length - 1 : fromMs === undefined ? 0 : candleAt(candles, fromMs);
      return { ...level, from };
    });
  }

  #update(candle: ChartCandle): void {
    this.#candles.update(barOf(candle));
    this.#volume.update(this.#volumeOf(candle));
  }

  #volumeOf({ openMs, open, close, volume }: ChartCandle) {
    const color = close >= open ? this.#palette.rule : this.#palette.ruleStrong;
    return { time: seconds(openMs), value: volume, color };
  }

  #showNewest(): void {
    const count = this.#data?.candles.length ?? 0;
    const shown = this.#box.clientWidth < NARROW_PX ? NARROW : WIDE;
    this.#chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, count - shown), to: count + 3 });
  }

  #barOf(ms: number): number {
    const candles = this.#data?.candles ?? [];
    const index = candleAt(candles, ms);
    const candle = candles[index];
    return candle === undefined ? 0 : index - 0.5 + (ms - candle.openMs) / INTERVAL_MS[this.#interval];
  }

  #reportRange(): void {
    const range = this.#chart.timeScale().getVisibleLogicalRange();
    const candles = this.#data?.candles ?? [];
    const [first, last] = [candles[0], candles.at(-1)];
    if (this.#removed || range === null || first === undefined || last === undefined) return;
    const at = (bar: number): number => {
      const index = Math.min(candles.length - 1, Math.max(0, Math.round(bar)));
      return (candles[index]?.openMs ?? 0) + (bar - index + 0.5) * INTERVAL_MS[this.#interval];
    };
    const rightPx = this.#chart.priceScale('right').width();
    const shown = { fromMs: at(range.from), toMs: at(range.to), rightPx };
    const key = JSON.stringify(shown);
    if (key !== this.#range) this.#events.range(shown);
    this.#range = key;
    if (range.from < AHEAD) this.#events.edge('older');
    if (range.to > candles.length - AHEAD) this.#events.edge('newer');
  }

  #moveCursor({ logical, point }: MouseEventParams): void {
    const count = this.#data?.candles.length ?? 0;
    const index = logical === undefined || point === undefined ? undefined : Math.round(logical);
    this.#cursor = index === undefined || index < 0 || index >= count ? undefined : index;
    this.#events.cursor(this.#cursor);
  }

  #lastInView(): number {
    const range = this.#chart.timeScale().getVisibleLogicalRange();
    return Math.min((this.#data?.candles.length ?? 1) - 1, Math.floor(range?.to ?? 0));
  }

  #setCursor(wanted: number): number | undefined {
    const candles = this.#data?.candles ?? [];
    const index = Math.min(candles.length - 1, Math.max(0, wanted));
    const candle = candles[index];
    if (candle === undefined) return undefined;
    revealBar(this.#chart, index);
    this.#chart.setCrosshairPosition(candle.close, seconds(candle.openMs), this.#candles);
    this.#cursor = index;
    return index;
  }
}

const barOf = ({ openMs, open, high, low, close }: ChartCandle) => ({
  ...{ time: seconds(openMs), open, high, low, close },
});

/** The candles that changed at the end; undefined when others changed too. */
function tailOf(before: readonly ChartCandle[], after: readonly ChartCandle[]): readonly ChartCandle[] | undefined {
  const last = before.at(-1);
  if (last === undefined || before[0]?.openMs !== after[0]?.openMs) return undefined;
  const from = indexAt(after, last.openMs);
  return after[from]?.openMs === last.openMs && from === before.length - 1 ? after.slice(from) : undefined;
}
