import { type ReactNode, useState } from 'react';
import { Result } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { count, MISSING, money, numberText, percent, price } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import type { ReplayAnswer } from './replay.ts';
import { type CoinRow, type CoinSort, isWide, sortedRows } from './coin-rows.ts';

/** Rows shown at first, and after a click: a list of a whole exchange would be slow. */
const [FIRST_SHOWN, SHOWN] = [15, 500];
const [BILLION, MILLION] = [1e9, 1e6];

/** `1.92 bn`, `612 m`, `4,100`. */
function volumeText(volume: number): string {
  if (volume >= BILLION) return `${numberText(volume / BILLION, 2)} bn`;
  return volume >= MILLION ? `${numberText(volume / MILLION, 0)} m` : numberText(volume, 0);
}

interface StepProps {
  rows: readonly CoinRow[] | undefined;
  error: Error | null;
  chosen: readonly string[];
  /** Spent per coin at most, in quote units; null when it depends on the equity. */
  perCoin: number | null;
  /** Free quote balance of the account. */
  free: string | null;
  unit: string;
  /** Results of the chosen coins in the replay of the last 90 days; undefined before the first has its candles. */
  replay: ReplayAnswer | undefined;
  onChoose: (coins: readonly string[]) => void;
  onBack: () => void;
  onNext: () => void;
}

/** Step 3: the coins, with price, volume and spread. */
export function CoinStep(props: StepProps): ReactNode {
  const { rows, error, chosen, perCoin, free, unit, replay, onChoose, onBack, onNext } = props;
  const atWork = perCoin === null ? '' : `, up to ${numberText(perCoin * chosen.length, 2)} ${unit} at work`;
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {chosen.length === 0 ? 'Choose at least one coin.' : `${count(chosen.length, 'coin')} chosen${atWork}.`}
        </h1>
        <p className="two">
          A coin with much volume and a narrow spread loses least to the market. All share the balance.
        </p>
      </div>
      <div className="cols">
        <Section title="Coins" note={rows === undefined ? undefined : count(rows.length, 'pair')} span={9}>
          <Failure what="Could not load the coins." error={error} />
          {rows === undefined && error === null ? <Skeleton rows={8} what="the coins" /> : null}
          {rows?.length === 0 ? (
            <p className="p-2" role="status">
              No coins loaded yet. The list appears once the worker has read them from the exchange.
            </p>
          ) : null}
          {rows === undefined || rows.length === 0 ? null : (
            <CoinTable rows={rows} chosen={chosen} results={resultsOf(replay)} onChoose={onChoose} />
          )}
        </Section>
        <Chosen rows={rows ?? []} {...{ chosen, perCoin, free, unit }} />
      </div>
      <div className="actions">
        <button type="button" className="btn" onClick={onBack}>
          Back
        </button>
        <button type="button" className="btn go" disabled={chosen.length === 0} onClick={onNext}>
          Continue to review
        </button>
        <span className="note">Nothing trades before step 4.</span>
      </div>
    </>
  );
}

const HEADS: readonly { readonly sort: CoinSort | undefined; readonly words: string; readonly numeric: boolean }[] = [
  { sort: 'coin', words: 'Coin', numeric: false },
  { sort: undefined, words: 'Price', numeric: true },
  { sort: 'change', words: '24 h', numeric: true },
  { sort: 'volume', words: 'Volume 24 h', numeric: true },
  { sort: 'spread', words: 'Spread', numeric: true },
  { sort: undefined, words: 'Smallest order', numeric: true },
  { sort: undefined, words: '90-day replay', numeric: true },
];

/** Return of each replayed coin, as a share of the balance. */
const resultsOf = (replay: ReplayAnswer | undefined): ReadonlyMap<string, number> =>
  new Map(replay?.kind === 'replayed' ? replay.coins.map(({ symbol, totalReturn }) => [symbol, totalReturn]) : []);

interface TableProps {
  rows: readonly CoinRow[];
  chosen: readonly string[];
  results: ReadonlyMap<string, number>;
  onChoose: (coins: readonly string[]) => void;
}

