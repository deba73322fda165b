import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ProfileId, readId } from '#core/ids.ts';
import { coinsQuery, dashboardQuery, type Profile, profileQuery } from '#web/data/queries.ts';
import { ConfigForm } from '#web/forms/config-form.tsx';
import { AddCoin, RemoveCoin } from '#web/parts/coin-binding.tsx';
import { type CoinRow, CoinsTable } from '#web/parts/coins-table.tsx';
import { DecisionLog } from '#web/parts/decision-log.tsx';
import { ProfileSwitch } from '#web/parts/profile-switch.tsx';
import { RailKey } from '#web/parts/rail.tsx';
import { RiskPanel } from '#web/parts/risk-panel.tsx';
import { Failure, Skeleton } from '#web/parts/say.tsx';
import { Section } from '#web/parts/section.tsx';
import { coinView } from '#web/words/coin-view.ts';
import { isLive } from '#web/words/order-words.ts';

export function ProfilePage(): ReactNode {
  const params = useParams({ from: '/shell/profiles/$id' });
  const id = readId<ProfileId>(params.id);
  return id !== undefined ? <Known id={id} /> : <Unknown />;
}

function Unknown(): ReactNode {
  return (
    <div className="head">
      <h1 className="verdict">There is no such profile.</h1>
    </div>
  );
}

function Known({ id }: { id: ProfileId }): ReactNode {
  const { data: profile, error } = useQuery(profileQuery(id));
  if (profile === undefined) {
    return (
      <div className="head">
        {error === null ? <Skeleton rows={6} /> : <Failure what="The profile could not be read." error={error} />}
      </div>
    );
  }
  return (
    <>
      <title>{`${profile.name} · Tradewind`}</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/profiles">Profiles</Link>
        <span>{profile.name}</span>
      </nav>
      <div className="head">
        <h1 className="verdict">
          <b>{profile.name}</b>{' '}
          {profile.enabled
            ? `trades ${profile.symbols.length === 1 ? '1 coin' : `${profile.symbols.length} coins`}.`
            : 'is off: it makes no new decisions.'}
        </h1>
        <div className="two flex flex-wrap items-center gap-x-6 gap-y-2">
          <ProfileSwitch profile={profile} />
          <span>Strategy: {profile.strategyName}</span>
        </div>
      </div>
      <Coins profile={profile} />
      <RiskPanel profile={profile} />
      <div className="cols">
        <Section title="How it trades" note={profile.strategyName} span={6}>
          <Settings key={profile.id} profile={profile} />
        </Section>
        <Section title="What it did and why" note="newest first" span={6}>
          <DecisionLog profileId={id} />
        </Section>
      </div>
    </>
  );
}

function Coins({ profile }: { profile: Profile }): ReactNode {
  const { data, error } = useQuery(coinsQuery(profile.id));
  const { data: dashboard } = useQuery(dashboardQuery);
  const coins = data?.coins ?? [];
  const resting = new Set(
    dashboard?.orders
      .filter((order) => order.profileId === profile.id && order.purpose === 'stop' && isLive(order))
      .map(({ symbol }) => symbol),
  );
  const rows: CoinRow[] = coins.map((coin) => ({
    coin,
    profileId: profile.id,
    profileName: '',
    running: profile.enabled,
    stopped: dashboard?.killSwitch.engaged ?? false,
    stopRests: resting.has(coin.symbol),
  }));
  const held = coins.filter((coin) => coinView(coin).held).length;
  return (
    <Section title="Coins" note={data === undefined ? undefined : `${held} held, ${coins.length - held} waiting`}>
      {error === null ? null : <Failure what="The coins could not be read." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={2} height={52} /> : null}
      {rows.length === 0 ? null : (
        <>
          <CoinsTable rows={rows} extra={(coin) => <RemoveCoin profileId={profile.id} coin={coin} />} />
          <RailKey />
        </>
      )}
      <AddCoin profile={profile} />
    </Section>
  );
}

function Settings({ profile }: { profile: Profile }): ReactNode {
  const { data } = useQuery(coinsQuery(profile.id));
  const quotes = new Set(data?.coins.map((coin) => coin.quoteAsset ?? ''));
  const [quote] = quotes;
  return <ConfigForm profile={profile} quote={quotes.size === 1 ? quote : undefined} />;
}
