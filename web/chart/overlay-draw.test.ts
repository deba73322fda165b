import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutsTick, drawLevelLabels, drawOffScale, type DrawnLevel, type Plot } from './overlay-draw.ts';

const COLOR = {
  ...{ ground: '', plane: '', rule: '', ruleStrong: '', control: '', ink: '', ink2: '', ink3: '' },
  ...{ intent: '', intentPlane: '', gain: '', loss: '', font: '' },
};

interface Text {
  readonly text: string;
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

/** A plot of 300 pixels for the prices 0 to 300, and the texts that are drawn on it: 7 pixels a character, 12 high. */
function plotOf(width = 800): { plot: Plot; texts: Text[] } {
  const texts: Text[] = [];
  const nothing = (): void => undefined;
  const size = (text: string): number => text.length * 7;
  const context: Plot['context'] = {
    ...{ beginPath: nothing, moveTo: nothing, lineTo: nothing, closePath: nothing, stroke: nothing, fill: nothing },
    ...{ setLineDash: nothing, fillRect: nothing, lineWidth: 1, strokeStyle: '', fillStyle: '', globalAlpha: 1 },
    measureText: (text) => ({ width: size(text) }),
    fillText: (text, x, y) => void texts.push({ text, left: x, right: x + size(text), top: y - 9, bottom: y + 3 }),
  };
  const height = 300;
  const plot: Plot = {
    ...{ context, palette: COLOR, width, height, spacing: 8, from: 0, to: 100 },
    x: (index) => index * 8,
    y: (price) => height - price,
  };
  return { plot, texts };
}

const level = (label: string, price: number): DrawnLevel => ({ label, price, fact: false, solid: false, from: 0 });

function draw(levels: readonly DrawnLevel[], width?: number): Text[] {
  const { plot, texts } = plotOf(width);
  drawLevelLabels(plot, levels, drawOffScale(plot, levels, String));
  return texts;
}

const overlapping = (texts: readonly Text[]): string[] =>
  texts.flatMap((a, i) =>
    texts
      .slice(i + 1)
      .filter((b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom)
      .map((b) => `${a.text} and ${b.text}`),
  );

test('labels of levels at nearly the same price are all there, and none is over another', () => {
  const names = ['Average price', 'Stop loss', 'Trailing stop', 'Trailing stop starts', 'Buy line'];
  const texts = draw(names.map((name, i) => level(name, 150 + i * 2)));
  assert.deepEqual(texts.map(({ text }) => text).toSorted(), names.toSorted());
  assert.deepEqual(overlapping(texts), []);
});

test('labels stay apart wherever two levels are, in the scale or beyond it', () => {
  for (let first = -40; first <= 340; first += 7)
    for (let away = 0; away < 60; away += 3) {
      const texts = draw([level('Average price', first), level('Stop loss', first + away)]);
      assert.deepEqual(overlapping(texts), [], `levels at ${first} and ${first + away}`);
    }
});

test('the label of a single level is above its line at the right edge', () => {
  const [text] = draw([level('Stop loss', 150)]);
  assert.ok(text !== undefined && text.bottom < 150 && text.right === 792);
});

test('a narrow chart has no labels of levels in the scale: its key names them', () => {
  assert.deepEqual(draw([level('Stop loss', 150)], 360), []);
});

test('a grid line beside the label of a level has no text', () => {
  assert.equal(cutsTick([150], 160), true);
  assert.equal(cutsTick([150], 170), false);
});

test('labels of levels that are close move each other aside, and the grid lines beside them have no text', () => {
  assert.equal(cutsTick([150, 152], 170), true);
});
