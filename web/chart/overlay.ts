import type {
  AutoscaleInfo,
  IChartApiBase,
  IPrimitivePaneView,
  ISeriesApi,
  ISeriesPrimitiveAxisView,
  ISeriesPrimitiveBase,
  Logical,
  SeriesAttachedParameter,
  SeriesType,
  Time,
} from 'lightweight-charts';
import type { Palette } from './base-chart.ts';
import type { ChartCandle, ChartLine, MarkGroup } from './chart-data.ts';
import {
  cutsTick,
  drawLevelLabels,
  drawLevels,
  drawLine,
  drawMarks,
  drawMoment,
  drawOffScale,
  type DrawnLevel,
  drawSpan,
  type PlacedMark,
  type Plot,
} from './overlay-draw.ts';

/** Everything that is drawn over the candles; indexes count candles. */
interface Drawing {
  readonly candles: readonly ChartCandle[];
  readonly lines: readonly ChartLine[];
  readonly groups: readonly MarkGroup[];
  readonly levels: readonly DrawnLevel[];
  /** The chosen trade: its bars are tinted. */
  readonly span: { readonly trade: number; readonly from: number; readonly to: number } | undefined;
  /** Bar of the decision that is shown, with its part of the bar. */
  readonly moment: number | undefined;
}

interface OverlayOptions {
  readonly palette: () => Palette;
  readonly label: (group: MarkGroup) => string;
  readonly format: (price: number) => string;
}

const NOTHING: Drawing = { candles: [], lines: [], groups: [], levels: [], span: undefined, moment: undefined };
const NEAR_PX = 10;

interface Attached {
  readonly chart: IChartApiBase<Time>;
  readonly series: ISeriesApi<SeriesType, Time>;
  readonly requestUpdate: () => void;
}

/** Lines, levels, marks and the chosen trade, drawn on the canvas of the candles. */
export class Overlay implements ISeriesPrimitiveBase<SeriesAttachedParameter<Time, SeriesType>> {
  readonly #options: OverlayOptions;
  readonly #views: readonly IPrimitivePaneView[];
  #drawing = NOTHING;
  #attached: Attached | undefined;
  #labels: readonly ISeriesPrimitiveAxisView[] = [];
  #placed: readonly PlacedMark[] = [];

  constructor(options: OverlayOptions) {
    this.#options = options;
    const view = (zOrder: 'bottom' | 'top', draw: (plot: Plot) => void): IPrimitivePaneView => ({
      zOrder: () => zOrder,
      renderer: () => ({
        draw: (target) =>
          target.useMediaCoordinateSpace(({ context, mediaSize }) => {
            const plot = this.#plotOn(context, mediaSize);
            if (plot !== undefined) draw(plot);
          }),
      }),
    });
    this.#views = [view('bottom', (plot) => this.#drawBack(plot)), view('top', (plot) => this.#drawFront(plot))];
  }

  attached({ chart, series, requestUpdate }: SeriesAttachedParameter<Time, SeriesType>): void {
    this.#attached = { chart, series, requestUpdate };
  }

  detached(): void {
    this.#attached = undefined;
  }

  paneViews(): readonly IPrimitivePaneView[] {
    return this.#views;
  }

  priceAxisViews(): readonly ISeriesPrimitiveAxisView[] {
    return this.#labels;
  }

  /** The lines in view belong to the scale; levels do not: far ones are named at the edge. */
  autoscaleInfo(start: Logical, end: Logical): AutoscaleInfo | null {
    let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
    for (const { values } of this.#drawing.lines) {
      for (let i = Math.max(0, Math.floor(start)); i <= Math.min(values.length - 1, end); i++) {
        const value = values[i];
        if (value == null) continue;
        if (value < low) low = value;
        if (value > high) high = value;
      }
    }
    return low > high ? null : { priceRange: { minValue: low, maxValue: high } };
  }

  show(change: Partial<Drawing>): void {
    this.#drawing = { ...this.#drawing, ...change };
    if (change.levels !== undefined) this.#labels = change.levels.map((level) => this.#labelOf(level));
    this.#attached?.requestUpdate();
  }

  /** The trade of the mark at a point of the plot. */
  tradeAt({ x, y }: { readonly x: number; readonly y: number }): number | undefined {
    const distance = (mark: PlacedMark): number => Math.hypot(mark.x - x, mark.y - y);
    const [nearest] = this.#placed.toSorted((a, b) => distance(a) - distance(b));
    return nearest !== undefined && distance(nearest) <= NEAR_PX ? nearest.trade : undefined;
  }

  /** True where the label of a level would cut the label of a grid line on the price axis. */
  coversTick(price: number): boolean {
    const series = this.#attached?.series;
    const y = (at: number): number => series?.priceToCoordinate(at) ?? Number.NaN;
    const levels = this.#drawing.levels.map((level) => y(level.price)).filter(Number.isFinite);
    return cutsTick(levels, y(price));
  }

  #labelOf({ price, fact }: DrawnLevel): ISeriesPrimitiveAxisView {
    const { palette, format } = this.#options;
    const coordinate = (): number => this.#attached?.series.priceToCoordinate(price) ?? -100;
    return {
      coordinate,
      text: () => format(price),
      textColor: () => (fact ? palette().ink : palette().intent),
      backColor: () => palette().ground,
      visible: () => coordinate() >= 0 && coordinate() <= (this.#attached?.chart.paneSize(0).height ?? 0),
    };
  }

  #plotOn(
    context: CanvasRenderingContext2D,
    size: { readonly width: number; readonly height: number },
  ): Plot | undefined {
    const attached = this.#attached;
    const range = attached?.chart.timeScale().getVisibleLogicalRange();
    if (attached === undefined || range == null) return undefined;
    const spacing = size.width / Math.max(1, range.to - range.from);
    const palette = this.#options.palette();
    context.font = `12px ${palette.font}`;
    return {
      ...{ context, palette, spacing, width: size.width, height: size.height },
      x: (index) => (index - range.from + 0.5) * spacing,
      y: (price) => attached.series.priceToCoordinate(price),
      from: Math.floor(range.from),
      to: Math.ceil(range.to),
    };
  }

  #drawBack(plot: Plot): void {
    const { span } = this.#drawing;
    if (span !== undefined) drawSpan(plot, span.from, span.to);
  }

  #drawFront(plot: Plot): void {
    const { lines, levels, groups, candles, span, moment } = this.#drawing;
    for (const line of lines) drawLine(plot, line);
    drawLevels(plot, levels);
    if (moment !== undefined) drawMoment(plot, plot.x(moment));
    const { label, format } = this.#options;
    const taken = drawLevelLabels(plot, levels, drawOffScale(plot, levels, format));
    this.#placed = drawMarks(plot, { groups, candles, chosen: span?.trade, label, taken });
  }
}
