import { multiplierText, SAME } from '#web/ui/numbers.ts';
import type { SchemaField } from './schema-fields.ts';

/** The value of a setting as text: `3 % below`, `150 USDT`, `off`. */
export function settingText(field: Pick<SchemaField, 'of' | 'unit'>, value: unknown, quote?: string): string {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (value === undefined || value === null || value === '') return 'off';
  if (typeof value !== 'string' && typeof value !== 'number') return JSON.stringify(value);
  const meaning = field.of === undefined ? undefined : multiplierText(String(value));
  if (meaning !== undefined) return meaning === SAME ? 'no distance' : meaning;
  const unit = field.unit === 'quote' ? quote : field.unit;
  return unit === undefined ? String(value) : `${value} ${unit}`;
}

const WINDOW = 0.1;

/** Range of the slider of a multiplier: a window around 1 inside the bounds that contains the value. */
export function sliderRange(bounds: readonly [number, number], value: number): readonly [number, number] {
  const least = Math.max(bounds[0], 1 - WINDOW);
  const most = Math.min(bounds[1], 1 + WINDOW);
  if (!Number.isFinite(value)) return [least, most];
  return [Math.max(bounds[0], Math.min(least, value)), Math.min(bounds[1], Math.max(most, value))];
}
