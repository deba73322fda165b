import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect } from 'react';
import { add, formatDecimal, ZERO } from '#core/amount/decimal.ts';
import { useConnection } from '#web/data/live.tsx';
import { type Dashboard, dashboardQuery, statusQuery } from '#web/data/queries.ts';
import { useNow } from '#web/data/session.tsx';
import { whenIdle } from '#web/data/when-idle.ts';
import { AccountsList } from './accounts-list.tsx';
import { type CoinRow, CoinsTable } from './coins-table.tsx';
import { Feed } from '#web/ui/feed.tsx';
import { Figure, Gain } from '#web/ui/figures.tsx';
import { StoppedNotice } from '#web/shell/kill-switch.tsx';
import { OrdersTable } from '#web/coin/orders-table.tsx';
import { RailKey } from '#web/coin/rail.tsx';
import { ResetNotice } from './reset-notice.tsx';
import { Failure, Say, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Prose } from '#web/ui/when.tsx';
import { WorthCurve } from './worth-curve.tsx';
import { VerdictLine } from './verdict-line.tsx';
import { moneyUnit, type Purse, pursesOf } from '#web/ui/accounts.ts';
import { coinView } from '#web/coin/coin-view.ts';
import { money, percent } from '#web/ui/numbers.ts';
import { isLive, orderSummary } from '#web/coin/order-words.ts';
import { highlights } from '#web/ui/prose.ts';
import { age } from '#web/ui/time.ts';
import { verdictOf } from './verdict.ts';

export function DashboardPage(): ReactNode {
  const { data, error } = useQuery(dashboardQuery);
  if (data === undefined) {
    return (
      <>
        <div className="head">
          <h1 className="verdict">Reading your accounts…</h1>
        </div>
        {error === null ? <Skeleton rows={8} /> : <Failure what="The overview could not be read." error={error} />}
      </>
    );
  }
  return <Overview data={data} failed={error} />;
}

function Overview({ data, failed }: { data: Dashboard; failed: unknown }): ReactNode {
  const [purse] = pursesOf(data);
  // The page that is opened from here most often, with the script of its chart.
  useEffect(() => whenIdle(() => void import('#web/coin/coin.tsx')), []);
  return (
    <>
      <title>Overview · Tradewind</title>
      <Head data={data} purse={purse} />
      <StoppedNotice />
      <ResetNotice accounts={data.accounts} />
      {failed === null ? null : <Failure what="Could not be brought up to date." error={failed} />}
      {purse === undefined ? null : <Figures data={data} purse={purse} />}
      {purse === undefined || data.profiles.length === 0 ? null : (
        <div className="cols">
          <WorthCurve data={data} purse={purse} />
          <HoldsBack data={data} />
        </div>
      )}
      {data.unwatched.map(({ profileId, profileName, symbol, quantity }) => (
        <Say key={profileId + symbol} tone="care" title={`Nothing guards ${quantity} of ${symbol}.`}>
          {profileName} holds it and does not have the coin any more. Add the coin again, or sell it at the exchange.
        </Say>
      ))}
      {data.profiles.length === 0 ? <FirstProfile /> : <Coins data={data} />}
      <div className="cols">
        <Orders data={data} />
        <Section title="What it did and why" note="newest first" span={6}>
          {data.activity.length === 0 ? (
            <p className="p-2">Nothing yet. The first decision appears here as a sentence with its numbers.</p>
          ) : (
            <Feed rows={highlights(data.activity).slice(0, 12)} named />
          )}
        </Section>
      </div>
      <AccountsList accounts={data.accounts} />
    </>
  );
}

function Head({ data, purse }: { data: Dashboard; purse: Purse | undefined }): ReactNode {
  const { data: status, isError } = useQuery(statusQuery);
  const socket = useConnection();
  const nowMs = useNow();
  const verdict = verdictOf({ dashboard: data, purse, status, statusFailed: isError, socket, nowMs });
  const walletAt = purse?.accounts.map((account) => account.walletAt).find((at) => at !== null);
  const checked = [
    ...(status?.worker ? ['worker live'] : []),
    ...(walletAt == null ? [] : [`wallet read ${age(nowMs - Date.parse(walletAt))} ago`]),
    ...(data.orders.some((order) => order.state === 'unknown') ? [] : ['every order answered']),
  ];
  return (
    <div className="head">
      <h1 className="verdict">
        <VerdictLine verdict={verdict} purse={purse} />
      </h1>
      {checked.length === 0 ? null : <p className="two">Checked: {checked.join(', ')}.</p>}
    </div>
  );
}

