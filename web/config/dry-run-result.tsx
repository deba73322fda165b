import type { ReactNode } from 'react';
import { type Decimal, formatDecimal, subtract } from '#core/amount/decimal.ts';
import type { DryRunCoin, DryRunDecision, DryRunResult, DryRunTotal } from '#core/research/dry-run.ts';
import { Gain } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { count, money, whole } from '#web/ui/numbers.ts';
import { reasonText } from '#web/ui/research.ts';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { amountOf, type CoinGrid, netDifference, orderText, positionText, shownDifferences } from './dry-run-text.ts';

/** Below this many sales of a side a difference in money can be luck. */
const FEW_SALES = 30;
const DOUBTFUL = 'Their order of events inside is not known; another order gives another result.';

/** Money of both sides, one table for each quote asset. */
export function Totals({ totals }: { totals: readonly DryRunTotal[] }): ReactNode {
  const few = totals.some(({ present, changed }) => Math.min(present.sells, changed.sells) < FEW_SALES);
  return (
    <Section title="Money" note="net of all fees">
      {totals.map((total) => (
        <Total key={total.quoteAsset} total={total} />
      ))}
      {few ? (
        <p className="note p-2">With fewer than {FEW_SALES} sales on each side, the difference can be luck.</p>
      ) : null}
    </Section>
  );
}

type Side = DryRunTotal['present'];

interface Row {
  readonly words: string;
  /** Shown on hover. */
  readonly note?: string;
  readonly kind: 'profit' | 'cost' | 'count';
  readonly valueOf: (side: Side) => string;
}

const ROWS: readonly Row[] = [
  { words: 'Net P&L', note: 'Change of cash and coins.', kind: 'profit', valueOf: ({ net }) => net },
  { words: 'Realised P&L', note: 'Of the sales alone.', kind: 'profit', valueOf: ({ realised }) => realised },
  { words: 'Fees paid', kind: 'cost', valueOf: ({ fees }) => fees },
  { words: 'Orders', kind: 'count', valueOf: ({ orders }) => String(orders) },
  { words: 'Buys', kind: 'count', valueOf: ({ buys }) => String(buys) },
  { words: 'Sales', kind: 'count', valueOf: ({ sells }) => String(sells) },
  { words: 'Doubtful candles', note: DOUBTFUL, kind: 'count', valueOf: ({ doubtful }) => String(doubtful) },
];

