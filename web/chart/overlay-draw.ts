import type { Palette } from './base-chart.ts';
import type { ChartCandle, ChartLine, MarkGroup } from './chart-data.ts';

/** Where bars and prices are on the canvas, in CSS pixels. */
export interface Plot {
  readonly context: CanvasRenderingContext2D;
  readonly palette: Palette;
  readonly width: number;
  readonly height: number;
  /** Width of one bar. */
  readonly spacing: number;
  readonly x: (index: number) => number;
  /** `null` while the scale has no prices. */
  readonly y: (price: number) => number | null;
  /** First and last bar in view. */
  readonly from: number;
  readonly to: number;
}

const DASHES = { solid: [], dashed: [5, 4], dotted: [1, 3] } as const;

/** A line of the strategy: steps for a level in force, else from close to close; a missing value is a gap. */
export function drawLine(plot: Plot, { values, dash, from, acts }: ChartLine): void {
  const { context, palette, x, y, spacing } = plot;
  context.beginPath();
  let pen = false;
  for (let i = Math.max(0, plot.from - 1); i <= Math.min(values.length - 1, plot.to + 1); i++) {
    const value = values[i];
    const at = value == null ? null : y(value);
    if (at === null) {
      pen = false;
      continue;
    }
    const left = from === 'open' ? x(i) - spacing / 2 : x(i);
    if (pen) context.lineTo(left, at);
    else context.moveTo(left, at);
    if (from === 'open') {
      context.lineTo(left, at);
      context.lineTo(left + spacing, at);
    }
    pen = true;
  }
  context.setLineDash([...DASHES[dash]]);
  context.lineWidth = acts ? 1.5 : 1.25;
  context.strokeStyle = acts ? palette.intent : dash === 'solid' ? palette.ink2 : palette.ink3;
  context.stroke();
  context.setLineDash([]);
}

/** A level in force now. */
export interface DrawnLevel {
  /** As the legend shows it. */
  readonly label: string;
  readonly price: number;
  /** The average price is a fact; the other levels are plans. */
  readonly fact: boolean;
  /** On the exchange; else the worker keeps it. */
  readonly solid: boolean;
  /** First bar of its line. */
  readonly from: number;
}

/** A level from its first bar to the right edge, with its label; nothing when it is out of the scale. */
export function drawLevel(plot: Plot, { label, price, fact, solid, from }: DrawnLevel): void {
  const { context, palette, width, height } = plot;
  const at = plot.y(price);
  if (at === null || at < 0 || at > height) return;
  context.setLineDash(solid || fact ? [] : [5, 4]);
  context.lineWidth = fact ? 1 : 1.5;
  context.strokeStyle = fact ? palette.ink2 : palette.intent;
  context.beginPath();
  context.moveTo(Math.max(0, plot.x(from) - plot.spacing / 2), Math.round(at) + 0.5);
  context.lineTo(width, Math.round(at) + 0.5);
  context.stroke();
  context.setLineDash([]);
  if (width < NARROW) return;
  const size = context.measureText(label).width;
  // Above it the readout, or the edge, would cut the label.
  const y = at < READOUT_HEIGHT ? at + TEXT_HEIGHT : at - 6;
  drawText(plot, { text: label, x: width - size - 8, y, color: fact ? palette.ink2 : palette.intent });
}

/** Names the levels beyond the scale, one below the other at their edge. Returns the boxes of the texts. */
export function drawOffScale(plot: Plot, levels: readonly DrawnLevel[], format: (price: number) => string): Box[] {
  const { context, palette, width, height } = plot;
  let [above, below] = [width < NARROW ? TEXT_HEIGHT : READOUT_HEIGHT, height - 6];
  return levels.flatMap(({ label, price, fact }) => {
    const at = plot.y(price);
    if (at === null || (at >= 0 && at <= height)) return [];
    const text = `${at < 0 ? '↑' : '↓'} ${label} ${format(price)}, off scale`;
    const x = width - context.measureText(text).width - 8;
    const y = at < 0 ? above : below;
    drawText(plot, { text, x, y, color: fact ? palette.ink2 : palette.intent });
    if (at < 0) above += LINE_HEIGHT;
    else below -= LINE_HEIGHT;
    return [{ left: x, right: width, top: y - TEXT_HEIGHT + 3, bottom: y + 3 }];
  });
}

const READOUT_HEIGHT = 36;
const NARROW = 480;
const TEXT_HEIGHT = 14;
const LINE_HEIGHT = 16;

interface Words {
  readonly text: string;
  readonly x: number;
  /** The base line. */
  readonly y: number;
  readonly color: string;
}

