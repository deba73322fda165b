import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listPerformanceTrades } from '#api/contract/performance.ts';
import { useReadPages } from '#web/data/read.ts';
import { Gain } from '#web/ui/figures.tsx';
import { count, MISSING, money } from '#web/ui/numbers.ts';
import { exitText } from '#web/ui/research.ts';
import { age } from '#web/ui/time.ts';
import { When } from '#web/ui/when.tsx';
import type { Performance } from './queries.ts';
import { dayName, signedMoney } from './texts.ts';
import { Older, Read } from '#web/ui/read.tsx';

interface DayTradesProps {
  accountId: AccountId;
  profileId: ProfileId | undefined;
  data: Performance;
  day: string;
  unit: string;
  onClose: () => void;
}

/** The result of one day, and the trades that were closed on it. */
export function DayTrades({ accountId, profileId, data, day, unit, onClose }: DayTradesProps): ReactNode {
  const trades = useReadPages(listPerformanceTrades, (start) => ({
    params: { id: accountId },
    query: {
      ...({ period: 'custom', from: day, to: day, limit: 50 } as const),
      ...(profileId === undefined ? {} : { profileId }),
      ...start,
    },
  }));
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [day]);
  const { quoteAsset: asset, days } = data;
  const result = days.find((one) => one.day === day);
  const rows = trades.data?.pages.flatMap((page) => page.rows) ?? [];
  return (
    <section className="sec" aria-labelledby="day-trades">
      <div className="sh">
        <h2 id="day-trades" ref={heading} tabIndex={-1}>
          {dayName(day, days.at(-1)?.day ?? day)}
        </h2>
        <button type="button" className="btn small end" onClick={onClose}>
          Close
        </button>
      </div>
      {result === undefined ? null : (
        <p className="px-2 pb-2">
          Net P&amp;L <Gain value={readDecimal(result.pnl) ?? null} unit={unit} />: realised{' '}
          {signedMoney(result.realised, asset)}, the rest is the change of open positions. Fees{' '}
          {money(result.fees, asset)} {unit}.
        </p>
      )}
      <Read of={trades} what="the trades">
        {() =>
          rows.length === 0 ? (
            <p className="p-2">No trade was closed on this day.</p>
          ) : (
            <TradeRows rows={rows} asset={asset} />
          )
        }
      </Read>
      <Older of={trades} />
      {rows.length === 0 ? null : (
        <p className="note p-2">
          {count(rows.length, 'closed trade')}. A trade counts with its whole net on the day on which it was closed.
        </p>
      )}
    </section>
  );
}

type Trade = Answer<typeof listPerformanceTrades>['rows'][number];

function TradeRows({ rows, asset }: { rows: readonly Trade[]; asset: string | null }): ReactNode {
  return (
    <div className="tw" tabIndex={0} role="group" aria-label="Trades of the day">
      <table className="cards">
        <thead>
          <tr>
            <th>Closed</th>
            <th>Coin</th>
            <th>Profile</th>
            <th>Exit</th>
            <th className="num">Held</th>
            <th className="num">Net P&amp;L, {asset}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ profileId, profileName, symbol, cycle, openedAt, closedAt, net, exitReason }) => (
            <tr key={`${profileId} ${symbol} ${cycle}`}>
              <td className="note">
                <When at={closedAt} />
              </td>
              <td className="rt">
                {profileName === null ? (
                  symbol
                ) : (
                  <Link to="/profiles/$id/coins/$symbol" params={{ id: profileId, symbol }}>
                    {symbol}
                  </Link>
                )}
              </td>
              <td data-l="Profile">{profileName ?? 'deleted'}</td>
              <td data-l="Exit">{exitReason === null ? MISSING : exitText(exitReason)}</td>
              <td className="num" data-l="Held">
                {age(Date.parse(closedAt) - Date.parse(openedAt))}
              </td>
              <td className="num rt" data-l="Net P&L">
                <Gain value={readDecimal(net) ?? null} unit={asset ?? ''} bare />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
