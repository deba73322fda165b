import {
  CandlestickSeries,
  ColorType,
  createChart,
  createSeriesMarkers,
  type IChartApi,
  type IPriceLine,
  type ISeriesApi,
  type ISeriesMarkersPluginApi,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import { INTERVAL_MS, type Interval, openOf } from '#core/market/candle.ts';
import type { Candle } from '#web/data/queries.ts';
import { axisMark, full } from '#web/ui/time.ts';

export interface PlanLevel {
  readonly name: string;
  readonly price: number;
  /** The average price is a fact; the other levels are plans. */
  readonly fact: boolean;
  /** On the exchange; else the worker keeps it. */
  readonly solid: boolean;
}

interface ChartMark {
  readonly atMs: number;
  readonly side: 'buy' | 'sell';
  readonly text: string;
}

/** The visible time range, and the width of the price axis in px. */
export interface ChartRange {
  readonly fromMs: number;
  readonly toMs: number;
  readonly rightPx: number;
}

export interface ChartOptions {
  readonly interval: Interval;
  readonly zone: string;
  readonly minMove: number;
  readonly format: (price: number) => string;
  readonly onRange: (range: ChartRange) => void;
}

const MOST_TEXTS = 8;

type Bar = { time: UTCTimestamp; open: number; high: number; low: number; close: number };

// The library brands its seconds; this is the one place where milliseconds become them.
const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1000) as UTCTimestamp;
const barOf = ({ openMs, open, high, low, close }: Candle): Bar => ({ time: seconds(openMs), open, high, low, close });
const color = (name: string): string =>
  getComputedStyle(document.documentElement).getPropertyValue(`--color-${name}`).trim();
const msOf = (time: Time): number => (typeof time === 'number' ? time * 1000 : Date.parse(String(time)));

/** The candle chart of one coin: hollow when it closed higher, filled when lower, plan lines across. */
export class ChartView {
  private readonly chart: IChartApi;
  private readonly series: ISeriesApi<'Candlestick'>;
  private readonly markers: ISeriesMarkersPluginApi<Time>;
  private readonly interval: Interval;
  private lines: IPriceLine[] = [];
  private shownPlan = '';
  private last: Bar | undefined;
  private first: UTCTimestamp | undefined;
  /** React may still pass data after the chart is removed. */
  private removed = false;

  constructor(box: HTMLElement, options: ChartOptions) {
    this.interval = options.interval;
    this.chart = createChart(box, layoutOf(options));
    this.series = this.chart.addSeries(CandlestickSeries, {
      upColor: color('plane'),
      downColor: color('ink'),
      borderUpColor: color('ink'),
      borderDownColor: color('ink'),
      wickUpColor: color('ink'),
      wickDownColor: color('ink'),
      priceLineColor: color('ink-3'),
      priceLineStyle: LineStyle.Dotted,
      priceFormat: { type: 'custom', minMove: options.minMove, formatter: options.format },
    });
    this.markers = createSeriesMarkers(this.series, []);
    this.chart.timeScale().subscribeVisibleLogicalRangeChange((range) => {
      const { first } = this;
      if (range === null || first === undefined) return;
      const at = (bar: number): number => msOf(first) + (bar + 0.5) * INTERVAL_MS[this.interval];
      const rightPx = this.chart.priceScale('right').width();
      options.onRange({ fromMs: at(range.from), toMs: at(range.to), rightPx });
    });
  }

  /** Appends newer candles, so that zoom and scroll position stay. */
  show(candles: readonly Candle[]): void {
    if (this.removed) return;
    const bars = candles.map(barOf);
    const tail = bars.filter((bar) => this.last === undefined || bar.time >= this.last.time);
    const joined = this.last !== undefined && bars.some((bar) => bar.time === this.last?.time);
    if (joined) for (const bar of tail) this.put(bar);
    else {
      this.last = bars.at(-1);
      this.first = bars[0]?.time;
      this.series.setData(bars);
      this.chart.timeScale().setVisibleLogicalRange({ from: Math.max(0, bars.length - 120), to: bars.length + 4 });
    }
  }

  /** A trade price between two responses of the server. */
  tick(price: number, atMs: number): void {
    if (this.removed || this.last === undefined) return;
    const time = seconds(openOf(atMs, this.interval));
    if (time === this.last.time) {
      const { high, low } = this.last;
      this.put({ ...this.last, close: price, high: Math.max(high, price), low: Math.min(low, price) });
    } else if (time > this.last.time && atMs - msOf(this.last.time) <= 2 * INTERVAL_MS[this.interval]) {
      this.put({
        time,
        open: this.last.close,
        high: Math.max(this.last.close, price),
        low: Math.min(this.last.close, price),
        close: price,
      });
    }
  }

  plan(levels: readonly PlanLevel[]): void {
    const shown = JSON.stringify(levels);
    if (this.removed || shown === this.shownPlan) return;
    this.shownPlan = shown;
    for (const line of this.lines) this.series.removePriceLine(line);
    this.lines = levels.map(({ name, price, fact, solid }) =>
      this.series.createPriceLine({
        price,
        title: name,
        color: color(fact ? 'ink-2' : 'intent'),
        lineWidth: fact ? 1 : 2,
        lineStyle: solid || fact ? LineStyle.Solid : LineStyle.Dashed,
        axisLabelVisible: true,
        axisLabelColor: color('ground'),
        axisLabelTextColor: color(fact ? 'ink' : 'intent'),
      }),
    );
  }

  /** One arrow per candle and side; quantities are shown only while there is room. */
  mark(marks: readonly ChartMark[]): void {
    if (this.removed) return;
    const known = marks.filter(({ atMs }) => this.first !== undefined && seconds(atMs) >= this.first);
    const groups = [...Map.groupBy(known, ({ atMs, side }) => `${openOf(atMs, this.interval)} ${side}`).values()];
    const roomy = groups.length <= MOST_TEXTS && groups.every((group) => group.length === 1);
    this.markers.setMarkers(
      groups
        .flatMap(([mark]) => (mark === undefined ? [] : [mark]))
        .toSorted((a, b) => a.atMs - b.atMs)
        .map(
          ({ atMs, side, text }): SeriesMarker<Time> => ({
            time: seconds(openOf(atMs, this.interval)),
            position: side === 'buy' ? 'belowBar' : 'aboveBar',
            shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
            color: color('ink'),
            ...(roomy ? { text } : {}),
          }),
        ),
    );
  }

  [Symbol.dispose](): void {
    this.removed = true;
    this.chart.remove();
  }

  private put(bar: Bar): void {
    this.series.update(bar);
    this.last = bar;
  }
}

function layoutOf({ zone }: ChartOptions) {
  const font = getComputedStyle(document.body).fontFamily;
  return {
    autoSize: true,
    layout: {
      background: { type: ColorType.Solid, color: color('plane') },
      textColor: color('ink-3'),
      fontSize: 12,
      fontFamily: font,
      attributionLogo: false,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: color('rule') } },
    crosshair: {
      vertLine: { color: color('control'), labelBackgroundColor: color('rule-strong') },
      horzLine: { color: color('control'), labelBackgroundColor: color('rule-strong') },
    },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.12, bottom: 0.12 } },
    timeScale: {
      borderColor: color('rule-strong'),
      timeVisible: true,
      secondsVisible: false,
      tickMarkFormatter: (time: Time) => axisMark(msOf(time), zone),
    },
    localization: { timeFormatter: (time: Time) => full(msOf(time), zone, true) },
    handleScroll: { mouseWheel: false, vertTouchDrag: false },
    handleScale: { mouseWheel: false },
  };
}
