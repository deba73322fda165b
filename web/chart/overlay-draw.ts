import type { Palette } from './base-chart.ts';
import type { ChartCandle, ChartLine, MarkGroup } from './chart-data.ts';

type Drawn = Pick<
  CanvasRenderingContext2D,
  'beginPath' | 'moveTo' | 'lineTo' | 'closePath' | 'stroke' | 'fill' | 'setLineDash' | 'fillRect' | 'fillText'
>;
type Style = Pick<CanvasRenderingContext2D, 'lineWidth' | 'strokeStyle' | 'fillStyle' | 'globalAlpha'>;

/** The part of a canvas that is used here. */
interface Pen extends Drawn, Style {
  measureText(text: string): Pick<TextMetrics, 'width'>;
}

/** Where bars and prices are on the canvas, in CSS pixels. */
export interface Plot {
  readonly context: Pen;
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

const isInScale = (at: number | null, { height }: Plot): at is number => at !== null && at >= 0 && at <= height;

/** Levels from their first bar to the right edge; one that is out of the scale has no line. */
export function drawLevels(plot: Plot, levels: readonly DrawnLevel[]): void {
  const { context, palette, width, x, y, spacing } = plot;
  for (const { price, fact, solid, from } of levels) {
    const at = y(price);
    if (!isInScale(at, plot)) continue;
    context.setLineDash(solid || fact ? [] : [5, 4]);
    context.lineWidth = fact ? 1 : 1.5;
    context.strokeStyle = fact ? palette.ink2 : palette.intent;
    context.beginPath();
    context.moveTo(Math.max(0, x(from) - spacing / 2), Math.round(at) + 0.5);
    context.lineTo(width, Math.round(at) + 0.5);
    context.stroke();
    context.setLineDash([]);
  }
}

/** Labels of the levels in the scale at the right edge, none over another or over `taken`. Returns all boxes. */
export function drawLevelLabels(plot: Plot, levels: readonly DrawnLevel[], taken: readonly Box[]): Box[] {
  const { context, palette, width } = plot;
  const boxes = [...taken];
  if (width < NARROW) return boxes;
  for (const { label: text, price, fact } of levels) {
    const at = plot.y(price);
    if (!isInScale(at, plot)) continue;
    const size = context.measureText(text).width;
    // Above its line the readout, or the edge, would cut the label.
    const sides = at < READOUT_HEIGHT ? [at + TEXT_HEIGHT] : [at - 6, at + TEXT_HEIGHT];
    const found = sides
      .map((base) => freePlace(boxes, { right: width - 6, size, base }))
      .toSorted((a, b) => b.right - a.right)[0];
    if (found === undefined || found.left < 0) continue;
    boxes.push(found);
    drawText(plot, { text, x: found.left + 2, y: found.bottom - 3, color: fact ? palette.ink2 : palette.intent });
  }
  return boxes;
}

/** The place of a text on a base line, as far right as no other box is in its way. */
function freePlace(
  taken: readonly Box[],
  { right, size, base }: { readonly right: number; readonly size: number; readonly base: number },
): Box {
  const box = { left: right - size - 4, right, top: base - TEXT_HEIGHT + 3, bottom: base + 3 };
  const inWay = taken.filter((other) => overlap(other, box));
  if (inWay.length === 0) return box;
  return freePlace(taken, { right: Math.min(...inWay.map(({ left }) => left)), size, base });
}

/** Names the levels beyond the scale, one below the other at their edge. Returns the boxes of the texts. */
export function drawOffScale(plot: Plot, levels: readonly DrawnLevel[], format: (price: number) => string): Box[] {
  const { context, palette, width, height } = plot;
  let [above, below] = [width < NARROW ? TEXT_HEIGHT : READOUT_HEIGHT, height - 6];
  return levels.flatMap(({ label, price, fact }) => {
    const at = plot.y(price);
    if (at === null || isInScale(at, plot)) return [];
    const text = `${at < 0 ? '↑' : '↓'} ${label} ${format(price)}, off scale`;
    const x = width - context.measureText(text).width - 8;
    const y = at < 0 ? above : below;
    drawText(plot, { text, x, y, color: fact ? palette.ink2 : palette.intent });
    if (at < 0) above += LINE_HEIGHT;
    else below -= LINE_HEIGHT;
    return [{ left: x, right: width, top: y - TEXT_HEIGHT + 3, bottom: y + 3 }];
  });
}

/** Height of a label of the price axis, and a little more. */
const LABEL_PX = 18;
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

/** True where the labels of the price axis at `levels` would cut a text at `at`: close ones move each other aside. */
export const cutsTick = (levels: readonly number[], at: number): boolean =>
  levels.some((level) => {
    const close = levels.filter((other) => Math.abs(other - level) < LABEL_PX).length;
    return Math.abs(level - at) < LABEL_PX * close;
  });

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