function Figures({ data, purse }: { data: Dashboard; purse: Purse }): ReactNode {
  const mine = new Set(purse.accounts.map((account) => account.id));
  const profiles = new Set(data.profiles.filter(({ accountId }) => mine.has(accountId)).map(({ id }) => id));
  const coins = data.coins.filter((coin) => profiles.has(coin.profileId));
  const all = coins.map(coinView).filter((view) => view.held);
  // Gains of coins that are quoted in another asset can not be added.
  const held = all.filter((view) => view.quote === purse.asset);
  const gain = held.reduce((sum, view) => add(sum, view.gain ?? ZERO), ZERO);
  const unpriced = held.some((view) => view.gain === null);
  const unit = <span className="unit">{moneyUnit(purse.tag, purse.asset)}</span>;
  const share =
    purse.free !== null && purse.equity !== null && purse.equity > 0n
      ? Number(purse.free) / Number(purse.equity)
      : null;
  return (
    <div className="figs">
      <Figure label="Worth of everything" note={purse.tag === 'LIVE' ? 'at the last prices' : 'not real money'}>
        {purse.equity === null ? '–' : money(formatDecimal(purse.equity), purse.asset)} {unit}
      </Figure>
      <Figure label="Realised P&L today" note="after all fees, since midnight">
        <Gain value={purse.realisedToday} unit={purse.asset} />
      </Figure>
      <Figure
        label="Unrealised P&L"
        note={
          unpriced ? 'some have no price' : all.length > held.length ? `of those in ${purse.asset}` : 'before exit fees'
        }
      >
        {all.length === 0 ? <span className="two">none held</span> : <Gain value={gain} unit={purse.asset} />}
      </Figure>
      <Figure label="Free to buy" note={share === null ? undefined : `${percent(share, 0)} of the worth`}>
        {purse.free === null ? '–' : money(formatDecimal(purse.free), purse.asset)} {unit}
      </Figure>
      <Figure label="Open positions" note={`of ${coins.length} ${coins.length === 1 ? 'coin' : 'coins'}`}>
        {all.length}
      </Figure>
    </div>
  );
}

/** What keeps coins from being bought, in the words of their last decision. */
function HoldsBack({ data }: { data: Dashboard }): ReactNode {
  const blocked = data.coins.filter((coin) => coin.enabled && (coin.blockers.length > 0 || coinView(coin).blocked));
  const off = data.profiles.filter(({ enabled }) => !enabled);
  const count = blocked.length + off.length;
  return (
    <Section title="What holds it back" note={count === 0 ? undefined : count} span={4}>
      {count === 0 ? <p className="p-2">Nothing: what is not bought waits for its strategy alone.</p> : null}
      <ul className="block">
        {blocked.slice(0, 5).map((coin) => (
          <li key={`${coin.profileId} ${coin.symbol}`}>
            <span className="care">
              <Icon name="warn" />
            </span>
            <span>
              <Link to="/profiles/$id/coins/$symbol" params={{ id: coin.profileId, symbol: coin.symbol }}>
                <b>{coin.baseAsset ?? coin.symbol}</b>
              </Link>{' '}
              <Prose text={coin.blockers[0]?.sentence ?? coin.state?.decision.sentence ?? ''} />
            </span>
          </li>
        ))}
        {off.slice(0, 5).map(({ id, name }) => (
          <li key={id}>
            <Icon name="minus" />
            <span>
              <Link to="/profiles/$id" params={{ id }}>
                <b>{name}</b>
              </Link>{' '}
              is off: it makes no new decisions.
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}

function FirstProfile(): ReactNode {
  return (
    <Section title="Coins">
      <p className="p-2">A profile says how to trade and on which coins. Without one nothing is bought or sold.</p>
      <div className="actions">
        <Link to="/welcome" className="btn go">
          Set up the first profile
        </Link>
      </div>
    </Section>
  );
}

function Coins({ data }: { data: Dashboard }): ReactNode {
  const rests = new Set(
    data.orders
      .filter((order) => order.purpose === 'stop' && isLive(order))
      .map((order) => `${order.profileId} ${order.symbol}`),
  );
  const rows: CoinRow[] = data.coins.map((coin) => ({
    coin,
    profileId: coin.profileId,
    profileName: coin.profileName,
    running: coin.enabled,
    stopped: data.killSwitch.engaged,
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
  // A stop that moves leaves its earlier orders behind; the page of the coin shows them.
  const told = data.orders.filter(({ purpose, state }) => purpose !== 'stop' || state !== 'cancelled');
  const rows = told.slice(0, 12).map((order) => {
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
      {rows.length === 0 ? (
        <p className="p-2">No orders yet. The table above says what would cause the next one.</p>
      ) : (
        <OrdersTable rows={rows} />
      )}
    </Section>
  );
}
