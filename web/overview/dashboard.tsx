import { lazyRouteComponent as load, Link } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import type { AccountId, ProfileId } from '#core/ids.ts';
import { readDashboard } from '#api/contract/records.ts';
import { blockersOf } from '#web/data/blockers.ts';
import { priceKeyOf, venuesOf } from '#web/data/frames.ts';
import { useConnection } from '#web/data/live.tsx';
import type { Dashboard } from '#web/data/answers.ts';
import { useStatus } from '#web/data/session.tsx';
import { whenIdle } from '#web/data/when-idle.ts';
import { useRead } from '#web/data/read.ts';
import { AccountsList } from './accounts-list.tsx';
import { BlockerList } from './blocker-list.tsx';
import { type CoinRow, CoinsTable } from './coins-table.tsx';
import { StoppedNotice } from '#web/shell/kill-switch.tsx';
import { OrdersTable } from '#web/coin/orders-table.tsx';
import { Figures } from './figures.tsx';
import { Limits } from './limits.tsx';
import { NextSteps } from './next-steps.tsx';
import { Trades } from './trades.tsx';
import { RailKey } from '#web/coin/rail.tsx';
import { ResetNotice } from './reset-notice.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { EquityCurve } from './equity-curve.tsx';
import { VerdictLine } from './verdict-line.tsx';
import { type AccountGroup, accountGroups } from '#web/ui/accounts.ts';
import { coinView } from '#web/coin/coin-view.ts';
import { isLive, orderSummary } from '#web/coin/order-labels.ts';
import { verdictOf } from './verdict.ts';
import { Read } from '#web/ui/read.tsx';

export function DashboardPage(): ReactNode {
  const dashboard = useRead(readDashboard, {});
  return (
    <Read of={dashboard} what="the overview" title="Overview" rows={8}>
      {(data) => <Overview data={data} />}
    </Read>
  );
}

function Overview({ data }: { data: Dashboard }): ReactNode {
  const [group] = accountGroups(data);
  // Preload the page that is opened most often from here, with its chart script.
  useEffect(() => whenIdle(() => void import('#web/coin/coin.tsx')), []);
  return (
    <>
      <title>Overview · Tradewind</title>
      <Head data={data} group={group} />
      <StoppedNotice />
      <ResetNotice accounts={data.accounts} />
      {group === undefined ? null : <Figures group={group} />}
      {group === undefined || data.profiles.length === 0 ? null : (
        <div className="cols">
          <EquityCurve data={data} group={group} />
          <div className="c4">
            <BlockerList blockers={data.blockers} />
            <Limits accounts={group.accounts} profileId={data.profiles[0]?.id} />
            <NextSteps data={data} />
          </div>
        </div>
      )}
      {data.unwatched.map(({ profileId, profileName, symbol, quantity }) => (
        <Notice key={profileId + symbol} tone="care" title={`Unmanaged: ${quantity} of ${symbol}.`}>
          {profileName} holds it, but the coin was removed from the profile. Add the coin again, or sell it on the
          exchange.
        </Notice>
      ))}
      {data.profiles.length === 0 ? <FirstProfile accounts={data.accounts} /> : <Coins data={data} />}
      <div className="cols">
        <Orders data={data} />
        <Trades data={data} />
      </div>
      <AccountsList accounts={data.accounts} />
    </>
  );
}

function Head({ data, group }: { data: Dashboard; group: AccountGroup | undefined }): ReactNode {
  const { isError } = useStatus();
  const connection = useConnection();
  const verdict = verdictOf({ dashboard: data, group, failed: isError, connection });
  if (connection.stream === 'lost')
    return (
      <div className="head">
        <h1 className="verdict">
          <VerdictLine verdict={verdict} group={group} />
        </h1>
        <p className="two">
          This page no longer knows whether the worker trades. Open orders stay on the exchange. The values below are
          old.
        </p>
      </div>
    );
  return (
    <div className="head">
      <h1 className="verdict">
        <VerdictLine verdict={verdict} group={group} />
      </h1>
      <p className="two">{group === undefined ? null : summaryOf(data, group)}</p>
    </div>
  );
}

