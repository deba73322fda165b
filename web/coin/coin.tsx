import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useState } from 'react';
import { absolute, formatDecimal } from '#core/amount/decimal.ts';
import { type ProfileId, readId } from '#core/ids.ts';
import { readCoinDay } from '#api/contract/overview.ts';
import { readCoin, readProfile } from '#api/contract/profiles.ts';
import { readKillSwitch } from '#api/contract/halts.ts';
import type { Coin, CoinPage as CoinAnswer, Profile } from '#web/data/answers.ts';
import { useDemo } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import type { TradeSpan } from '#web/chart/chart-data.ts';
import type { ChartRange } from '#web/chart/chart-view.ts';
import { CoinChart } from './coin-chart.tsx';
import { ManualActions } from './manual-actions.tsx';
import { CaptureSwitch } from './capture-switch.tsx';
import { Blockers } from './blockers.tsx';
import { CoinPause } from './coin-pause.tsx';
import { CoinPosition } from './coin-position.tsx';
import { CoinTicks } from './coin-ticks.tsx';
import { DecisionLog } from './decision-log.tsx';
import { EntryPrice } from './entry-price.tsx';
import { Result as Change } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { OrderTicket } from './order-ticket.tsx';
import { OrdersTable } from './orders-table.tsx';
import { Section } from '#web/ui/section.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { Timeline } from './timeline.tsx';
import { Prose } from '#web/ui/when.tsx';
import { coinView, distanceText, roundsToZero } from './coin-view.ts';
import { money, price, quantity, signedPercent } from '#web/ui/numbers.ts';
import { isLive, orderSummary } from './order-labels.ts';
import { orderResults } from './order-results.ts';
import { Read } from '#web/ui/read.tsx';

export function CoinPage(): ReactNode {
  const params = useParams({ from: '/shell/profiles/$id/coins/$symbol' });
  const id = readId<ProfileId>(params.id);
  return id !== undefined ? (
    <Known key={params.symbol} id={id} symbol={params.symbol} />
  ) : (
    <p className="head">Profile not found.</p>
  );
}

function Known({ id, symbol }: { id: ProfileId; symbol: string }): ReactNode {
  const coin = useRead(readCoin, { params: { id, symbol } }, { every: POLL_MS });
  const profile = useRead(readProfile, { params: { id } });
  const { data, refetch } = coin;
  const isUnlisted = data !== undefined && data.coin.quoteAsset === null;
  // Frames bring prices, but no listing, and each of them starts the wait of the poll again.
  useEffect(() => {
    if (!isUnlisted) return undefined;
    const timer = setInterval(() => void refetch(), UNLISTED_MS);
    return () => clearInterval(timer);
  }, [isUnlisted, refetch]);
  return (
    <Read of={coin} what="the coin" title={symbol} rows={10}>
      {(answer) => (
        <Read of={profile} what="the profile" title={symbol} rows={10}>
          {(known) => <Page answer={answer} profile={known} />}
        </Read>
      )}
    </Read>
  );
}

const POLL_MS = 15_000;
/** Until the worker has stored the listing of the coin. */
const UNLISTED_MS = 2_000;
const SIDES = [
  { side: 'buy', words: 'Buy' },
  { side: 'sell', words: 'Sell' },
] as const;
const TABS = [
  { tab: undefined, words: 'Trade' },
  { tab: 'logs', words: 'Logs' },
] as const;

function Page({ answer, profile }: { answer: CoinAnswer; profile: Profile }): ReactNode {
  const { tab } = useSearch({ from: '/shell/profiles/$id/coins/$symbol' });
  const demo = useDemo();
  const { coin } = answer;
  return (
    <>
      <title>{`${coin.symbol} ${price(coin.price, coin.tickSize)} · Tradewind`}</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/profiles/$id" params={{ id: profile.id }}>
          {profile.name}
        </Link>
        <span>{coin.symbol}</span>
      </nav>
      <Head coin={coin} profile={profile} />
      <nav className="places mb-4" aria-label="About this coin">
        {TABS.map(({ tab: target, words }) => (
          <Link
            key={words}
            to="/profiles/$id/coins/$symbol"
            params={{ id: profile.id, symbol: coin.symbol }}
            search={target === undefined ? {} : { tab: target }}
            activeOptions={{ exact: true, includeSearch: true }}
          >
            {words}
          </Link>
        ))}
        <Link to="/profiles/$id/config" params={{ id: profile.id }} search={{ coin: coin.symbol }}>
          Settings
        </Link>
        {demo ? null : (
          <Link to="/profiles/$id/diagnosis" params={{ id: profile.id }} search={{ coin: coin.symbol }}>
            Why is it not trading?
          </Link>
        )}
      </nav>
      {tab === 'logs' ? <LogsTab coin={coin} profile={profile} /> : <TradeTab answer={answer} profile={profile} />}
    </>
  );
}