function drawText({ context, palette }: Plot, { text, x, y, color }: Words): void {
  context.fillStyle = palette.plane;
  context.globalAlpha = 0.85;
  context.fillRect(x - 2, y - TEXT_HEIGHT + 3, context.measureText(text).width + 4, TEXT_HEIGHT);
  context.globalAlpha = 1;
  context.fillStyle = color;
  context.fillText(text, x, y);
}

/** A mark on the canvas, for clicks. */
export interface PlacedMark {
  readonly trade: number;
  readonly x: number;
  readonly y: number;
}

interface MarkInput {
  readonly groups: readonly MarkGroup[];
  readonly candles: readonly ChartCandle[];
  /** Labels of the chosen trade are drawn first. */
  readonly chosen: number | undefined;
  readonly label: (group: MarkGroup) => string;
  /** Where other texts are. */
  readonly taken: readonly Box[];
}

const BOX = 11;
const GAP = 5;

/** Buys as solid triangles below their candle, sales as hollow ones above; labels as long as they do not overlap. */
export function drawMarks(plot: Plot, { groups, candles, chosen, label, taken }: MarkInput): PlacedMark[] {
  const inView = groups.filter(({ index }) => index >= plot.from - 1 && index <= plot.to + 1);
  const placed = inView.flatMap((group) => {
    const candle = candles[group.index];
    const edge = candle === undefined ? null : plot.y(group.side === 'buy' ? candle.low : candle.high);
    if (edge === null) return [];
    const x = plot.x(group.index);
    const tip = group.side === 'buy' ? edge + GAP : edge - GAP;
    drawTriangle(plot, { x, tip, group });
    return [{ group, x, y: group.side === 'buy' ? tip + BOX / 2 : tip - BOX / 2 }];
  });
  const boxes = [...taken];
  const first = placed
    .toReversed()
    .toSorted((a, b) => Number(b.group.trade === chosen) - Number(a.group.trade === chosen));
  for (const { group, x, y } of first) drawLabel(plot, { group, x, y, text: label(group) }, boxes);
  return placed.map(({ group: { trade }, x, y }) => ({ trade, x, y }));
}

function drawTriangle(
  { context, palette }: Plot,
  { x, tip, group }: { readonly x: number; readonly tip: number; readonly group: MarkGroup },
): void {
  const down = group.side === 'buy' ? 1 : -1;
  context.beginPath();
  context.moveTo(x, tip);
  context.lineTo(x + BOX / 2, tip + down * (BOX - 2));
  context.lineTo(x - BOX / 2, tip + down * (BOX - 2));
  context.closePath();
  context.lineWidth = 1.4;
  context.fillStyle = group.side === 'buy' ? palette.ink : palette.plane;
  context.strokeStyle = palette.ink;
  context.fill();
  context.stroke();
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const overlap = (a: Box, b: Box): boolean =>
  a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;

interface LabelInput {
  readonly group: MarkGroup;
  readonly x: number;
  readonly y: number;
  readonly text: string;
}

function drawLabel(plot: Plot, { group, x, y, text }: LabelInput, taken: Box[]): void {
  const { context, palette, width } = plot;
  const size = context.measureText(text).width;
  const left = Math.min(Math.max(4, x - size / 2), width - size - 4);
  const base = group.side === 'buy' ? y + BOX / 2 + TEXT_HEIGHT - 2 : y - BOX / 2 - 3;
  const box = { left: left - 2, right: left + size + 2, top: base - TEXT_HEIGHT + 3, bottom: base + 3 };
  if (taken.some((other) => overlap(other, box))) return;
  taken.push(box);
  const gained = group.net === null ? undefined : group.net >= 0 ? palette.gain : palette.loss;
  drawText(plot, { text, x: left, y: base, color: gained ?? palette.ink });
}

/** Tints the bars of a trade. */
export function drawSpan({ context, palette, height, spacing, x }: Plot, from: number, to: number): void {
  context.fillStyle = palette.intentPlane;
  const left = x(from) - spacing / 2;
  context.fillRect(left, 0, Math.max(2, x(to) + spacing / 2 - left), height);
}

/** The moment of the decision that is shown below the chart. */
export function drawMoment({ context, palette, height }: Plot, at: number): void {
  context.setLineDash([2, 3]);
  context.lineWidth = 1;
  context.strokeStyle = palette.intent;
  context.beginPath();
  context.moveTo(at, 0);
  context.lineTo(at, height);
  context.stroke();
  context.setLineDash([]);
}
