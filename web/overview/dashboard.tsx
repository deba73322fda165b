import { useQuery } from '@tanstack/react-query';
import { lazyRouteComponent as load, Link } from '@tanstack/react-router';
import { type ReactNode, Suspense, useEffect } from 'react';
import { add, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { blockersOf } from '#web/data/blockers.ts';
import { priceKeyOf, venuesOf } from '#web/data/frames.ts';
import { useConnection, useStaleAge } from '#web/data/live.tsx';
import { type Dashboard, dashboardQuery, statusQuery } from '#web/data/queries.ts';
import { useNow } from '#web/data/session.tsx';
import { whenIdle } from '#web/data/when-idle.ts';
import { AccountsList } from './accounts-list.tsx';
import { BlockerList } from './blocker-list.tsx';
import { type CoinRow, CoinsTable } from './coins-table.tsx';
import { Feed } from '#web/ui/feed.tsx';
import { Figure, Gain } from '#web/ui/figures.tsx';
import { StoppedNotice } from '#web/shell/kill-switch.tsx';
import { OrdersTable } from '#web/coin/orders-table.tsx';
import { RailKey } from '#web/coin/rail.tsx';
import { ResetNotice } from './reset-notice.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { EquityCurve } from './equity-curve.tsx';
import { VerdictLine } from './verdict-line.tsx';
import { moneyUnit, type AccountGroup, accountGroups } from '#web/ui/accounts.ts';
import { coinView } from '#web/coin/coin-view.ts';
import { money, percent } from '#web/ui/numbers.ts';
import { isLive, orderSummary } from '#web/coin/order-labels.ts';
import { highlights } from '#web/ui/prose.ts';
import { age } from '#web/ui/time.ts';
import { verdictOf } from './verdict.ts';

export function DashboardPage(): ReactNode {
  const { data, error } = useQuery(dashboardQuery);
  if (data === undefined) {
    return (
      <>
        <div className="head">
          <h1 className="verdict">Loading accounts…</h1>
        </div>
        {error === null ? <Skeleton rows={8} /> : <Failure what="Could not load the overview." error={error} />}
      </>
    );
  }
  return <Overview data={data} failed={error} />;
}

function Overview({ data, failed }: { data: Dashboard; failed: unknown }): ReactNode {
  const [group] = accountGroups(data);
  // Preload the page that is opened most often from here, with its chart script.
  useEffect(() => whenIdle(() => void import('#web/coin/coin.tsx')), []);
  return (
    <>
      <title>Overview · Tradewind</title>
      <Head data={data} group={group} />
      <StoppedNotice />
      <ResetNotice accounts={data.accounts} />
      {failed === null ? null : <Failure what="Update failed." error={failed} />}
      {group === undefined ? null : <Figures data={data} group={group} />}
      {group === undefined || data.profiles.length === 0 ? null : (
        <div className="cols">
          <EquityCurve data={data} group={group} />
          <div className="c4">
            <BlockerList blockers={data.blockers} />
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
        <Section title="Activity" note="newest first" span={6}>
          {data.activity.length === 0 ? (
            <p className="p-2">No activity yet. The first decision appears within seconds.</p>
          ) : (
            <Feed rows={highlights(data.activity).slice(0, 12)} named />
          )}
        </Section>
      </div>
      <AccountsList accounts={data.accounts} />
    </>
  );
}

function Head({ data, group }: { data: Dashboard; group: AccountGroup | undefined }): ReactNode {
  const { data: status, isError } = useQuery(statusQuery);
  const connection = useConnection();
  const nowMs = useNow();
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
  const walletAt = group?.accounts.map((account) => account.walletAt).find((at) => at !== null);
  const checked = [
    ...(status?.worker ? ['worker live'] : []),
    ...(walletAt == null ? [] : [`wallet updated ${age(nowMs - Date.parse(walletAt))} ago`]),
    ...(data.orders.some((order) => order.state === 'unknown') ? [] : ['every order confirmed']),
  ];
  return (
    <div className="head">
      <h1 className="verdict">
        <VerdictLine verdict={verdict} group={group} />
      </h1>
      {checked.length === 0 ? null : <p className="two">Checked: {checked.join(', ')}.</p>}
    </div>
  );
}

function Figures({ data, group }: { data: Dashboard; group: AccountGroup }): ReactNode {
  const mine = new Set(group.accounts.map((account) => account.id));
  const profiles = new Set(data.profiles.filter(({ accountId }) => mine.has(accountId)).map(({ id }) => id));
  const coins = data.coins.filter((coin) => profiles.has(coin.profileId));
  const all = coins.map(coinView).filter((view) => view.held);
  // P&L in another quote asset cannot be added.
  const held = all.filter((view) => view.quote === group.asset);
  const gain = held.reduce((sum, view) => add(sum, view.gain ?? ZERO), ZERO);
  const unpriced = held.some((view) => view.gain === null);
  const unit = <span className="unit">{moneyUnit(group.tag, group.asset)}</span>;
  const ageMs = useStaleAge();
  const noted = (note?: string): string | undefined => (ageMs === null ? note : `${age(ageMs)} old`);
  const share =
    group.free !== null && group.equity !== null && group.equity > 0n
      ? Number(group.free) / Number(group.equity)
      : null;
  return (
    <div className="figs">
      <Figure label="Total equity" note={noted(group.tag === 'LIVE' ? 'at the last prices' : 'not real money')}>
        {group.equity === null ? '–' : money(formatDecimal(group.equity), group.asset)} {unit}
      </Figure>
      <Figure label="Realised P&L today" note={noted('after all fees, since midnight')}>
        <Gain value={group.realisedToday} unit={group.asset} />
      </Figure>
      <Figure
        label="Unrealised P&L"
        note={noted(
          unpriced ? 'some have no price' : all.length > held.length ? `in ${group.asset}` : 'before exit fees',
        )}
      >
        {all.length === 0 ? <span className="two">none held</span> : <Gain value={gain} unit={group.asset} />}
      </Figure>
      <Figure label="Available" note={noted(share === null ? undefined : `${percent(share, 0)} of equity`)}>
        {group.free === null ? '–' : money(formatDecimal(group.free), group.asset)} {unit}
      </Figure>
      <Figure label="Positions" note={noted(`of ${coins.length} ${coins.length === 1 ? 'coin' : 'coins'}`)}>
        {all.length}
      </Figure>
    </div>
  );
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
    <Section title="Coins" note={`${held} held, ${rows.length - held} waiting`}>
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
  const coins = new Map(data.coins.map((coin) => [`${coin.profileId} ${coin.symbol}`, coin]));
  // A stop that moves leaves cancelled orders; the coin's page shows them.
  const listed = data.orders.filter(({ purpose, state }) => purpose !== 'stop' || state !== 'cancelled');
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
    <Section title="Orders" note={orderSummary(data.orders)} span={6}>
      {rows.length === 0 ? <p className="p-2">No orders yet.</p> : <OrdersTable rows={rows} />}
    </Section>
  );
}
