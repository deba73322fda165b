import type { ReactNode } from 'react';
import { useTimes } from '#web/data/session.tsx';
import { dated } from '#web/ui/time.ts';
import type { ChartData } from './chart-data.ts';
import { candleChange, type ChartCoin, figureText, priceText, valueAt, volumeText } from './chart-text.ts';

/** One value of the readout; the name is empty where the value speaks for itself. */
interface ReadoutPart {
  readonly name: string;
  readonly text: string;
  /** The whole name, where the shown one is a letter. */
  readonly title?: string;
  readonly tone?: 'gain' | 'loss' | undefined;
}

interface ReadoutInput {
  readonly data: ChartData | undefined;
  readonly coin: ChartCoin;
  readonly index: number;
  /** The values of the lines too. */
  readonly withLines: boolean;
}

/** Time, open, high, low, close, change and volume of a candle, and the value of each line there. */
export function useReadout({ data, coin, index, withLines }: ReadoutInput): readonly ReadoutPart[] {
  const { zone, nowMs } = useTimes();
  const candle = data?.candles[index];
  if (data === undefined || candle === undefined) return [];
  const change = candleChange(candle);
  const tone = /[1-9]/.test(change) ? (candle.close >= candle.open ? 'gain' : 'loss') : undefined;
  const prices = (['open', 'high', 'low', 'close'] as const).map((part) => ({
    name: part.charAt(0).toUpperCase(),
    title: part,
    text: priceText(candle[part], coin),
  }));
  const lines = (withLines ? data.lines : []).flatMap((line) => {
    const value = valueAt(line, index);
    return value === null
      ? []
      : [{ name: line.label, text: line.pane === null ? priceText(value, coin) : figureText(value) }];
  });
  return [
    { name: '', text: dated(candle.openMs, zone, nowMs) },
    ...prices,
    { name: '', text: change, tone },
    { name: 'Vol', text: volumeText(candle.volume) },
    ...lines,
  ];
}

export function Readout({ parts }: { parts: readonly ReadoutPart[] }): ReactNode {
  return (
    <div className="ro">
      {parts.map(({ name, text, title, tone }, i) => (
        <span key={name === '' ? i : name} className={tone ?? ''}>
          {name === '' ? text : <abbr title={title ?? name}>{name}</abbr>}
          {name === '' ? null : <b> {text}</b>}
        </span>
      ))}
    </div>
  );
}
