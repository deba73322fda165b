import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { readMarketTrend, readRatings } from '#api/contract/market.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { ratingLabel } from './discovery-labels.ts';
import { twoDecimals } from '#web/ui/numbers.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

const POLL_MS = 60_000;

/** The trend of the whole market in one line. */
export function MarketTrend({ accountId }: { accountId: AccountId }): ReactNode {
  const { data } = useRead(readMarketTrend, { params: { id: accountId } }, { every: POLL_MS });
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
  const read = useRead(readRatings, { params: { id } }, { every: POLL_MS });
  return (
    <Section title="Ratings" note="26 indicators vote on closed candles, from −1, all sell, to +1, all buy">
      <Read of={read} what="the ratings" rows={3}>
        {({ ratings }) =>
          ratings.length === 0 ? <p className="p-2">The profile has no coins.</p> : <Table ratings={ratings} />
        }
      </Read>
    </Section>
  );
}

function Table({ ratings }: { ratings: readonly Rating[] }): ReactNode {
  const intervals = [...new Set(ratings.map(({ interval }) => interval))];
  return (
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
        {[...Map.groupBy(ratings, ({ symbol }) => symbol)].map(([symbol, ofCoin]) => (
          <tr key={symbol}>
            <td className="full">{symbol}</td>
            {intervals.map((interval) => (
              <td key={interval} data-l={`${interval} candles`}>
                <RatingCell rating={ofCoin.find((candidate) => candidate.interval === interval)} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
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
        {twoDecimals(score)}
      </span>
      {closedAt === null ? null : (
        <span className="note">
          closed <When at={closedAt} />
        </span>
      )}
    </>
  );
}
