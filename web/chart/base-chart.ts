import { ColorType, createChart, type IChartApi, type Time, type UTCTimestamp } from 'lightweight-charts';
import { axisMark, full } from '#web/ui/time.ts';

// The library brands its seconds; this is the one place where milliseconds become them.
export const seconds = (ms: number): UTCTimestamp => Math.floor(ms / 1000) as UTCTimestamp;
const msOf = (time: Time): number => (typeof time === 'number' ? time * 1000 : Date.parse(String(time)));

/** The colours of the theme on screen, and the font of the page. */
export interface Palette {
  readonly ground: string;
  readonly plane: string;
  readonly rule: string;
  readonly ruleStrong: string;
  readonly control: string;
  readonly ink: string;
  readonly ink2: string;
  readonly ink3: string;
  readonly intent: string;
  readonly intentPlane: string;
  readonly gain: string;
  readonly loss: string;
  readonly font: string;
}

export function readPalette(): Palette {
  const page = getComputedStyle(document.documentElement);
  const color = (name: string): string => page.getPropertyValue(`--color-${name}`).trim();
  return {
    ground: color('ground'),
    plane: color('plane'),
    rule: color('rule'),
    ruleStrong: color('rule-strong'),
    control: color('control'),
    ink: color('ink'),
    ink2: color('ink-2'),
    ink3: color('ink-3'),
    intent: color('intent'),
    intentPlane: color('intent-plane'),
    gain: color('gain'),
    loss: color('loss'),
    font: getComputedStyle(document.body).fontFamily,
  };
}

/** An empty chart that fills its box; times are in `zone`. The wheel and pinching zoom, dragging moves. */
export function openChart(box: HTMLElement, zone: string): IChartApi {
  return createChart(box, {
    autoSize: true,
    // The logo brings a style element, which the content security policy blocks; the page names the library in words.
    layout: { attributionLogo: false },
    // The margins have room for the labels of levels off the scale, between the edge and the labels of the marks.
    rightPriceScale: { borderVisible: false, entireTextOnly: true, scaleMargins: { top: 0.18, bottom: 0.17 } },
    timeScale: {
      timeVisible: true,
      secondsVisible: false,
      minBarSpacing: 0.4,
      tickMarkFormatter: (time: Time) => axisMark(msOf(time), zone),
    },
    localization: { timeFormatter: (time: Time) => full(msOf(time), zone, true) },
    // A vertical drag scrolls the page of a phone.
    handleScroll: { vertTouchDrag: false },
  });
}

export function colorChart(chart: IChartApi, palette: Palette): void {
  const line = { color: palette.control, labelBackgroundColor: palette.ruleStrong };
  chart.applyOptions({
    layout: {
      background: { type: ColorType.Solid, color: palette.plane },
      textColor: palette.ink3,
      fontSize: 12,
      fontFamily: palette.font,
      panes: { enableResize: false, separatorColor: palette.rule, separatorHoverColor: palette.rule },
    },
    grid: { vertLines: { visible: false }, horzLines: { color: palette.rule } },
    crosshair: { vertLine: line, horzLine: line },
    timeScale: { borderColor: palette.ruleStrong },
  });
}

const ZOOM = 1.3;
const FEWEST = 8;

/** Shows fewer bars (`by` 1) or more (-1), around the bar `around` or else the right edge. */
export function zoomChart(chart: IChartApi, by: 1 | -1, around?: number): void {
  const scale = chart.timeScale();
  const range = scale.getVisibleLogicalRange();
  if (range === null) return;
  const width = range.to - range.from;
  const wanted = Math.max(FEWEST, by === 1 ? width / ZOOM : width * ZOOM);
  const at = around !== undefined && around > range.from && around < range.to ? around : range.to;
  const share = (at - range.from) / width;
  scale.setVisibleLogicalRange({ from: at - wanted * share, to: at + wanted * (1 - share) });
}

/** Moves the view as far as needed to show `bar`. */
export function revealBar(chart: IChartApi, bar: number): void {
  const scale = chart.timeScale();
  const range = scale.getVisibleLogicalRange();
  if (range === null) return;
  const by = bar < range.from + 1 ? bar - range.from - 1 : bar > range.to - 1 ? bar - range.to + 1 : 0;
  if (by !== 0) scale.setVisibleLogicalRange({ from: range.from + by, to: range.to + by });
}

/** Number of bars in view. */
export function barsInView(chart: IChartApi): number {
  const range = chart.timeScale().getVisibleLogicalRange();
  return range === null ? 0 : Math.max(1, Math.floor(range.to - range.from));
}
