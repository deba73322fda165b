import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { changeDiscovery, readDiscovery } from '#api/contract/discovery.ts';
import type { Answer } from '#api/contract/operation.ts';
import { bindCoin } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { coinsQuery, dashboardQuery, type Profile } from '#web/data/queries.ts';
import { DiscoveryForm } from './discovery-form.tsx';
import { Switch } from '#web/ui/field.tsx';
import { RemoveCoin } from '#web/coin/coin-binding.tsx';
import { DiscoveryRounds } from './discovery-rounds.tsx';
import { MarketTrend, Ratings } from './ratings.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { isLive } from '#web/coin/order-labels.ts';

type Found = Answer<typeof readDiscovery>;

const keyOf = (id: string) => ['discovery', id] as const;

export function DiscoveryPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/discovery' });
  return (
    <ResearchFrame id={id} part="Find coins">
      {(profile) => (
        <>
          <Discovery profile={profile} />
          <Ratings profile={profile} />
        </>
      )}
    </ResearchFrame>
  );
}

function Discovery({ profile }: { profile: Profile }): ReactNode {
  const { id } = profile;
  const client = useQueryClient();
  const { data, error } = useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => call(readDiscovery, { params: { id } }, signal),
    refetchInterval: 30_000,
  });
  const change = useMutation({
    mutationFn: (enabled: boolean) => call(changeDiscovery, { params: { id }, body: { enabled } }),
    onSuccess: (saved) => client.setQueryData(keyOf(id), saved),
  });
  const proposed = data?.proposals.filter(({ kind }) => kind === 'add').length ?? 0;
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {proposed > 0
            ? `${proposed} ${proposed === 1 ? 'coin is' : 'coins are'} proposed for ${profile.name}.`
            : `Find coins for ${profile.name}`}
        </h1>
        <p className="two">The search proposes coins in a trend, with the reason. Only you add or remove a coin.</p>
        <MarketTrend accountId={profile.accountId} />
      </div>
      {error === null ? null : <Failure what="Could not load the search." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={6} /> : null}
      {data === undefined ? null : (
        <div className="cols">
          <div className="c7">
            <Proposals profile={profile} found={data} />
            <Kept found={data} />
          </div>
          <Section title="Search" note={<Health found={data} />} span={5}>
            <div className="p-2">
              <Switch
                label="Search for coins"
                note="The search buys nothing."
                on={data.config.enabled}
                disabled={change.isPending}
                onChange={(on) => change.mutate(on)}
              />
            </div>
            {change.isError ? <Failure what="Not changed." error={change.error} /> : null}
            <details className="px-2">
              <summary>Criteria</summary>
              <DiscoveryForm
                key={JSON.stringify(data.config)}
                profileId={id}
                config={data.config}
                onSaved={(saved) => client.setQueryData(keyOf(id), saved)}
              />
            </details>
            <DiscoveryRounds profileId={id} />
          </Section>
        </div>
      )}
    </>
  );
}

function Health({ found: { health, slots } }: { found: Found }): ReactNode {
  return (
    <>
      {slots.used} of {slots.most} coins used
      {health.lastCycleAt === null ? null : (
        <>
          , last search <When at={health.lastCycleAt} />
        </>
      )}
    </>
  );
}

interface ProposalsProps {
  profile: Profile;
  found: Found;
}

function Proposals({ profile, found: { proposals, health } }: ProposalsProps): ReactNode {
  const { data: held } = useQuery(coinsQuery(profile.id));
  const { data: dashboard } = useQuery(dashboardQuery);
  const live = dashboard?.orders.filter((order) => order.profileId === profile.id && isLive(order)) ?? [];
  return (
    <Section title="Proposals" note="with the reason; nothing changes automatically">
      {['failing', 'stale', 'blocked'].includes(health.state) ? (
        <Notice tone="care">
          <Prose text={health.sentence} />
        </Notice>
      ) : null}
      {proposals.length === 0 ? (
        <p className="p-2">
          {health.state === 'off'
            ? 'The search is off. Switch it on to get proposals.'
            : health.state === 'waiting'
              ? 'The first search starts soon.'
              : 'No proposals. The next search starts automatically.'}
        </p>
      ) : null}
      <ul className="block">
        {proposals.map(({ symbol, kind, sentence }) => {
          const coin = held?.coins.find((candidate) => candidate.symbol === symbol);
          return (
            <li key={`${kind} ${symbol}`}>
              <span />
              <div>
                <b>{symbol}</b> <span className="two">{kind === 'add' ? 'could be added' : 'could be removed'}</span>
                <span className="note block">
                  <Prose text={sentence} />
                </span>
                <div className="pt-2">
                  {kind === 'add' ? <Add profile={profile} symbol={symbol} /> : null}
                  {kind === 'remove' && coin !== undefined ? (
                    <RemoveCoin
                      profile={profile}
                      coin={coin}
                      orders={live.filter((order) => order.symbol === symbol)}
                    />
                  ) : null}
                </div>
              </div>
            </li>
          );
        })}
      </ul>
    </Section>
  );
}

function Add({ profile, symbol }: { profile: Profile; symbol: string }): ReactNode {
  const client = useQueryClient();
  const { id } = profile;
  const bind = useMutation({
    mutationFn: () => call(bindCoin, { params: { id }, body: { symbol } }),
    onSuccess: () =>
      Promise.all(
        [['coins', id], ['profile', id], ['profiles'], ['dashboard'], keyOf(id)].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
  return (
    <>
      <button type="button" className="btn small" disabled={bind.isPending} onClick={() => bind.mutate()}>
        Add {symbol} to {profile.name}
      </button>
      {bind.isError ? <Failure what="Not added." error={bind.error} /> : null}
      {bind.data?.warnings.map((warning) => (
        <Notice key={warning.code} tone="care" title={`Added, but ${warning.message}:`}>
          {warning.detail}
        </Notice>
      ))}
    </>
  );
}

/** The coins of the profile in the last search. */
function Kept({ found: { coins } }: { found: Found }): ReactNode {
  if (coins.length === 0) return null;
  return (
    <Section title="Coins of the profile" note="in the last search">
      <ul className="block">
        {coins.map(({ symbol, sentence, boundAt }) => (
          <li key={symbol}>
            <span />
            <div>
              <b>{symbol}</b>
              <span className="note block">
                <Prose text={sentence} /> Added <When at={boundAt} />.
              </span>
            </div>
          </li>
        ))}
      </ul>
    </Section>
  );
}
