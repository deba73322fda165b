import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { blockersOf } from '#web/data/blockers.ts';
import { priceKeyOf, venuesOf } from '#web/data/frames.ts';
import { coinsQuery, dashboardQuery, type Profile } from '#web/data/queries.ts';
import { AddCoin, RemoveCoin } from '#web/coin/coin-binding.tsx';
import { type CoinRow, CoinsTable } from '#web/overview/coins-table.tsx';
import { DecisionLog } from '#web/coin/decision-log.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { ProfileSwitch } from './profile-switch.tsx';
import { RailKey } from '#web/coin/rail.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { coinView } from '#web/coin/coin-view.ts';
import { isLive } from '#web/coin/order-labels.ts';

export function ProfilePage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id' });
  return (
    <ProfileFrame id={id}>
      {(profile) => (
        <>
          <div className="head">
            <h1 className="verdict">
              <b>{profile.name}</b>{' '}
              {profile.enabled
                ? `trades ${profile.symbols.length === 1 ? '1 coin' : `${profile.symbols.length} coins`}.`
                : 'is paused.'}
            </h1>
            <div className="two flex flex-wrap items-center gap-x-6 gap-y-2">
              <ProfileSwitch profile={profile} />
              <span>
                Strategy: <StrategyName name={profile.strategyName} />
              </span>
            </div>
          </div>
          <Coins profile={profile} />
          <Section title="Activity" note="newest first">
            <DecisionLog profileId={profile.id} />
          </Section>
        </>
      )}
    </ProfileFrame>
  );
}

function Coins({ profile }: { profile: Profile }): ReactNode {
  const { data, error } = useQuery(coinsQuery(profile.id));
  const { data: dashboard } = useQuery(dashboardQuery);
  const coins = data?.coins ?? [];
  const live = dashboard?.orders.filter((order) => order.profileId === profile.id && isLive(order)) ?? [];
  const resting = new Set(live.filter(({ purpose }) => purpose === 'stop').map(({ symbol }) => symbol));
  const venue = venuesOf(dashboard).get(profile.id);
  const rows: CoinRow[] = coins.map((coin) => ({
    coin,
    profileId: profile.id,
    profileName: '',
    running: profile.enabled,
    blocker: dashboard === undefined ? null : (blockersOf(dashboard, { profileId: profile.id, ...coin })[0] ?? null),
    stopRests: resting.has(coin.symbol),
    priceKey: priceKeyOf(coin, profile.enabled, venue),
  }));
  const held = coins.filter((coin) => coinView(coin).held).length;
  return (
    <Section title="Coins" note={data === undefined ? undefined : `${held} held, ${coins.length - held} waiting`}>
      {error === null ? null : <Failure what="Could not load the coins." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={2} height={52} /> : null}
      {rows.length === 0 ? null : (
        <>
          <CoinsTable
            rows={rows}
            extra={(coin) => (
              <RemoveCoin profile={profile} coin={coin} orders={live.filter(({ symbol }) => symbol === coin.symbol)} />
            )}
          />
          <RailKey />
        </>
      )}
      <AddCoin profile={profile} />
    </Section>
  );
}
