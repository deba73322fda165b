import { type ReactNode, useMemo, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { fromNumber } from '#core/amount/decimal.ts';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { useSame } from '#web/data/use-same.ts';
import type { TradeSpan } from '#web/chart/chart-data.ts';
import { LazyChart } from '#web/chart/lazy-chart.tsx';
import { count, decimalsOf, numberText, percent } from '#web/ui/numbers.ts';
import { Gain } from '#web/ui/figures.tsx';
import { Section } from '#web/ui/section.tsx';
import { baseOf, groupTrades, tickOf, type Trade, type TradeGroup, tradesOf } from './trades.ts';
import { TradesTable } from './trades-table.tsx';

interface BacktestTradesProps {
  result: StoredResult;
  run: { readonly profileId: ProfileId; readonly runId: string };
  /** Next to the table. */
  aside?: ReactNode;
}

/** The trades of a backtest on its candles and in a table; a chosen one is brought into view. */
export function BacktestTrades({ result, run, aside }: BacktestTradesProps): ReactNode {
  const trades = useMemo(() => tradesOf(result), [result]);
  const symbols = result.coins === undefined ? [result.symbol] : Object.keys(result.coins);
  const [shown, setShown] = useState(symbols[0] ?? result.symbol);
  const [chosen, setChosen] = useState<number | undefined>(trades.at(-1)?.number);
  const trade = trades.find(({ number }) => number === chosen);
  const symbol = trade !== undefined && symbols.includes(trade.symbol) ? trade.symbol : shown;
  const choose = (next: Trade | undefined): void => {
    setChosen(next?.number);
    if (next !== undefined) setShown(next.symbol);
  };
  const chooseSpan = (span: TradeSpan | undefined): void =>
    choose(trades.find((other) => other.symbol === symbol && other.cycle === span?.trade));
  const showCoin = (coin: string): void => {
    setChosen(undefined);
    setShown(coin);
  };
  const placesOf = (of: string): number => decimalsOf(tickOf(result.fills, of), 2);
  return (
    <>
      <Section
        title="Candles and trades"
        note="choose a trade to bring it into view; arrow keys step through the table"
      >
        {symbols.length < 2 ? null : <Coins {...{ symbols, symbol, quote: result.quoteAsset }} onShow={showCoin} />}
        <TradeChart key={symbol} {...{ result, run, symbol, trade }} onTrade={chooseSpan} />
      </Section>
      <div className="cols">
        <Section
          title="Trades"
          span={aside === undefined ? 12 : 8}
          note={`${count(trades.length, 'trade')}, from first buy to closing sale`}
        >
          <TradesTable
            {...{ trades, chosen, placesOf, quote: result.quoteAsset, withCoin: symbols.length > 1 }}
            onChoose={choose}
            file={`trades-${result.symbol}-${result.from.slice(0, 10)}-${result.to.slice(0, 10)}.csv`}
          />
        </Section>
        {aside}
      </div>
    </>
  );
}

interface CoinsProps {
  symbols: readonly string[];
  symbol: string;
  quote: string;
  onShow: (symbol: string) => void;
}

function Coins({ symbols, symbol, quote, onShow }: CoinsProps): ReactNode {
  return (
    <div className="tools">
      <span className="seg" role="group" aria-label="Coin of the chart">
        {symbols.map((option) => (
          <button key={option} type="button" aria-pressed={option === symbol} onClick={() => onShow(option)}>
            {baseOf(option, quote)}
          </button>
        ))}
      </span>
    </div>
  );
}

interface TradeChartProps {
  result: StoredResult;
  run: BacktestTradesProps['run'];
  symbol: string;
  trade: Trade | undefined;
  onTrade: (span: TradeSpan | undefined) => void;
}

function TradeChart({ result, run, symbol, trade, onTrade }: TradeChartProps): ReactNode {
  const { quoteAsset: quote, interval, to, fills } = result;
  const span = trade && { trade: trade.cycle, fromMs: trade.openedMs, toMs: trade.closedMs };
  return (
    <LazyChart
      source={useSame({ kind: 'backtest', ...run, symbol, endMs: Date.parse(to) })}
      coin={useSame({ symbol, base: baseOf(symbol, quote), quote, tickSize: tickOf(fills, symbol) })}
      first={interval}
      trade={useSame(span)}
      onTrade={onTrade}
    />
  );
}

/** Sums of the trades by exit reason or coin. */
export function TradeGroups({ result, by }: { result: StoredResult; by: 'exit' | 'symbol' }): ReactNode {
  const groups = groupTrades(tradesOf(result), by);
  const most = Math.max(...groups.map(({ net }) => Math.abs(net)), 0);
  if (groups.length === 0) return <p className="p-2">No trade was closed.</p>;
  return (
    <table className="cards">
      <thead>
        <tr>
          <th>{by === 'exit' ? 'Exit reason' : 'Coin'}</th>
          <th className="num">Net P&L, {result.quoteAsset}</th>
          <th className="num">Trades</th>
          <th className="num">Win rate</th>
          <th className="num">Average, {result.quoteAsset}</th>
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <GroupRow key={group.name} {...{ group, most, quote: result.quoteAsset }} />
        ))}
      </tbody>
    </table>
  );
}

/** Fewer trades say nothing about a rate. */
const FEW = 30;

function GroupRow({ group, most, quote }: { group: TradeGroup; most: number; quote: string }): ReactNode {
  const { name, trades, wins, net } = group;
  const width = most === 0 ? 0 : (Math.abs(net) / most) * 50;
  const style = net < 0 ? { right: '50%', width: `${width}%` } : { left: '50%', width: `${width}%` };
  return (
    <tr>
      <td className="font-strong">{name.charAt(0).toUpperCase() + name.slice(1)}</td>
      <td className="num rt" data-l="Net P&L">
        <Gain value={fromNumber(net)} unit={quote} bare />
        <span className="hb" aria-hidden="true">
          <b className={net < 0 ? 'neg' : ''} style={style} />
        </span>
      </td>
      <td className="num" data-l="Trades">
        {trades}
      </td>
      <td
        className="num"
        data-l="Win rate"
        title={trades < FEW ? `${trades} trades are too few for a rate` : undefined}
      >
        {percent(wins / trades, 0)}
      </td>
      <td className="num" data-l="Average">
        {numberText(net / trades, 2)}
      </td>
    </tr>
  );
}
