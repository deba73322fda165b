import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, useState } from 'react';
import { formatDecimal } from '#core/amount/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { Blocker } from '#web/data/blockers.ts';
import { useStalePrice } from '#web/data/live.tsx';
import type { Coin } from '#web/data/answers.ts';
import { coinView } from '#web/coin/coin-view.ts';
import { MISSING, money, price, quantity, signedPercent } from '#web/ui/numbers.ts';
import { Gain } from '#web/ui/figures.tsx';
import { age } from '#web/ui/time.ts';
import { NextAction } from './next-step.tsx';
import { DayChange, Spark } from './spark.tsx';
import { Rail } from '#web/coin/rail.tsx';

export interface CoinRow {
  readonly coin: Coin;
  readonly profileId: ProfileId;
  readonly profileName: string;
  readonly running: boolean;
  /** The most important blocker of the coin. */
  readonly blocker: Blocker | null;
  readonly stopRests: boolean;
  /** Set for a coin whose price the worker publishes. */
  readonly priceKey: string | null;
}

/** Up to this many rows share one layout, each column as wide as its content. */
const FEW = 40;

/** Coins with price, position, rail and next action; `extra` adds a cell such as a remove button. */
export function CoinsTable({
  rows,
  extra,
}: {
  rows: readonly CoinRow[];
  extra?: (coin: Coin) => ReactNode;
}): ReactNode {
  const { hidden, watch } = useSight();
  const [quote, other] = new Set(rows.map(({ coin }) => coin.quoteAsset));
  const unit = other === undefined ? quote : undefined;
  return (
    <div className="tw">
      <table className={rows.length > FEW ? 'cards three many' : 'cards three'}>
        <thead>
          <tr>
            <th>Coin</th>
            <th className="num">Price</th>
            <th>24 h</th>
            <th className="num">Position</th>
            <th className="num">Average price</th>
            <th className="num">Unrealised P&amp;L{unit == null ? '' : `, ${unit}`}</th>
            <th>Stop, cost, price, next</th>
            <th>Next action</th>
            {extra === undefined ? null : <th aria-label="Actions" />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const key = `${row.profileId} ${row.coin.symbol}`;
            return (
              <tr key={key} ref={watch} data-key={key}>
                <Cells row={row} extra={extra} bare={unit != null} seen={!hidden.has(key)} />
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Rows of a table outside of the viewport, by their `data-key`. */
function useSight() {
  const [hidden, setHidden] = useState<ReadonlySet<string>>(new Set());
  const [observer] = useState(() => {
    const see = (places: readonly IntersectionObserverEntry[]): void =>
      setHidden((before) => {
        const after = new Set(before);
        for (const { target, isIntersecting } of places) {
          const key = target.getAttribute('data-key') ?? '';
          if (isIntersecting) after.delete(key);
          else after.add(key);
        }
        return after;
      });
    return new IntersectionObserver(see, { rootMargin: '100px' });
  });
  const [watch] = useState(() => (row: HTMLTableRowElement) => {
    observer.observe(row);
    return () => observer.unobserve(row);
  });
  return { hidden, watch };
}

interface CellsProps {
  row: CoinRow;
  extra: ((coin: Coin) => ReactNode) | undefined;
  /** The head of the P&L has its unit. */
  bare: boolean;
  seen: boolean;
}

/** Hundreds of coins change at once: a row outside of the viewport is not rendered until it is visible. */
const Cells = memo(CellsOf, (before, after) => {
  if (!after.seen) return true;
  const [old, now] = [before.row, after.row];
  return (
    before.seen &&
    before.extra === after.extra &&
    before.bare === after.bare &&
    old.coin === now.coin &&
    old.running === now.running &&
    old.blocker?.sentence === now.blocker?.sentence &&
    old.stopRests === now.stopRests
  );
});

/** The age of a price that is no longer current. */
function PriceAge({ priceKey }: { priceKey: string }): ReactNode {
  const seconds = useStalePrice(priceKey);
  return seconds === null ? null : <span className="note">{age(seconds * 1000)} old</span>;
}

function CellsOf({ row, extra, bare }: CellsProps): ReactNode {
  const { coin, profileId, profileName, running, blocker, stopRests } = row;
  const view = coinView(coin);
  return (
    <>
      <td>
        <Link to="/profiles/$id/coins/$symbol" params={{ id: profileId, symbol: coin.symbol }}>
          <b>{view.base}</b>
        </Link>
        {view.quote === '' ? null : <span className="unit">/{view.quote}</span>}
        {profileName === '' ? null : <span className="note">{profileName}</span>}
      </td>
      <td className="num rt">
        {price(coin.price, coin.tickSize)}
        {row.priceKey === null ? null : <PriceAge priceKey={row.priceKey} />}
        <DayChange profileId={profileId} symbol={coin.symbol} />
      </td>
      <td className="wide">
        <Spark profileId={profileId} symbol={coin.symbol} />
      </td>
      <td className="num wide">
        {view.held ? quantity(coin.position.quantity, coin.stepSize) : <span className="note">not held</span>}
        {view.value === null ? null : (
          <span className="note">
            {money(formatDecimal(view.value), view.quote)} {view.quote}
          </span>
        )}
      </td>
      <td className="num wide">{view.held ? price(coin.position.averagePrice, coin.tickSize) : MISSING}</td>
      <td className="num rt">
        <Gain value={view.held ? view.gain : null} unit={view.quote} bare={bare} />
        {view.gainShare === null ? null : <span className="note">{signedPercent(view.gainShare)}</span>}
      </td>
      <td className="full railcell">
        <Rail coin={coin} stopRests={stopRests} />
      </td>
      <td className="act full">
        <NextAction coin={coin} running={running} blocker={blocker} />
      </td>
      {extra === undefined ? null : <td className="full num">{extra(coin)}</td>}
    </>
  );
}
