import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { readDashboard } from '#api/contract/records.ts';
import { listCoins } from '#api/contract/profiles.ts';
import { blockersOf } from '#web/data/blockers.ts';
import { priceKeyOf, venuesOf } from '#web/data/frames.ts';
import type { Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { AddCoin, RemoveCoin } from '#web/coin/coin-binding.tsx';
import { type CoinRow, CoinsTable } from '#web/overview/coins-table.tsx';
import { DecisionLog } from '#web/coin/decision-log.tsx';
import { NewVersion } from '#web/strategies/new-version.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { ProfileSwitch } from './profile-switch.tsx';
import { RailKey } from '#web/coin/rail.tsx';
import { Section } from '#web/ui/section.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { coinView } from '#web/coin/coin-view.ts';
import { isLive } from '#web/coin/order-labels.ts';
import { Read } from '#web/ui/read.tsx';

/** Waiting and holding are rows of level debug. */
const WITHOUT_WAITING = { level: 'info,warn,error' };

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
            <div className="two flex flex-wrap items-center gap-x-4">
              <ProfileSwitch profile={profile} />
              <span>
                Strategy: <StrategyName name={profile.strategyName} />
              </span>
            </div>
          </div>
          <NewVersion profile={profile} />
          <Coins profile={profile} />
          <Section title="Activity" note="by trade, newest first; decisions to wait are under Logs">
            <DecisionLog profileId={profile.id} filters={WITHOUT_WAITING} size={50} grouped />
          </Section>
        </>
      )}
    </ProfileFrame>
  );
}

function Coins({ profile }: { profile: Profile }): ReactNode {
  const held = useRead(listCoins, { params: { id: profile.id } });
  const { data: dashboard } = useRead(readDashboard, {});
  const coins = held.data?.coins ?? [];
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
  const positions = coins.filter((coin) => coinView(coin).held).length;
  const counts = `${positions} held, ${coins.length - positions} waiting`;
  return (
    <Section title="Coins" note={held.data === undefined ? undefined : counts}>
      <Read of={held} what="the coins" rows={profile.symbols.length} height={52}>
        {() =>
          rows.length === 0 ? null : (
            <>
              <CoinsTable
                rows={rows}
                extra={(coin) => (
                  <RemoveCoin
                    profile={profile}
                    coin={coin}
                    orders={live.filter(({ symbol }) => symbol === coin.symbol)}
                  />
                )}
              />
              <RailKey />
            </>
          )
        }
      </Read>
      <AddCoin profile={profile} />
    </Section>
  );
}
