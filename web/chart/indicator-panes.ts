import { type IChartApi, type ISeriesApi, LineSeries, LineStyle } from 'lightweight-charts';
import { type Palette, seconds } from './base-chart.ts';
import type { ChartCandle, ChartLine } from './chart-data.ts';
import { figureText } from './chart-text.ts';

const STYLES = { solid: LineStyle.Solid, dashed: LineStyle.Dashed, dotted: LineStyle.Dotted } as const;
const FORMAT = { type: 'custom', minMove: 1e-8, formatter: figureText } as const;

/** Lines that are no prices, such as an RSI: each pane of theirs is below the panes that the chart already has. */
export class IndicatorPanes {
  readonly #chart: IChartApi;
  #series: readonly ISeriesApi<'Line'>[] = [];
  #shape = '';
  #count = 0;

  constructor(chart: IChartApi) {
    this.#chart = chart;
  }

  /** Number of panes. */
  get count(): number {
    return this.#count;
  }

  /** Shows these lines in place of the last ones. True when the panes changed. */
  show(lines: readonly ChartLine[], candles: readonly ChartCandle[], palette: Palette): boolean {
    const shape = shapeOf(lines);
    const isNew = shape !== this.#shape;
    this.#shape = shape;
    if (isNew) this.#open(lines);
    for (const [at, line] of lines.entries()) {
      const api = this.#series[at];
      if (api === undefined) continue;
      api.applyOptions({ color: line.dash === 'solid' ? palette.ink2 : palette.ink3 });
      api.setData(
        candles.map(({ openMs }, i) => {
          const value = line.values[i] ?? null;
          return value === null ? { time: seconds(openMs) } : { time: seconds(openMs), value };
        }),
      );
    }
    return isNew;
  }

  #open(lines: readonly ChartLine[]): void {
    // The chart removes a pane with its last series.
    for (const api of this.#series) this.#chart.removeSeries(api);
    const first = this.#chart.panes().length;
    const panes = [...new Set(lines.map(({ pane }) => pane))];
    this.#series = lines.map((line) => {
      const options = {
        ...({ title: line.label, lineStyle: STYLES[line.dash], lineWidth: 1, priceFormat: FORMAT } as const),
        ...{ priceLineVisible: false, crosshairMarkerVisible: false },
      };
      return this.#chart.addSeries(LineSeries, options, first + panes.indexOf(line.pane));
    });
    this.#count = panes.length;
  }
}

const shapeOf = (lines: readonly ChartLine[]): string =>
  lines.map(({ pane, label, dash }) => `${pane} ${label} ${dash}`).join('\n');
