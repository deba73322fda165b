import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from 'react';
import type { Interval } from '#core/market/candle.ts';
import { useTimes } from '#web/data/session.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { dated, place } from '#web/ui/time.ts';
import { type ChartData, spanOf, type TradeSpan } from './chart-data.ts';
import { ChartKey } from './chart-key.tsx';
import { commandOf } from './chart-keys.ts';
import { type ChartLevel, levelsOf, linesOf, type NamedLevel } from './chart-levels.ts';
import type { ChartSource } from './chart-page.ts';
import { type ChartCoin, priceText } from './chart-text.ts';
import { ChartTools } from './chart-tools.tsx';
import type { ChartRange, Layers, LivePrice } from './chart-view.ts';
import { Readout, useReadout } from './readout.tsx';
import { useCandles } from './use-candles.ts';
import { type Frame, useFramed, useOverlay, useShown, useView } from './use-view.ts';

export interface PriceChartProps {
  source: ChartSource;
  coin: ChartCoin;
  /** Candles at first. */
  first: Interval;
  /** Levels in force now, by the names of the plan. */
  levels?: readonly ChartLevel[];
  /** The newest price, between two answers of the server. */
  price?: LivePrice | undefined;
  /** When the open position began; undefined without one. */
  heldSinceMs?: number | undefined;
  /** The chosen trade: tinted, and brought into view. */
  trade?: TradeSpan | undefined;
  /** A trade was chosen at its mark, or the choice was ended. */
  onTrade?: (span: TradeSpan | undefined) => void;
  /** Marks the time of a decision. */
  momentMs?: number | undefined;
  onRange?: (range: ChartRange) => void;
}

const NO_LEVELS: readonly ChartLevel[] = [];
const ALL: Layers = { indicators: true, orders: true, volume: true };

/** Candles of a coin with the lines of its strategy, its levels and its trades. */
export function PriceChart(props: PriceChartProps): ReactNode {
  const { source, coin, first, levels = NO_LEVELS, heldSinceMs, trade, price, momentMs } = props;
  const [interval, setInterval] = useState<Interval>(first);
  const [layers, setLayers] = useState(ALL);
  const [position, setPosition] = useState<{ frame: Frame; trade: TradeSpan | undefined } | undefined>(undefined);
  const [cursor, setCursor] = useState<number | undefined>(undefined);
  const box = useRef<HTMLDivElement>(null);
  const { store, state, error } = useCandles(source, interval);
  const data = useMemo(() => state.data && linesOf(state.data, levels), [state.data, levels]);
  const named = useMemo(() => levelsOf(levels, state.data?.levels ?? {}), [levels, state.data?.levels]);
  const view = useView(box, coin, {
    range: (range) => props.onRange?.(range),
    edge: (side) => void (side === 'older' ? store.older() : store.newer()),
    cursor: setCursor,
    trade(number) {
      const again = number === undefined || number === trade?.trade;
      props.onTrade?.(again ? undefined : spanOf(data?.marks ?? [], number));
    },
  });
  useShown(view, { data, epoch: state.epoch, interval });
  // A trade that is chosen later comes before the position.
  useFramed(view, { data, store, frame: position?.trade === trade ? (position?.frame ?? trade) : trade });
  useOverlay(view, { data, layers, levels: named, trade, momentMs, price });
  const press = (event: KeyboardEvent): void => {
    const command = commandOf(event);
    if (command === undefined) return;
    event.preventDefault();
    const index = view?.run(command);
    if (index !== undefined) setCursor(index);
  };
  const last = (data?.candles.length ?? 0) - 1;
  const toMs = data?.candles[last]?.openMs;
  const label = useMemo(() => labelOf(coin, { interval, data, named }), [coin, interval, data, named]);
  const readout = useReadout({ data, coin, index: cursor ?? last, withLines: layers.indicators });
  return (
    <>
      <ChartTools
        {...{ interval, own: first, layers }}
        onInterval={setInterval}
        onLayers={setLayers}
        onPosition={
          heldSinceMs && toMs ? () => setPosition({ frame: { fromMs: heldSinceMs, toMs }, trade }) : undefined
        }
        onFit={() => view?.run({ kind: 'fit' })}
      />
      <ChartKey levels={named} data={data} layers={layers} coin={coin} />
      {error === null ? null : <Failure what="Could not load the candles." error={error} />}
      <div className="ch">
        <Readout parts={readout} />
        <div
          className="chart"
          ref={box}
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={0}
          aria-valuemax={Math.max(0, last)}
          aria-valuenow={Math.max(0, cursor ?? last)}
          aria-valuetext={readout.map(({ name, text }) => `${name} ${text}`).join(', ')}
          onKeyDown={press}
        />
      </div>
      <Hint data={data} loading={state.loading === 'older'} />
    </>
  );
}

function Hint({ data, loading }: { data: ChartData | undefined; loading: boolean }): ReactNode {
  const { zone, nowMs } = useTimes();
  const begins = data?.beginsMs ?? null;
  const hint =
    begins === null
      ? 'Scroll or pinch to zoom, drag for older candles.'
      : `History begins ${dated(begins, zone, nowMs)}.`;
  return (
    <p className="note flex flex-wrap justify-between gap-x-4 px-2 pt-1">
      <span role="status">
        {loading ? 'Loading older candles…' : hint} {data?.linesProblem}
      </span>
      <span>
        Drawn with{' '}
        <a href="https://www.tradingview.com/" rel="noreferrer">
          TradingView
        </a>{' '}
        Lightweight Charts, {place(zone)} time
      </span>
    </p>
  );
}

interface Labelled {
  readonly interval: Interval;
  readonly data: ChartData | undefined;
  readonly named: readonly NamedLevel[];
}

/** The chart in words: its levels, how many fills are marked, and the keys. */
function labelOf(coin: ChartCoin, { interval, data, named }: Labelled): string {
  const plan = named.map(({ label, price }) => `, ${label.toLowerCase()} ${priceText(price, coin)}`).join('');
  const marks = data?.marks ?? [];
  const count = (side: 'buy' | 'sell'): number => marks.filter((mark) => mark.side === side).length;
  const fills = `${count('buy')} buys and ${count('sell')} sells marked`;
  return `${coin.symbol}, ${interval} candles${plan}, ${fills}. Arrow keys step by candles, plus and minus zoom, f fits.`;
}
