import type { ReactNode } from 'react';
import type { StoredResult } from '#web/data/research.ts';
import { count, money, percent } from '#web/ui/numbers.ts';
import { plain, reasonWords, share } from '#web/ui/research.ts';
import { Result } from '#web/ui/figures.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

/** What stands behind the numbers of a backtest: unseen days, markets of each kind, and every fill. */
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
          ['First 70 % of the days', holdout.inSample],
          ['Last 30 %', holdout.outOfSample],
        ] as const);
  return (
    <Section title="Does it hold on later days" note="out of sample: days that came last" span={6}>
      {parts.length === 0 ? <p className="p-2">The period is too short to be divided.</p> : null}
      {parts.length === 0 ? null : (
        <table className="cards">
          <thead>
            <tr>
              <th>Days</th>
              <th className="num">Made</th>
              <th className="num">Holding</th>
              <th className="num">Deepest fall</th>
              <th className="num">Round trips</th>
            </tr>
          </thead>
          <tbody>
            {parts.map(([words, part]) => (
              <tr key={words}>
                <td className="full">{words}</td>
                <td className="num" data-l="Made">
                  <Result value={part.totalReturn} />
                </td>
                <td className="num" data-l="Holding">
                  {share(part.buyAndHold)}
                </td>
                <td className="num" data-l="Deepest fall">
                  {percent(-Math.abs(part.drawdown))}
                </td>
                <td className="num" data-l="Round trips">
                  {part.closedCycles}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <p className="note p-2">
        If you chose the settings by looking at the first days, only the last ones say what they are worth.
      </p>
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
    <Section title="In which markets it earns" note="regimes: what the coin did over 20 days" span={6}>
      <table className="cards">
        <thead>
          <tr>
            <th>When</th>
            <th className="num">Days</th>
            <th className="num">Made</th>
            <th className="num">The coin itself</th>
            <th className="num">Round trips</th>
          </tr>
        </thead>
        <tbody>
          {Object.entries(regimes).map(([name, regime]) => (
            <tr key={name}>
              <td className="full">{REGIMES[name] ?? name}</td>
              <td className="num" data-l="Days">
                {regime.days}
              </td>
              <td className="num" data-l="Made">
                <Result value={regime.totalReturn} />
              </td>
              <td className="num" data-l="The coin itself">
                {share(regime.coinReturn)}
              </td>
              <td className="num" data-l="Round trips">
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

/** What each coin did in a run of all of them. */
function Parts({ coins, quote }: PartsProps): ReactNode {
  return (
    <Section title="Coins" note="one balance for all of them">
      <table className="cards">
        <thead>
          <tr>
            <th>Coin</th>
            <th className="num">Fills</th>
            <th className="num">Closed positions</th>
            <th className="num">In profit</th>
            <th className="num">Net, {quote}</th>
            <th className="num">Holding it</th>
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
              <td className="num" data-l="Closed positions">
                {part.closedCycles}
              </td>
              <td className="num" data-l="In profit">
                {part.wins}
              </td>
              <td className="num" data-l="Net">
                {plain(part.net)}
              </td>
              <td className="num" data-l="Holding it">
                {share(part.buyAndHold)}
              </td>
              <td className="num" data-l="Fees">
                {plain(part.fees)}
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
    <Section title="Fills" note={`what would have been bought and sold; ${count(fills.length, 'fill')}`}>
      {openPosition === null ? null : (
        <p className="two p-2">
          At the end it still held {openPosition.quantity}, bought at {money(openPosition.averagePrice, quoteAsset)}{' '}
          {quoteAsset} on average; it counts at the last price.
        </p>
      )}
      {fills.length === 0 ? <p className="p-2">It never bought. What it waited for stands above.</p> : null}
      {fills.length === 0 ? null : (
        <details className="px-2">
          <summary>Show {fills.length > SHOWN ? `the last ${SHOWN}` : 'them'}</summary>
          <FillTable result={result} />
        </details>
      )}
      {rejections.length === 0 ? null : (
        <details className="px-2">
          <summary>{count(rejections.length, 'order')} would have been refused</summary>
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
          <th>When</th>
          <th>What</th>
          <th className="num">Price, {quoteAsset}</th>
          <th className="num">Quantity</th>
          <th className="num">Worth, {quoteAsset}</th>
          <th className="num">Made, {quoteAsset}</th>
        </tr>
      </thead>
      <tbody>
        {fills
          .slice(-SHOWN)
          .toReversed()
          .map((fill, i) => (
            // Two fills can agree in everything; none is ever added or moved.
            <tr key={`${i} ${fill.at}`}>
              <td>
                <When at={fill.at} day />
              </td>
              <td className="rt">
                {fill.side === 'buy' ? 'Bought' : 'Sold'} {fill.symbol}
                <span className="note">{reasonWords(fill.reason)}</span>
              </td>
              <td className="num" data-l="Price">
                {money(fill.price, quoteAsset)}
              </td>
              <td className="num" data-l="Quantity">
                {fill.quantity}
              </td>
              <td className="num" data-l="Worth">
                {money(fill.quote, quoteAsset)}
              </td>
              <td className="num" data-l="Made">
                {fill.realised === null ? '–' : plain(Number(fill.realised))}
              </td>
            </tr>
          ))}
      </tbody>
    </table>
  );
}