/** The positions and their stops in a sentence. */
function summaryOf({ blockers, profiles }: Dashboard, { tag, positions, stops }: AccountGroup): string {
  const money = tag === 'LIVE' ? '' : tag === 'PAPER' ? 'Paper money. ' : 'Test money. ';
  const running = profiles.filter(({ enabled }) => enabled).length;
  if (running === 0) return `${money}No coin is traded.`;
  const coins = `${money}Trading ${blockers.coins} ${blockers.coins === 1 ? 'coin' : 'coins'}.`;
  if (positions === 0) return `${coins} No position is open.`;
  const all =
    stops.kept < positions
      ? `${stops.kept} of ${positions} positions have a stop`
      : positions === 1
        ? 'The position has a stop'
        : `All ${positions} positions have a stop`;
  return `${coins} ${all}, ${stops.onExchange} on the exchange.`;
}

/** Needed only on an empty overview. */
const ReplayTour = load(() => import('#web/ui/replay-tour.tsx'), 'ReplayTour');

function FirstProfile({ accounts }: Pick<Dashboard, 'accounts'>): ReactNode {
  const paper = accounts.find(({ endpoint }) => endpoint === 'paper');
  return (
    <Section title="Coins">
      <p className="p-2">A profile holds a strategy, its settings and its coins.</p>
      <div className="actions">
        <Link to="/profiles/new" className="btn go">
          Create your first profile
        </Link>
      </div>
      {paper === undefined ? null : (
        <Suspense fallback={null}>
          <ReplayTour accountId={paper.id} />
        </Suspense>
      )}
    </Section>
  );
}

function Coins({ data }: { data: Dashboard }): ReactNode {
  const rests = new Set(
    data.orders
      .filter((order) => order.purpose === 'stop' && isLive(order))
      .map((order) => `${order.profileId} ${order.symbol}`),
  );
  const venues = venuesOf(data);
  const rows: CoinRow[] = data.coins.map((coin) => ({
    coin,
    priceKey: priceKeyOf(coin, coin.enabled, venues.get(coin.profileId)),
    profileId: coin.profileId,
    profileName: coin.profileName,
    running: coin.enabled,
    blocker: blockersOf(data, coin)[0] ?? null,
    stopRests: rests.has(`${coin.profileId} ${coin.symbol}`),
  }));
  const held = rows.filter(({ coin }) => coinView(coin).held).length;
  return (
    <Section
      title="Positions and coins"
      note={`${held} ${held === 1 ? 'position' : 'positions'}, ${rows.length - held} waiting`}
    >
      {rows.length === 0 ? (
        <p className="p-2">
          No profile has a coin yet. Add one on the page of a <Link to="/profiles">profile</Link>.
        </p>
      ) : (
        <>
          <CoinsTable rows={rows} />
          <RailKey />
        </>
      )}
    </Section>
  );
}

function Orders({ data }: { data: Dashboard }): ReactNode {
  const accounts = new Map(data.profiles.map(({ id, accountId }) => [id, accountId]));
  const accountOf = (profileId: ProfileId): AccountId | undefined => accounts.get(profileId);
  const coins = new Map(data.coins.map((coin) => [`${coin.profileId} ${coin.symbol}`, coin]));
  const listed = data.orders.filter(isLive);
  const rows = listed.slice(0, 12).map((order) => {
    const coin = coins.get(`${order.profileId} ${order.symbol}`);
    return {
      order,
      profileId: order.profileId,
      tickSize: coin?.tickSize ?? null,
      stepSize: coin?.stepSize ?? null,
      base: coin?.baseAsset ?? order.symbol,
    };
  });
  return (
    <Section title="Open orders" note={listed.length === 0 ? undefined : orderSummary(listed)} span={6}>
      {rows.length === 0 ? <p className="p-2">No open orders.</p> : <OrdersTable rows={rows} accountOf={accountOf} />}
    </Section>
  );
}
