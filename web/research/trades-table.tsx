import { type KeyboardEvent, type ReactNode, useState } from 'react';
import { fromNumber } from '#core/amount/decimal.ts';
import { Gain } from '#web/ui/figures.tsx';
import { numberText, signedPercent } from '#web/ui/numbers.ts';
import { saveFile } from '#web/ui/save-file.ts';
import { age } from '#web/ui/time.ts';
import { When } from '#web/ui/when.tsx';
import { baseOf, sortBy, type Sorting, sortTrades, type Trade, type TradeColumn, tradesCsv } from './trades.ts';

interface TradesTableProps {
  trades: readonly Trade[];
  quote: string;
  /** Decimals of the prices of a coin. */
  placesOf: (symbol: string) => number;
  /** Several coins: each row names its own. */
  withCoin: boolean;
  chosen: number | undefined;
  onChoose: (trade: Trade) => void;
  /** Name of the exported file. */
  file: string;
}

const SHOWN = 12;

/** The trades of a backtest: each column sorts, and the arrow keys step from trade to trade. */
export function TradesTable(props: TradesTableProps): ReactNode {
  const { trades, withCoin, chosen, file } = props;
  const [sorting, setSorting] = useState<Sorting>({ column: 'closedMs', descending: true });
  const [all, setAll] = useState(false);
  const sorted = sortTrades(trades, sorting);
  const far = sorted.findIndex(({ number }) => number === chosen) >= SHOWN;
  const shown = all || far ? sorted : sorted.slice(0, SHOWN);
  const head = { sorting, onSort: (column: TradeColumn) => setSorting(sortBy(sorting, column)) };
  if (trades.length === 0) return <p className="p-2">No trade was closed.</p>;
  return (
    <>
      <div className="tw">
        <table className="cards picks">
          <thead>
            <tr>
              <Head {...head} column="number" words="#" />
              {withCoin ? <Head {...head} column="symbol" words="Coin" /> : null}
              <Head {...head} column="openedMs" words="Bought" />
              <Head {...head} column="closedMs" words="Sold" />
              <Head {...head} column="exit" words="Exit reason" />
              <Head {...head} column="held" words="Held" number />
              <Head {...head} column="fees" words={`Fees, ${props.quote}`} number />
              <Head {...head} column="net" words={`Net P&L, ${props.quote}`} number />
            </tr>
          </thead>
          <tbody>
            {shown.map((trade) => (
              <Row key={trade.number} {...props} trade={trade} />
            ))}
          </tbody>
        </table>
      </div>
      <div className="actions">
        {shown.length === sorted.length ? null : (
          <button type="button" className="btn small" onClick={() => setAll(true)}>
            Show all {sorted.length}
          </button>
        )}
        <button type="button" className="btn small" onClick={() => saveFile(file, tradesCsv(sorted))}>
          Export CSV
        </button>
      </div>
    </>
  );
}

interface HeadProps {
  column: TradeColumn;
  words: string;
  number?: boolean;
  sorting: Sorting;
  onSort: (column: TradeColumn) => void;
}

function Head({ column, words, number = false, sorting, onSort }: HeadProps): ReactNode {
  const isSorted = sorting.column === column;
  return (
    <th
      className={number ? 'num' : ''}
      aria-sort={isSorted ? (sorting.descending ? 'descending' : 'ascending') : undefined}
    >
      <button type="button" onClick={() => onSort(column)}>
        {words} <span aria-hidden="true">{isSorted ? (sorting.descending ? '▾' : '▴') : ''}</span>
      </button>
    </th>
  );
}

/** Moves the focus to the row above or below, and chooses it. */
function step(event: KeyboardEvent<HTMLButtonElement>): void {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
  const rows = [
    ...(event.currentTarget.closest('tbody')?.querySelectorAll<HTMLButtonElement>('button.row-pick') ?? []),
  ];
  const next = rows[rows.indexOf(event.currentTarget) + (event.key === 'ArrowDown' ? 1 : -1)];
  if (next === undefined) return;
  event.preventDefault();
  next.focus({ preventScroll: true });
  next.click();
}

function Row({ trade, quote, placesOf, withCoin, chosen, onChoose }: TradesTableProps & { trade: Trade }): ReactNode {
  const { number, symbol, openedMs, closedMs, bought, sold, exit, fees, net, share } = trade;
  const isChosen = number === chosen;
  const places = placesOf(symbol);
  const at = (ms: number, price: number): ReactNode => (
    <>
      <When at={new Date(ms).toISOString()} day />
      <span className="note">at {numberText(price, places)}</span>
    </>
  );
  return (
    <tr className={isChosen ? 'selrow' : ''}>
      <td className="note">
        <button
          type="button"
          className="link row-pick"
          aria-pressed={isChosen}
          aria-label={`Trade ${number}: show in the chart`}
          onClick={() => onChoose(trade)}
          onKeyDown={step}
        >
          {number}
        </button>
      </td>
      {withCoin ? <td className="rt font-strong">{baseOf(symbol, quote)}</td> : null}
      <td data-l="Bought">{at(openedMs, bought)}</td>
      <td data-l="Sold">{at(closedMs, sold)}</td>
      <td data-l="Exit reason">{exit.charAt(0).toUpperCase() + exit.slice(1)}</td>
      <td className="num" data-l="Held">
        {age(closedMs - openedMs)}
      </td>
      <td className="num" data-l="Fees">
        {numberText(fees, 2)}
      </td>
      <td className="num" data-l="Net P&L">
        <Gain value={fromNumber(net)} unit={quote} bare />
        <span className="note">{signedPercent(share)}</span>
      </td>
    </tr>
  );
}
