import type { ReactNode } from 'react';
import type { Coin } from '#web/data/answers.ts';
import { coinView, distanceText, type NextStep } from './coin-view.ts';
import { Icon } from '#web/ui/icon.tsx';
import { inOrder, type RailScale, railScale } from './rail-scale.ts';
import { price as priceText } from '#web/ui/numbers.ts';

interface RailProps {
  coin: Coin;
  /** The stop is on the exchange; else the worker keeps it. */
  stopRests: boolean;
  big?: boolean;
}

/** One coin on one scale: stop, average price, price and next action. */
export function Rail({ coin, stopRests, big = false }: RailProps): ReactNode {
  const view = coinView(coin);
  const cost = view.held ? Number(coin.position.averagePrice) : null;
  const price = coin.price === null ? null : Number(coin.price);
  const stop = view.stop === null ? null : Number(view.stop);
  const next = view.next === null ? null : Number(view.next.level);
  const levels = [cost, price, stop, next].filter((level) => level !== null);
  const scale = railScale(levels, cost ?? price ?? 0);
  if (scale === undefined) return <span className="note">No price yet</span>;
  return (
    <div className={big ? 'rail big' : 'rail'} role="img" aria-label={railLabel(coin, stopRests)}>
      <Base scale={scale} />
      {cost !== null && price !== null ? <Span from={scale.at(cost)} to={scale.at(price)} /> : null}
      {stop !== null ? <Pin at={scale.at(stop)} name={stopRests ? 'stp' : 'stw'} /> : null}
      {cost !== null ? <Pin at={scale.at(cost)} name="dia" /> : null}
      {price !== null ? <Pin at={scale.at(price)} name="dot" /> : null}
      {next !== null ? <Pin at={scale.at(next)} name="flag" next /> : null}
      {big ? <Labels coin={coin} next={view.next} stop={view.stop} held={view.held} /> : null}
    </div>
  );
}

function Base({ scale }: { scale: RailScale }): ReactNode {
  const marks = scale.marks.map(({ at, long }) => `M${(at * 10).toFixed(1)} 8V${long ? 2 : 5}`).join('');
  return (
    <div className="base">
      <svg preserveAspectRatio="none" viewBox="0 0 1000 8">
        <path d={`M0 8H1000${marks}`} stroke="var(--color-control)" fill="none" />
      </svg>
    </div>
  );
}

function Span({ from, to }: { from: number; to: number }): ReactNode {
  const style = { left: `${Math.min(from, to)}%`, width: `${Math.abs(to - from)}%` };
  return <b className={to < from ? 'span neg' : 'span'} style={style} />;
}

function Pin({
  at,
  name,
  next = false,
}: {
  at: number;
  name: 'stp' | 'stw' | 'dia' | 'dot' | 'flag';
  next?: boolean;
}): ReactNode {
  return (
    <i className={next ? 'next' : ''} style={{ left: `${at}%` }}>
      <Icon name={name} />
    </i>
  );
}

interface LabelsProps {
  coin: Coin;
  next: NextStep | null;
  stop: string | null;
  held: boolean;
}

function Labels({ coin, next, stop, held }: LabelsProps): ReactNode {
  const { tickSize, position } = coin;
  const below = [
    ...(held ? [{ words: 'average price', price: position.averagePrice }] : []),
    ...(coin.price === null ? [] : [{ words: 'price', price: coin.price }]),
  ];
  return (
    <>
      {stop === null ? null : <span className="lb lf">stop {priceText(stop, tickSize)}</span>}
      {next === null ? null : (
        <span className="lb rt intent">
          {next.verb.toLowerCase().split(' ')[0]} at {priceText(next.level, tickSize)}
          {distanceText(next)}
        </span>
      )}
      {inOrder(below).map(({ words, price }, i) => (
        <span key={words} className={`lb lo ${i === 0 && held ? 'lf' : 'rt'}`}>
          {words} {priceText(price, tickSize)}
        </span>
      ))}
    </>
  );
}

function railLabel(coin: Coin, stopRests: boolean): string {
  const view = coinView(coin);
  const { tickSize } = coin;
  const parts = [
    ...(view.stop === null
      ? []
      : [`stop ${priceText(view.stop, tickSize)} ${stopRests ? 'on the exchange' : 'kept by the worker'}`]),
    ...(view.held ? [`average price ${priceText(coin.position.averagePrice, tickSize)}`] : ['not held']),
    `price ${priceText(coin.price, tickSize)}`,
    ...(view.next === null ? ['no action planned'] : [`next action at ${priceText(view.next.level, tickSize)}`]),
  ];
  return `${view.base}: ${parts.join(', ')}`;
}

/** The legend of a rail. */
export function RailKey(): ReactNode {
  return (
    <div className="key wide pt-2">
      <span>
        <Icon name="dot" /> price
      </span>
      <span>
        <Icon name="dia" /> average price
      </span>
      <span>
        <Icon name="stp" /> stop on the exchange
      </span>
      <span>
        <Icon name="stw" /> stop kept by the worker
      </span>
      <span className="intent">
        <Icon name="flag" /> next action
      </span>
      <span>1 tick = 1 %</span>
    </div>
  );
}
