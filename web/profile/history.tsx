import { Link, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { readDecimal } from '#core/amount/decimal.ts';
import type { Answer } from '#api/contract/operation.ts';
import {
  exportFills,
  exportTaxLots,
  exportTradeArchive,
  listClosedTrades,
  listEquity,
  listTradeArchive,
} from '#api/contract/trades.ts';
import { listCoins } from '#api/contract/profiles.ts';
import { addressOf } from '#web/data/call.ts';
import type { Profile } from '#web/data/answers.ts';
import { useZone } from '#web/data/session.tsx';
import { useRead, useReadPages } from '#web/data/read.ts';
import { EquityPlot } from '#web/ui/equity-plot.tsx';
import { ExchangeLists } from './exchange-lists.tsx';
import { Figure, Gain } from '#web/ui/figures.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { MISSING, money, percent, signedPercent } from '#web/ui/numbers.ts';
import { exitText } from '#web/ui/research.ts';
import { mostInvested } from '#web/ui/equity.ts';
import { age, dayMark } from '#web/ui/time.ts';
import { Older, Read } from '#web/ui/read.tsx';

const TRADES_EVERY_MS = 30_000;
const EQUITY_EVERY_MS = 60_000;

type Totals = Answer<typeof listTradeArchive>['totals'];

export function HistoryPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/history' });
  return (
    <ProfileFrame id={id} part="Trades">
      {(profile) => <History profile={profile} />}
    </ProfileFrame>
  );
}

function History({ profile }: { profile: Profile }): ReactNode {
  const [symbol, setSymbol] = useState('');
  const narrow = symbol === '' ? {} : { symbol };
  const trades = useReadPages(
    listTradeArchive,
    (start) => ({ params: { id: profile.id }, query: { limit: 50, ...narrow, ...start } }),
    { every: TRADES_EVERY_MS },
  );
  const { data: held } = useRead(listCoins, { params: { id: profile.id } });
  const quote = held?.coins[0]?.quoteAsset ?? '';
  const totals = trades.data?.pages[0]?.totals;
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {totals === undefined || totals.count === 0 ? (
            'No closed trades yet.'
          ) : (
            <>
              {totals.count} {totals.count === 1 ? 'trade' : 'trades'} made{' '}
              <Gain value={readDecimal(totals.net) ?? null} unit={quote} /> after fees.
            </>
          )}
        </h1>
        <p className="two">A trade starts with the first buy of a coin and ends when all of it is sold.</p>
      </div>
      {totals === undefined || totals.count === 0 ? null : <Figures totals={totals} quote={quote} />}
      <NetPnl profile={profile} quote={quote} />
      <div className="cols">
        <Section title="Closed trades" note={<Files profile={profile} narrow={narrow} />} span={8}>
          {profile.symbols.length < 2 ? null : (
            <div className="filters">
              <span className="in">
                <select aria-label="Coin" value={symbol} onChange={(event) => setSymbol(event.target.value)}>
                  <option value="">All coins</option>
                  {profile.symbols.map((coin) => (
                    <option key={coin}>{coin}</option>
                  ))}
                </select>
              </span>
            </div>
          )}
          <Read of={trades} what="the trades" rows={6}>
            {({ pages }) => <Trades profile={profile} rows={pages.flatMap(({ rows }) => rows)} quote={quote} />}
          </Read>
          <Older of={trades} />
        </Section>
        <Periods profile={profile} quote={quote} />
      </div>
      <ExchangeLists profileId={profile.id} />
    </>
  );
}

function Figures({ totals, quote }: { totals: Totals; quote: string }): ReactNode {
  const { count, wins, grossProfit, grossLoss } = totals;
  return (
    <div className="figs">
      <Figure label="Win rate" note={`${wins} of ${count}`}>
        {percent(wins / count, 0)}
      </Figure>
      <Figure label="Gross profit">
        <Gain value={readDecimal(grossProfit) ?? null} unit={quote} />
      </Figure>
      <Figure label="Gross loss">
        <Gain value={readDecimal(grossLoss) ?? null} unit={quote} />
      </Figure>
    </div>
  );
}

