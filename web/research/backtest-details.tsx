import type { ReactNode } from 'react';
import type { StoredResult } from '#core/research/backtest-result.ts';
import { count, money, percent, signedPercent, twoDecimals } from '#web/ui/numbers.ts';
import { reasonText } from '#web/ui/research.ts';
import { Result } from '#web/ui/figures.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

/** Details of a backtest: out of sample, market regimes, coins and fills. */
export function BacktestDetails({ result }: { result: StoredResult }): ReactNode {
  return (
    <>
      <div className="cols">
        <Halves result={result} />
        <Regimes result={result} />
      </div>
      {result.coins === undefined ? null : <Parts coins={result.coins} quote={result.quoteAsset} />}
      <Fills result={result} />
    </>
  );
}

function Halves({ result: { holdout } }: { result: StoredResult }): ReactNode {
  const parts =
    holdout === null
      ? []
      : ([
          ['In sample (first 70 %)', holdout.inSample],
          ['Out of sample (last 30 %)', holdout.outOfSample],
        ] as const);
  return (
    <Section title="Out of sample" note="results on the last days alone" span={6}>
      {parts.length === 0 ? <p className="p-2">The period is too short to split.</p> : null}
      {parts.length === 0 ? null : (
        <table className="cards">
          <thead>
            <tr>
              <th>Days</th>
              <th className="num">Return</th>
              <th className="num">Buy and hold</th>
              <th className="num">Max drawdown</th>
              <th className="num">Trades</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(([words, part]) => (
              <tr key={words}>
                <td className="full">{words}</td>
                <td className="num" data-l="Return">
                  <Result value={part.totalReturn} />
                </td>
                <td className="num" data-l="Buy and hold">
                  {signedPercent(part.buyAndHold, 1)}
                </td>
                <td className="num" data-l="Max drawdown">
                  {percent(-Math.abs(part.drawdown))}
                </td>
                <td className="num" data-l="Trades">
                  {part.closedCycles}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="note p-2">If you chose the settings on the first days, only the last days are a test.</p>
    </Section>
  );
}

const REGIMES: Readonly<Record<string, string>> = {
  up: 'The coin rose',
  down: 'The coin fell',
  sideways: 'The coin went sideways',
  unknown: 'Too early to say',
};

function Regimes({ result: { regimes } }: { result: StoredResult }): ReactNode {
  return (
    <Section title="By market regime" note="trend of the coin over 20 days" span={6}>
      <table className="cards">
        <thead>
          <tr>
            <th>Market</th>
            <th className="num">Days</th>
            <th className="num">Return</th>
            <th className="num">Coin</th>
            <th className="num">Trades</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(regimes).map(([name, regime]) => (
            <tr key={name}>
              <td className="full">{REGIMES[name] ?? name}</td>
              <td className="num" data-l="Days">
                {regime.days}
              </td>
              <td className="num" data-l="Return">
                <Result value={regime.totalReturn} />
              </td>
              <td className="num" data-l="Coin">
                {signedPercent(regime.coinReturn, 1)}
              </td>
              <td className="num" data-l="Trades">
                {regime.closedCycles}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

interface PartsProps {
  coins: NonNullable<StoredResult['coins']>;
  quote: string;
}

/** Results of each coin in a run with one balance. */
function Parts({ coins, quote }: PartsProps): ReactNode {
  return (
    <Section title="Coins" note="one balance for all of them">
      <table className="cards">
        <thead>
          <tr>
            <th>Coin</th>
            <th className="num">Fills</th>
            <th className="num">Trades</th>
            <th className="num">Winning trades</th>
            <th className="num">Net P&amp;L, {quote}</th>
            <th className="num">Buy and hold</th>
            <th className="num">Fees, {quote}</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(coins).map(([symbol, part]) => (
            <tr key={symbol}>
              <td className="full">{symbol}</td>
              <td className="num" data-l="Fills">
                {part.fills}
              </td>
              <td className="num" data-l="Trades">
                {part.closedCycles}
              </td>
              <td className="num" data-l="Winning trades">
                {part.wins}
              </td>
              <td className="num" data-l="Net P&L">
                {twoDecimals(part.net)}
              </td>
              <td className="num" data-l="Buy and hold">
                {signedPercent(part.buyAndHold, 1)}
              </td>
              <td className="num" data-l="Fees">
                {twoDecimals(part.fees)}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Section>
  );
}

const SHOWN = 200;

function Fills({ result }: { result: StoredResult }): ReactNode {
  const { fills, rejections, quoteAsset, openPosition } = result;
  return (
    <Section title="Fills" note={count(fills.length, 'fill')}>
      {openPosition === null ? null : (
        <p className="two p-2">
          Open position at the end: {openPosition.quantity}, average price{' '}
          {money(openPosition.averagePrice, quoteAsset)} {quoteAsset}. It counts at the last price.
        </p>
      )}
      {fills.length === 0 ? <p className="p-2">No buys. The wait reasons are listed above.</p> : null}
      {fills.length === 0 ? null : (
        <details className="px-2">
          <summary>Show {fills.length > SHOWN ? `the last ${SHOWN}` : 'them'}</summary>
          <FillTable result={result} />
        </details>
      )}
      {rejections.length === 0 ? null : (
        <details className="px-2">
          <summary>{count(rejections.length, 'order')} would have been rejected</summary>
          <ul className="note list-disc pl-5">
            {rejections.slice(-SHOWN).map(({ at, side, quantity, reason }) => (
              <li key={`${at} ${side} ${quantity}`}>
                <When at={at} />: {side} {quantity}, {reason}
              </li>
            ))}
          </ul>
        </details>
      )}
    </Section>
  );
}

function FillTable({ result: { fills, quoteAsset } }: { result: StoredResult }): ReactNode {
  return (
    <table className="cards">
      <thead>
        <tr>
          <th>Time</th>
          <th>Fill</th>
          <th className="num">Price, {quoteAsset}</th>
          <th className="num">Quantity</th>
          <th className="num">Value, {quoteAsset}</th>
          <th className="num">Realised P&amp;L, {quoteAsset}</th>
        </tr>
      </thead>
      <tbody>
        {fills
          .slice(-SHOWN)
          .toReversed()
          .map((fill, i) => (
            // Two fills can be equal; rows are never added or moved.
            <tr key={`${i} ${fill.at}`}>
              <td>
                <When at={fill.at} day />
              </td>
              <td className="rt">
                {fill.side === 'buy' ? 'Bought' : 'Sold'} {fill.symbol}
                <span className="note">{reasonText(fill.reason)}</span>
              </td>
              <td className="num" data-l="Price">
                {money(fill.price, quoteAsset)}
              </td>
              <td className="num" data-l="Quantity">
                {fill.quantity}
              </td>
              <td className="num" data-l="Value">
                {money(fill.quote, quoteAsset)}
              </td>
              <td className="num" data-l="Realised P&L">
                {fill.realised === null ? '–' : twoDecimals(Number(fill.realised))}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
