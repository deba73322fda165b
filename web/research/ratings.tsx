import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import { readMarketTrend, readRatings } from '#api/contract/market.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import type { Profile } from '#web/data/queries.ts';
import { ratingLabel } from './discovery-labels.ts';
import { MINUS } from '#web/ui/numbers.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

/** The trend of the whole market in one line. */
export function MarketTrend({ accountId }: { accountId: AccountId }): ReactNode {
  const { data } = useQuery({
    queryKey: ['market-trend', accountId],
    queryFn: ({ signal }) => call(readMarketTrend, { params: { id: accountId } }, signal),
    refetchInterval: 60_000,
  });
  if (data === undefined || data === null) return null;
  const { leaders, breadth } = data;
  return (
    <p className="two">
      The market:{' '}
      {leaders
        .map(({ symbol, trend, days }) => `${symbol} ${trend === 'up' ? 'above' : 'below'} its ${days}-day average`)
        .join(', ')}
      {leaders.length === 0 ? '' : '; '}
      {breadth.up} of {breadth.all} coins rose in 24 h.
    </p>
  );
}

type Rating = Answer<typeof readRatings>['ratings'][number];

/** The technical rating of every coin, over several candles. */
export function Ratings({ profile: { id } }: { profile: Profile }): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['ratings', id],
    queryFn: ({ signal }) => call(readRatings, { params: { id }, query: {} }, signal),
    refetchInterval: 60_000,
  });
  const intervals = [...new Set(data?.ratings.map(({ interval }) => interval))];
  const bySymbol = Map.groupBy(data?.ratings ?? [], ({ symbol }) => symbol);
  return (
    <Section title="Ratings" note="26 indicators vote on closed candles, from −1, all sell, to +1, all buy">
      {error === null ? null : <Failure what="Could not load the ratings." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={3} /> : null}
      {data !== undefined && bySymbol.size === 0 ? <p className="p-2">The profile has no coins.</p> : null}
      {bySymbol.size === 0 ? null : (
        <table className="cards">
          <thead>
            <tr>
              <th>Coin</th>
              {intervals.map((interval) => (
                <th key={interval}>{interval} candles</th>
              ))}
            </tr>
          </thead>
          <tbody>
            {[...bySymbol].map(([symbol, ratings]) => (
              <tr key={symbol}>
                <td className="full">{symbol}</td>
                {intervals.map((interval) => (
                  <td key={interval} data-l={`${interval} candles`}>
                    <RatingCell rating={ratings.find((candidate) => candidate.interval === interval)} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Section>
  );
}

function RatingCell({ rating }: { rating: Rating | undefined }): ReactNode {
  if (rating === undefined) return '–';
  const { label, score, closedAt, problem } = rating;
  if (label === null || score === null) return <span className="note">{problem ?? 'too few candles'}</span>;
  const mark = score > 0.1 ? 'up' : score < -0.1 ? 'dno' : 'minus';
  return (
    <>
      <Icon name={mark} /> {ratingLabel(label)}{' '}
      <span className="unit">
        {score > 0 ? '+' : ''}
        {score.toFixed(2).replace('-', MINUS)}
      </span>
      {closedAt === null ? null : (
        <span className="note">
          closed <When at={closedAt} />
        </span>
      )}
    </>
  );
}
