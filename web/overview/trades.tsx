import type { ReactNode } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import { exitCause } from '#core/decision/exit-cause.ts';
import { coinView } from '#web/coin/coin-view.ts';
import type { Dashboard } from '#web/data/answers.ts';
import { Gain } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { price, quantity } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { age } from '#web/ui/time.ts';
import { When } from '#web/ui/when.tsx';
import { noTradesText } from './none-text.ts';

type Trade = Dashboard['trades'][number];
type Coin = Dashboard['coins'][number];

/** Open positions and closed trades, each opened to its orders. */
export function Trades({ data: { trades, coins, activity } }: { data: Dashboard }): ReactNode {
  const known = new Map(coins.map((coin) => [`${coin.profileId} ${coin.symbol}`, coin]));
  const newest = trades.toSorted((a, b) => (timeOf(a) < timeOf(b) ? 1 : timeOf(a) > timeOf(b) ? -1 : 0));
  return (
    <Section title="Activity" note="by trade, newest first" span={6}>
      {trades.length === 0 ? <p className="p-2">{noTradesText(activity.length)}</p> : null}
      {newest.map((trade, i) => (
        <OneTrade
          key={`${trade.profileId} ${trade.symbol} ${trade.cycle}`}
          trade={trade}
          coin={known.get(`${trade.profileId} ${trade.symbol}`)}
          open={i === 0}
        />
      ))}
    </Section>
  );
}

const timeOf = ({ closedAt, steps, openedAt }: Trade): string => closedAt ?? steps[0]?.at ?? openedAt;

function OneTrade({ trade, coin, open }: { trade: Trade; coin: Coin | undefined; open: boolean }): ReactNode {
  const { symbol, openedAt, closedAt, net, exitReason, steps } = trade;
  const base = coin?.baseAsset ?? symbol;
  const buys = steps.filter(({ side }) => side === 'buy').length;
  const result = closedAt === null ? (coin === undefined ? null : coinView(coin).gain) : readDecimal(net ?? '');
  return (
    <details className="trip" open={open}>
      <summary>
        <When at={timeOf(trade)} />
        <Icon name={closedAt === null ? 'flag' : 'dno'} />
        <span>
          <b>{base}</b>{' '}
          {closedAt === null
            ? `Position open, ${buys} ${buys === 1 ? 'buy' : 'buys'}`
            : `${causeText(exitReason)} after ${age(Date.parse(closedAt) - Date.parse(openedAt))}`}
        </span>
        <span>{result == null ? null : <Gain value={result} unit={coin?.quoteAsset ?? ''} bare />}</span>
      </summary>
      <ol className="steps-of">
        {steps.map((step) => (
          <li key={step.orderId}>
            <When at={step.at} />
            <span>
              {step.side === 'buy' ? 'Bought' : 'Sold'} {quantity(step.quantity, coin?.stepSize ?? null)} {base} at{' '}
              {price(step.price, coin?.tickSize ?? null)}
              {step.side === 'sell' ? `: ${exitCause(step.reason)}` : ''}
            </span>
          </li>
        ))}
      </ol>
    </details>
  );
}

const causeText = (reason: string | null): string => {
  const cause = reason === null ? 'closed' : exitCause(reason);
  return cause.charAt(0).toUpperCase() + cause.slice(1);
};