function TradeTab({ answer, profile }: { answer: CoinAnswer; profile: Profile }): ReactNode {
  const { coin, orders, fills } = answer;
  const results = orderResults(orders, fills);
  const [range, setRange] = useState<ChartRange | undefined>(undefined);
  const [trade, setTrade] = useState<TradeSpan | undefined>(undefined);
  const [momentMs, setMomentMs] = useState<number | undefined>(undefined);
  const stopRests = orders.some((order) => order.purpose === 'stop' && isLive(order));
  const rows = orders.map((order) => ({
    order,
    profileId: profile.id,
    tickSize: coin.tickSize,
    stepSize: coin.stepSize,
    base: coin.baseAsset ?? coin.symbol,
    result: results.get(order.id),
  }));
  const chart = { profile, coin, stopRests, trade, onTrade: setTrade, momentMs, onRange: setRange };
  return (
    <>
      <div className="cols trade-cols">
        <div className="c9">
          <CoinChart {...chart} />
          <Timeline profileId={profile.id} symbol={coin.symbol} range={range} onMoment={setMomentMs} />
        </div>
        <div className="c3">
          <OrderTicket accountId={profile.accountId} profileId={profile.id} coin={coin} />
          <CoinPosition profileId={profile.id} coin={coin} stopRests={stopRests} />
          <Section title="Manual actions">
            <ManualActions accountId={profile.accountId} profileId={profile.id} coin={coin} />
            <CoinPause profileId={profile.id} coin={coin} />
          </Section>
        </div>
        <Section title="Orders" note={orderSummary(orders)} span={9}>
          {rows.length === 0 ? (
            <p className="p-2">No orders yet.</p>
          ) : (
            <OrdersTable rows={rows} quote={coin.quoteAsset ?? ''} accountId={profile.accountId} />
          )}
        </Section>
      </div>
      <nav className="trade-bar" aria-label="Order ticket">
        {SIDES.map(({ side, words }) => (
          <Link
            key={side}
            className="btn"
            to="/profiles/$id/coins/$symbol"
            params={{ id: profile.id, symbol: coin.symbol }}
            hash={side}
            resetScroll={false}
          >
            {words}
          </Link>
        ))}
      </nav>
    </>
  );
}

function LogsTab({ coin, profile }: { coin: Coin; profile: Profile }): ReactNode {
  return (
    <div className="cols">
      <Section title="Log" note="newest first; repeated decisions are grouped" span={7}>
        <CaptureSwitch profileId={profile.id} />
        <DecisionLog profileId={profile.id} filters={{ symbol: coin.symbol }} />
        <details className="p-2">
          <summary>Advanced options</summary>
          <EntryPrice profileId={profile.id} coin={coin} />
        </details>
      </Section>
      <CoinTicks profileId={profile.id} symbol={coin.symbol} />
    </div>
  );
}

function Head({ coin, profile }: { coin: Coin; profile: Profile }): ReactNode {
  const view = coinView(coin);
  return (
    <div className="head">
      <h1 className="verdict">
        <b>{view.base}</b> <Result coin={coin} /> <Plan coin={coin} enabled={profile.enabled} />
      </h1>
      <p className="two">
        Price {price(coin.price, coin.tickSize)} {view.quote}
        <DayChange profileId={profile.id} symbol={coin.symbol} />. <StrategyName name={profile.strategyName} /> in{' '}
        <Link to="/profiles/$id" params={{ id: profile.id }}>
          {profile.name}
        </Link>
        .
      </p>
      {coin.state === null ? null : (
        <p className={view.blocked ? 'care' : 'two'}>
          {view.blocked ? <Icon name="warn" /> : null} <Prose text={coin.state.decision.sentence} />
        </p>
      )}
      <Blockers profileId={profile.id} symbol={coin.symbol} />
    </div>
  );
}

/** `, −3.43 % in 24 h`; nothing without the day. */
function DayChange({ profileId, symbol }: { profileId: ProfileId; symbol: string }): ReactNode {
  const { data } = useRead(readCoinDay, { params: { id: profileId, symbol } });
  if (data?.change == null) return null;
  return (
    <span className="nb">
      , <Change value={data.change} places={2} /> in 24 h
    </span>
  );
}

/** The second half of the headline: the next action, or its blocker. */
function Plan({ coin, enabled }: { coin: Coin; enabled: boolean }): ReactNode {
  const { data: halt } = useRead(readKillSwitch, {});
  const { next, held, base } = coinView(coin);
  if (!enabled) return 'The profile is paused.';
  if (halt?.engaged && !held) return 'Buying is stopped.';
  if (next === null)
    return coin.state === null ? 'Waiting for the first decision.' : held ? 'No exit planned.' : 'No buy planned.';
  return (
    <>
      It {next.verb.charAt(0).toLowerCase() + next.verb.slice(1)}
      {next.verb === 'Sells all' ? (
        <span className="nb">
          {' '}
          {quantity(coin.position.quantity, coin.stepSize)} {base}
        </span>
      ) : null}{' '}
      at <span className="intent nb">{price(next.level, coin.tickSize)}</span> or {next.side}
      {distanceText(next)}.
    </>
  );
}

function Result({ coin }: { coin: Coin }): ReactNode {
  const { held, gain, gainShare, quote } = coinView(coin);
  if (!held) return 'is not held.';
  if (gain === null) return 'is held.';
  if (roundsToZero(gain, quote)) return 'is at its average price.';
  const text = money(formatDecimal(absolute(gain)), quote);
  const up = gain > 0n;
  return (
    <>
      is {up ? 'up' : 'down'}{' '}
      <span className={`${up ? 'gain' : 'loss'} nb`}>
        <Icon name={up ? 'up' : 'dn'} /> {text} {quote}
      </span>{' '}
      <span className="nb">({signedPercent(gainShare)})</span>.
    </>
  );
}