function Total({ total: { quoteAsset, balance, held, present, changed } }: { total: DryRunTotal }): ReactNode {
  const shown = ({ kind, valueOf }: Row, side: Side): ReactNode => {
    const value = valueOf(side);
    if (kind === 'count') return whole(Number(value));
    return kind === 'profit' ? <Gain value={amountOf(value)} unit={quoteAsset} bare /> : money(value, quoteAsset);
  };
  return (
    <div className="pb-4">
      <div className="tw" tabIndex={0} role="group" aria-label={`Money in ${quoteAsset}`}>
        <table className="side">
          <thead>
            <tr>
              <th>{quoteAsset}</th>
              <th className="num">Present</th>
              <th className="num">Changed</th>
              <th className="num">Difference</th>
            </tr>
          </thead>
          <tbody>
            {ROWS.map((row) => (
              <tr key={row.words}>
                <th scope="row" title={row.note}>
                  {row.words}
                </th>
                <td className="num two">{shown(row, present)}</td>
                <td className="num">
                  <b>{shown(row, changed)}</b>
                </td>
                <td className="num">
                  <Difference row={row} present={present} changed={changed} asset={quoteAsset} />
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="note px-2 pt-2">
        Both sides started with {money(balance, quoteAsset)} {quoteAsset} and coins worth {money(held, quoteAsset)}{' '}
        {quoteAsset}.
      </p>
    </div>
  );
}

interface DifferenceProps {
  row: Row;
  present: Side;
  changed: Side;
  asset: string;
}

function Difference({ row: { kind, valueOf }, present, changed, asset }: DifferenceProps): ReactNode {
  const more: Decimal = subtract(amountOf(valueOf(changed)), amountOf(valueOf(present)));
  const text = kind === 'count' ? whole(Number(formatDecimal(more))) : money(formatDecimal(more), asset);
  if (!/[1-9]/.test(text)) return <span className="two">same</span>;
  if (kind === 'profit') return <Gain value={more} unit={asset} bare />;
  return more > 0n ? `+${text}` : text;
}

interface CoinsProps {
  coins: readonly DryRunCoin[];
  gridOf: (symbol: string) => CoinGrid | undefined;
}

/** One row for each coin: decisions, orders and money of both sides. */
export function Coins({ coins, gridOf }: CoinsProps): ReactNode {
  return (
    <Section title="Coins" note="present → changed">
      <div className="tw" tabIndex={0} role="group" aria-label="Coins">
        <table className="cards">
          <thead>
            <tr>
              <th>Coin</th>
              <th className="num">Decisions</th>
              <th className="num">Differ</th>
              <th className="num">Orders</th>
              <th className="num">Fees</th>
              <th className="num">Doubtful candles</th>
              <th className="num">Net P&L</th>
              <th className="num">Difference</th>
              <th>Position</th>
            </tr>
          </thead>
          <tbody>
            {coins.map((coin) => (
              <Coin key={coin.symbol} coin={coin} grid={gridOf(coin.symbol)} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** Both values of a row, once when they are equal. */
const pair = (present: string, changed: string): string => (present === changed ? present : `${present} → ${changed}`);

function Coin({ coin, grid }: { coin: DryRunCoin; grid: CoinGrid | undefined }): ReactNode {
  const { symbol, quoteAsset, refused, missing, differing, present, changed } = coin;
  if (refused !== null) {
    return (
      <tr>
        <td>{symbol}</td>
        <td className="full" colSpan={8}>
          <span className="care">
            <Icon name="warn" />
          </span>{' '}
          Not computed: <Prose text={refused} />
        </td>
      </tr>
    );
  }
  const gain = (value: string): ReactNode => <Gain value={amountOf(value)} unit={quoteAsset} bare />;
  const counts = (of: (side: DryRunCoin['present']) => number): string => pair(whole(of(present)), whole(of(changed)));
  return (
    <tr>
      <td className="full">
        {symbol}
        {missing === 0 ? null : <span className="note">{count(missing, 'candle')} missing</span>}
      </td>
      <td className="num" data-l="Decisions">
        {counts(({ decisions }) => decisions)}
      </td>
      <td className="num" data-l="Differ">
        {whole(differing)}
      </td>
      <td className="num" data-l="Orders">
        {counts(({ orders }) => orders)}
      </td>
      <td className="num" data-l={`Fees, ${quoteAsset}`}>
        {pair(money(present.fees, quoteAsset), money(changed.fees, quoteAsset))}
      </td>
      <td className="num" data-l="Doubtful candles" title={DOUBTFUL}>
        {counts(({ doubtful }) => doubtful)}
      </td>
      <td className="num" data-l={`Net P&L, ${quoteAsset}`}>
        {gain(present.net)} → {gain(changed.net)}
      </td>
      <td className="num" data-l={`Difference, ${quoteAsset}`}>
        <Gain value={netDifference(coin)} unit={quoteAsset} bare />
      </td>
      <td className="full" data-l="Position">
        {pair(positionText(present, grid), positionText(changed, grid))}
      </td>
    </tr>
  );
}

/** The differing decisions of each coin with time and both reasons. */
export function DifferingDecisions({ result, gridOf }: { result: DryRunResult } & Pick<CoinsProps, 'gridOf'>) {
  const coins = result.coins.filter(({ differing }) => differing > 0);
  return (
    <Section title="Decisions that differ">
      {coins.length === 0 ? <p className="p-2">None: both settings decided the same.</p> : null}
      {coins.map((coin) => (
        <CoinDecisions key={coin.symbol} coin={coin} grid={gridOf(coin.symbol)} open={coins.length === 1} />
      ))}
    </Section>
  );
}

function CoinDecisions({ coin, grid, open }: { coin: DryRunCoin; grid: CoinGrid | undefined; open: boolean }) {
  const { symbol, differing, recent } = coin;
  return (
    <details className="px-2" open={open}>
      <summary>
        {symbol}: {count(differing, 'decision')}
        {recent.length < differing ? `, the newest ${recent.length} and the first` : ''}
      </summary>
      <table className="cards">
        <thead>
          <tr>
            <th>Close of the candle</th>
            <th>Present settings</th>
            <th>Changed settings</th>
          </tr>
        </thead>
        <tbody>
          {shownDifferences(coin).map(({ from, at, present, changed }) => (
            <tr key={at}>
              <td className="full">
                {from === at ? null : (
                  <>
                    <When at={from} /> to{' '}
                  </>
                )}
                <When at={at} />
              </td>
              <Decision decision={present} label="Present settings" grid={grid} />
              <Decision decision={changed} label="Changed settings" grid={grid} />
            </tr>
          ))}
        </tbody>
      </table>
    </details>
  );
}

function Decision({ decision, label, grid }: { decision: DryRunDecision; label: string; grid: CoinGrid | undefined }) {
  return (
    <td data-l={label}>
      {reasonText(decision.reason)}
      {decision.order === null ? null : <span className="note">{orderText(decision, grid)}</span>}
    </td>
  );
}