function CoinTable({ rows, chosen, results, onChoose }: TableProps): ReactNode {
  const [search, setSearch] = useState('');
  const [sort, setSort] = useState<CoinSort>('volume');
  const [all, setAll] = useState(false);
  const quotes = [...new Set(rows.map(({ quoteAsset }) => quoteAsset))].toSorted();
  const [quote, setQuote] = useState(quotes.includes('USDT') ? 'USDT' : (quotes[0] ?? ''));
  const wanted = search.trim().toUpperCase();
  const isOn = ({ symbol }: CoinRow): boolean => chosen.includes(symbol);
  const found = sortedRows(rows, sort).filter(
    (row) => isOn(row) || (row.symbol.includes(wanted) && (wanted !== '' || row.quoteAsset === quote)),
  );
  const toggle = ({ symbol }: CoinRow): void =>
    onChoose(chosen.includes(symbol) ? chosen.filter((other) => other !== symbol) : [...chosen, symbol]);
  return (
    <>
      <div className="flex flex-wrap items-center gap-3 px-2 pb-2">
        <span className="in" style={{ width: 240 }}>
          <input
            type="search"
            aria-label="Search coin"
            placeholder="Search coin"
            autoComplete="off"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
          />
        </span>
        {quotes.length < 2 ? null : (
          <span className="seg" role="group" aria-label="Quote asset">
            {quotes.map((asset) => (
              <button key={asset} type="button" aria-pressed={asset === quote} onClick={() => setQuote(asset)}>
                {asset}
              </button>
            ))}
          </span>
        )}
      </div>
      <div className="tw">
        <table className="cards">
          <Heads sort={sort} onSort={setSort} />
          <tbody>
            {found.slice(0, all ? SHOWN : FIRST_SHOWN).map((row) => (
              <Row
                key={row.symbol}
                row={row}
                on={isOn(row)}
                result={results.get(row.symbol)}
                onToggle={() => toggle(row)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {all || found.length <= FIRST_SHOWN ? null : (
        <button type="button" className="btn small quiet" onClick={() => setAll(true)}>
          Show all {found.length}
        </button>
      )}
      {all && found.length > SHOWN ? (
        <p className="note p-2">{found.length - SHOWN} more; search to see them.</p>
      ) : null}
      {found.length === 0 ? <p className="p-2">No coin found.</p> : null}
    </>
  );
}

function Heads({ sort, onSort }: { sort: CoinSort; onSort: (sort: CoinSort) => void }): ReactNode {
  return (
    <thead>
      <tr>
        {HEADS.map(({ sort: by, words, numeric }) => (
          <th key={words} className={numeric ? 'num' : undefined} aria-sort={by === sort ? sortOf(by) : undefined}>
            {by === undefined ? (
              words
            ) : (
              <button type="button" className="link" onClick={() => onSort(by)}>
                {words}
                {by === sort ? ' ▾' : ''}
              </button>
            )}
          </th>
        ))}
      </tr>
    </thead>
  );
}

const sortOf = (sort: CoinSort): 'ascending' | 'descending' => (sort === 'coin' ? 'ascending' : 'descending');

interface RowProps {
  row: CoinRow;
  on: boolean;
  /** Its return in the replay, as a share of the balance; undefined for a coin that is not replayed. */
  result: number | undefined;
  onToggle: () => void;
}

function Row({ row, on, result, onToggle }: RowProps): ReactNode {
  const { day, baseAsset, quoteAsset, minNotional, tickSize } = row;
  return (
    <tr className={on ? 'chosen' : undefined}>
      <td>
        <label className="flex gap-2">
          <input type="checkbox" aria-label={`${baseAsset}/${quoteAsset}`} checked={on} onChange={onToggle} />
          <span>
            <b>{baseAsset}</b>
            <span className="unit">/{quoteAsset}</span>
            {isWide(row) ? (
              <span className="care note">
                <Icon name="warn" /> spread wider than the fee
              </span>
            ) : null}
          </span>
        </label>
      </td>
      <td className="num rt">{day === null ? price(row.price, tickSize) : price(String(day.last), tickSize)}</td>
      <td className="num" data-l="24 h">
        {day === null ? MISSING : <Result value={day.change} places={2} />}
      </td>
      <td className="num rt" data-l="Volume 24 h">
        {day === null ? MISSING : volumeText(day.volume)} <span className="unit">{quoteAsset}</span>
      </td>
      <td className="num" data-l="Spread">
        {day?.spread == null ? MISSING : percent(day.spread, 2)}
      </td>
      <td className="num rt" data-l="Smallest order">
        {price(minNotional, minNotional)} <span className="unit">{quoteAsset}</span>
      </td>
      <td className="num" data-l="90-day replay">
        {result === undefined || !on ? MISSING : <Result value={result} places={2} />}
      </td>
    </tr>
  );
}

type ChosenProps = Pick<StepProps, 'chosen' | 'perCoin' | 'free' | 'unit'> & { rows: readonly CoinRow[] };

function Chosen({ rows, chosen, perCoin, free, unit }: ChosenProps): ReactNode {
  const wide = rows.filter((row) => chosen.includes(row.symbol) && isWide(row));
  const sum = perCoin === null ? null : perCoin * chosen.length;
  const over = sum !== null && free !== null && sum > Number(free);
  return (
    <Section title="Chosen" span={3}>
      <dl className="dl">
        {chosen.map((symbol) => (
          <Amount key={symbol} words={symbol} text={perCoin === null ? 'by equity' : numberText(perCoin, 2)} />
        ))}
        {sum === null ? null : <Amount words="At most in coins" text={`${numberText(sum, 2)} ${unit}`} />}
        <Amount words="Available" text={free === null ? MISSING : `${money(free)} ${unit}`} />
      </dl>
      {over ? (
        <Notice tone="care" title="More than is available.">
          The last coins to buy wait until money is free.
        </Notice>
      ) : null}
      {wide.length === 0 ? null : (
        <Notice tone="care" title="Wide spread.">
          {wide.map(({ baseAsset, day }) => `${baseAsset} ${percent(day?.spread ?? 0, 2)}`).join(', ')}: buying and
          selling costs that much in addition to the fees.
        </Notice>
      )}
    </Section>
  );
}

const Amount = ({ words, text }: { words: string; text: string }): ReactNode => (
  <>
    <dt>{words}</dt>
    <dd className="num">{text}</dd>
  </>
);
