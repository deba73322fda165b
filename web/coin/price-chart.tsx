import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { INTERVALS, type Interval } from '#core/market/candle.ts';
import type { ProfileId } from '#core/ids.ts';
import { candlesQuery, type Coin, type Fill } from '#web/data/queries.ts';
import { useZone } from '#web/data/session.tsx';
import { decimalsOf, price, quantity } from '#web/ui/numbers.ts';
import { place } from '#web/ui/time.ts';
import { type ChartOptions, type ChartRange, ChartView, type PlanLevel } from './chart-view.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { useTheme } from '#web/ui/theme-switch.tsx';

interface PriceChartProps {
  profileId: ProfileId;
  coin: Coin;
  fills: readonly Fill[];
  levels: readonly PlanLevel[];
  first: Interval;
  /** Called with the visible range whenever it changes. */
  onRange: (range: ChartRange) => void;
}

/** Candles with fills and plan levels. */
export function PriceChart({ profileId, coin, fills, levels, first, onRange }: PriceChartProps): ReactNode {
  const [interval, setInterval] = useState<Interval>(first);
  const zone = useZone();
  const { data, error } = useQuery(candlesQuery(profileId, coin.symbol, interval));
  const { box, view } = useChart(coin.tickSize, { interval, zone, onRange });
  const candles = data?.candles;
  useEffect(() => {
    if (candles !== undefined) view?.show(candles);
  }, [view, candles]);
  useEffect(() => {
    if (coin.price !== null && coin.priceAt !== null) view?.tick(Number(coin.price), Date.parse(coin.priceAt));
  }, [view, coin.price, coin.priceAt]);
  useEffect(() => view?.plan(levels), [view, levels]);
  useEffect(() => {
    const text = ({ side, quantity: size }: Fill): string =>
      `${side === 'buy' ? 'B' : 'S'} ${quantity(size, coin.stepSize)}`;
    view?.mark(fills.map((fill) => ({ atMs: Date.parse(fill.at), side: fill.side, text: text(fill) })));
  }, [view, fills, candles, coin.stepSize]);
  return (
    <Section title="Chart" note={`${interval} candles, ${place(zone)} time`}>
      <div className="flex flex-wrap items-center justify-between gap-2 px-2 pb-2">
        <IntervalSwitch interval={interval} onChange={setInterval} />
      </div>
      <ChartKey coin={coin} levels={levels} />
      {error === null ? null : <Failure what="Could not load the candles." error={error} />}
      <div className="chart" ref={box} role="img" aria-label={chartLabel({ coin, levels, fills }, interval)} />
      <p className="note px-2 pt-1 text-right">
        Drawn with{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          TradingView
        </a>{' '}
        Lightweight Charts
      </p>
    </Section>
  );
}

type Shown = Pick<ChartOptions, 'interval' | 'zone' | 'onRange'>;

function useChart(
  tickSize: string | null,
  { interval, zone, onRange }: Shown,
): { box: RefObject<HTMLDivElement | null>; view: ChartView | null } {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState<ChartView | null>(null);
  const theme = useTheme();
  useEffect(() => {
    if (box.current === null) return;
    const decimals = decimalsOf(tickSize, 2);
    const options = {
      interval,
      zone,
      onRange,
      minMove: 10 ** -decimals,
      format: (value: number) => price(value.toFixed(decimals), tickSize),
    };
    const made = new ChartView(box.current, options);
    setView(made);
    return () => {
      setView(null);
      made[Symbol.dispose]();
    };
  }, [interval, zone, onRange, tickSize, theme]);
  return { box, view };
}

function IntervalSwitch({
  interval,
  onChange,
}: {
  interval: Interval;
  onChange: (interval: Interval) => void;
}): ReactNode {
  return (
    <span className="seg flex-wrap" role="group" aria-label="Candles">
      {INTERVALS.map((option) => (
        <button key={option} type="button" aria-pressed={option === interval} onClick={() => onChange(option)}>
          {option}
        </button>
      ))}
    </span>
  );
}

function ChartKey({ coin, levels }: { coin: Coin; levels: readonly PlanLevel[] }): ReactNode {
  return (
    <div className="key">
      <span>
        <svg width="10" height="14" viewBox="0 0 10 14" aria-hidden="true">
          <path d="M5 0V3M5 11V14" stroke="var(--color-ink)" />
          <rect x="1.5" y="3" width="7" height="8" fill="none" stroke="var(--color-ink)" />
        </svg>
        closed higher
      </span>
      <span>
        <svg width="10" height="14" viewBox="0 0 10 14" aria-hidden="true">
          <path d="M5 0V14" stroke="var(--color-ink)" />
          <rect x="1" y="3" width="8" height="8" fill="var(--color-ink)" />
        </svg>
        closed lower
      </span>
      {levels.map(({ name, price: level, fact, solid }) => (
        <span key={name}>
          <i className={fact ? '' : solid ? 'n' : 'nd'} />
          {name} {price(level.toFixed(decimalsOf(coin.tickSize, 2)), coin.tickSize)}
          {fact ? '' : solid ? ', on the exchange' : ', kept by the worker'}
        </span>
      ))}
    </div>
  );
}

function chartLabel(
  { coin, levels, fills }: Pick<PriceChartProps, 'coin' | 'levels' | 'fills'>,
  interval: Interval,
): string {
  const plan = levels.map(
    ({ name, price: level }) => `${name} ${price(level.toFixed(decimalsOf(coin.tickSize, 2)), coin.tickSize)}`,
  );
  return `${coin.symbol}, ${interval} candles, price ${price(coin.price, coin.tickSize)}${plan.length === 0 ? '' : `, ${plan.join(', ')}`}, ${fills.length} fills marked`;
}
