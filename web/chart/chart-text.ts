import { fromNumber } from '#core/amount/decimal.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { decimalsOf, MINUS, NARROW_SPACE, numberText, signed, signedPercent } from '#web/ui/numbers.ts';
import type { ChartCandle, ChartLine, MarkGroup } from './chart-data.ts';

/** The coin of a chart: its prices have the decimals of the tick size. */
export interface ChartCoin {
  readonly symbol: string;
  readonly base: string;
  readonly quote: string;
  readonly tickSize: string | null;
}

export const priceText = (value: number, { tickSize }: Pick<ChartCoin, 'tickSize'>): string =>
  numberText(value, decimalsOf(tickSize, 2));

const SCALES = [
  [1e9, 'bn'],
  [1e6, 'm'],
] as const;

/** A volume such as `1.92 bn`, `612 m`, `12,345` or `0.052`. */
export function volumeText(volume: number): string {
  for (const [unit, name] of SCALES) {
    if (volume >= unit) return `${threeDigits(volume / unit)}${NARROW_SPACE}${name}`;
  }
  return volume >= 1000 ? numberText(volume, 0) : threeDigits(volume);
}

function threeDigits(value: number): string {
  if (value === 0) return '0';
  const whole = Math.max(0, Math.floor(Math.log10(value)) + 1);
  return numberText(value, Math.min(8, Math.max(0, 3 - whole)));
}

/** A value that is no price, such as `45.2`, `-0.0123` or `1.92 bn`: three digits. */
export function figureText(value: number): string {
  const size = Math.abs(value);
  if (size >= 1000) return `${value < 0 ? MINUS : ''}${volumeText(size)}`;
  const places = size === 0 ? 0 : 2 - Math.floor(Math.log10(size));
  return numberText(value, Math.min(8, Math.max(0, places)));
}

/** `Buy 2,434.20` or `Sell 2,496.30 +31.08`: the price, and the net result of a sale. */
export function markText({ side, price, net }: Pick<MarkGroup, 'side' | 'price' | 'net'>, coin: ChartCoin): string {
  const result = net === null ? '' : ` ${signed(fromNumber(net), moneyPlaces(coin.quote))}`;
  return `${side === 'buy' ? 'Buy' : 'Sell'} ${priceText(price, coin)}${result}`;
}

/** Change of a candle from its open to its close. */
export const candleChange = ({ open, close }: Pick<ChartCandle, 'open' | 'close'>): string =>
  signedPercent(close / open - 1, 2);

/** The value of a line at a candle, or the last one before it within the open candle. */
export function valueAt({ values, from }: Pick<ChartLine, 'values' | 'from'>, index: number): number | null {
  const value = values[index] ?? null;
  return value === null && from === 'close' && index === values.length - 1 ? (values[index - 1] ?? null) : value;
}