/** Net P&L over time against buy and hold of the coins. */
function NetPnl({ profile, quote }: { profile: Profile; quote: string }): ReactNode {
  const { data } = useRead(listEquity, { params: { id: profile.id } }, { every: EQUITY_EVERY_MS });
  const points = data?.points ?? [];
  const [first, last] = [points[0], points.at(-1)];
  if (first === undefined || last === undefined || points.length < 2) return null;
  const most = Math.max(mostInvested(points), 1);
  return (
    <Section title="Net P&L" note="realised and unrealised, as a share of the maximum invested">
      <div className="key">
        <span>
          <i /> this profile
        </span>
        <span>
          <i className="d" /> Buy and hold, equal parts
        </span>
      </div>
      <EquityPlot
        balance={most}
        fromMs={Date.parse(first.at)}
        toMs={Date.parse(last.at)}
        times={points.map(({ at }) => Date.parse(at))}
        label={`Net P&L ${money(last.net, quote)} ${quote}`}
        lines={[
          { kind: 'fact', values: points.map(({ net }) => most + Number(net)) },
          { kind: 'held', values: points.map(({ holding }) => most * (1 + Number(holding ?? 0))) },
        ]}
      />
    </Section>
  );
}

interface TradesProps {
  profile: Profile;
  rows: Answer<typeof listTradeArchive>['rows'];
  quote: string;
}

function Trades({ profile, rows, quote }: TradesProps): ReactNode {
  if (rows.length === 0) return null;
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Closed</th>
            <th>Coin</th>
            <th className="num">Cost, {quote}</th>
            <th className="num">Proceeds, {quote}</th>
            <th>Exit</th>
            <th className="num">Held</th>
            <th className="num">Net P&amp;L, {quote}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ symbol, cycle, openedAt, closedAt, bought, sold, net, exitReason }) => (
            <tr key={`${symbol} ${cycle}`}>
              <td className="note">
                <When at={closedAt} />
              </td>
              <td className="rt">
                <Link to="/profiles/$id/coins/$symbol" params={{ id: profile.id, symbol }}>
                  {symbol}
                </Link>
              </td>
              <td className="num wide">{money(bought, quote)}</td>
              <td className="num wide">{money(sold, quote)}</td>
              <td>{exitReason === null ? MISSING : exitText(exitReason)}</td>
              <td className="num wide">{age(Date.parse(closedAt) - Date.parse(openedAt))}</td>
              <td className="num rt">
                <Gain value={readDecimal(net) ?? null} unit={quote} bare />
                <span className="note">{signedPercent(shareOf(net, bought))}</span>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The net P&L of a trade as a share of its cost. */
function shareOf(net: string, bought: string): number | null {
  const [made, cost] = [Number(net), Number(bought)];
  return cost > 0 ? made / cost : null;
}

const PERIODS = { day: 'Day', week: 'Week', month: 'Month' } as const;
type Period = keyof typeof PERIODS;

function Periods({ profile, quote }: { profile: Profile; quote: string }): ReactNode {
  const [period, setPeriod] = useState<Period>('day');
  const zone = useZone();
  const closed = useRead(listClosedTrades, { params: { id: profile.id }, query: { period } }, { keep: true });
  return (
    <Section title={`By ${period}`} note="your time zone" span={4}>
      <span className="seg my-2" role="group" aria-label="Period">
        {(['day', 'week', 'month'] as const).map((option) => (
          <button key={option} type="button" aria-pressed={period === option} onClick={() => setPeriod(option)}>
            {PERIODS[option]}
          </button>
        ))}
      </span>
      <Read of={closed} what="the totals">
        {({ periods }) => (
          <dl className="dl">
            {periods.slice(0, 20).map(({ from, count, net }) => (
              <div key={from} className="contents">
                <dt>
                  {from === null ? 'all' : dayMark(Date.parse(from), zone)}
                  <span className="note"> {count} closed</span>
                </dt>
                <dd>
                  <Gain value={readDecimal(net) ?? null} unit={quote} />
                </dd>
              </div>
            ))}
          </dl>
        )}
      </Read>
    </Section>
  );
}

function Files({ profile, narrow }: { profile: Profile; narrow: { symbol?: string } }): ReactNode {
  const params = { id: profile.id };
  const files = [
    { words: 'trades', href: addressOf(exportTradeArchive.path, params, narrow) },
    { words: 'fills', href: addressOf(exportFills.path, params, narrow) },
    { words: 'tax lots', href: addressOf(exportTaxLots.path, params, narrow) },
  ];
  return (
    <span>
      Export CSV:{' '}
      {files.map(({ words, href }, i) => (
        <span key={words}>
          {i === 0 ? '' : ', '}
          <a href={href} download>
            {words}
          </a>
        </span>
      ))}
    </span>
  );
}
