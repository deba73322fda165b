import { Link } from '@tanstack/react-router';
import { memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { formatDecimal } from '#core/decimal.ts';
import type { ProfileId } from '#core/ids.ts';
import type { Coin } from '#web/data/queries.ts';
import { coinView } from '#web/words/coin-view.ts';
import { MISSING, money, price, quantity, signedPercent } from '#web/words/numbers.ts';
import { Gain } from './figures.tsx';
import { NextStepWords } from './next-step.tsx';
import { Rail } from './rail.tsx';

export interface CoinRow {
  readonly coin: Coin;
  readonly profileId: ProfileId;
  readonly profileName: string;
  readonly running: boolean;
  readonly stopped: boolean;
  readonly stopRests: boolean;
}

/** Coins with price, position, rail and what happens next; `extra` adds a cell such as a remove button. */
export function CoinsTable({
  rows,
  extra,
}: {
  rows: readonly CoinRow[];
  extra?: (coin: Coin) => ReactNode;
}): ReactNode {
  return (
    <div className="tw">
      <table className="cards three">
        <thead>
          <tr>
            <th>Coin</th>
            <th className="num">Price</th>
            <th className="num">Held</th>
            <th className="num">Cost</th>
            <th className="num">Gain or loss</th>
            <th>Stop, cost, price, next</th>
            <th>What happens next</th>
            {extra === undefined ? null : <th aria-label="Actions" />}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <Row key={`${row.profileId} ${row.coin.symbol}`} row={row} extra={extra} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

interface RowProps {
  row: CoinRow;
  extra: ((coin: Coin) => ReactNode) | undefined;
}

/** Hundreds of coins change at once: a row that is out of sight keeps what it shows until it comes into sight. */
function Row({ row, extra }: RowProps): ReactNode {
  const place = useRef<HTMLTableRowElement>(null);
  const [seen, setSeen] = useState(true);
  useEffect(() => {
    const watch = new IntersectionObserver((places) => setSeen(places.at(-1)?.isIntersecting ?? true), {
      rootMargin: '100px',
    });
    if (place.current !== null) watch.observe(place.current);
    return () => watch.disconnect();
  }, []);
  return (
    <tr ref={place}>
      <Cells row={row} extra={extra} seen={seen} />
    </tr>
  );
}

const Cells = memo(CellsOf, (_before, { seen }) => !seen);

function CellsOf({ row, extra }: RowProps & { seen: boolean }): ReactNode {
  const { coin, profileId, profileName, running, stopped, stopRests } = row;
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
      <td className="num rt">{price(coin.price, coin.tickSize)}</td>
      <td className="num wide">
        {view.held ? quantity(coin.position.quantity, coin.stepSize) : <span className="note">none</span>}
        {view.value === null ? null : (
          <span className="note">
            {money(formatDecimal(view.value), view.quote)} {view.quote}
          </span>
        )}
      </td>
      <td className="num wide">{view.held ? price(coin.position.averagePrice, coin.tickSize) : MISSING}</td>
      <td className="num rt">
        {view.held ? <Gain value={view.gain} unit={view.quote} /> : <span className="note">not held</span>}
        {view.gainShare === null ? null : <span className="note">{signedPercent(view.gainShare)}</span>}
      </td>
      <td className="full railcell">
        <Rail coin={coin} stopRests={stopRests} />
      </td>
      <td className="act full">
        <NextStepWords coin={coin} running={running} stopped={stopped} />
      </td>
      {extra === undefined ? null : <td className="full num">{extra(coin)}</td>}
    </>
  );
}
