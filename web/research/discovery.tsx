import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { DISCOVERY_FORM } from '#api/contract/forms.ts';
import type { Answer } from '#api/contract/operation.ts';
import { readDashboard } from '#api/contract/records.ts';
import { bindCoin, listCoins } from '#api/contract/profiles.ts';
import { changeDiscovery, readDiscovery } from '#api/contract/discovery.ts';
import type { Profile } from '#web/data/answers.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { sendForm } from '#web/data/call.ts';
import { ConfigForm, plainScope } from '#web/config/config-form.tsx';
import { Switch } from '#web/ui/field.tsx';
import { RemoveCoin } from '#web/coin/coin-binding.tsx';
import { DiscoveryRounds } from './discovery-rounds.tsx';
import { MarketTrend, Ratings } from './ratings.tsx';
import { ResearchFrame } from './research-frame.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { isLive } from '#web/coin/order-labels.ts';
import { Read } from '#web/ui/read.tsx';

type Found = Answer<typeof readDiscovery>;

const POLL_MS = 30_000;

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
  const search = useRead(readDiscovery, { params: { id } }, { every: POLL_MS });
  const change = useAct(changeDiscovery);
  const proposed = search.data?.proposals.filter(({ kind }) => kind === 'add').length ?? 0;
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
      <Read of={search} what="the search" rows={6}>
        {(data) => (
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
                  onChange={(enabled) => change.mutate({ params: { id }, body: { enabled } })}
                />
              </div>
              <Failure what="Not changed." error={change.error} />
              <details className="px-2">
                <summary>Criteria</summary>
                <ConfigForm
                  scope={plainScope({
                    schema: DISCOVERY_FORM,
                    values: data.config,
                    quote: data.config.quoteAsset,
                    save: (changed) => sendForm(changeDiscovery, { id }, changed),
                  })}
                  action="Save criteria"
                  used="The next search uses it."
                />
              </details>
              <DiscoveryRounds profileId={id} />
            </Section>
          </div>
        )}
      </Read>
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
  const { data: held } = useRead(listCoins, { params: { id: profile.id } });
  const { data: dashboard } = useRead(readDashboard, {});
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
  const { id } = profile;
  const bind = useAct(bindCoin);
  return (
    <>
      <button
        type="button"
        className="btn small"
        disabled={bind.isPending}
        onClick={() => bind.mutate({ params: { id }, body: { symbol } })}
      >
        Add {symbol} to {profile.name}
      </button>
      <Failure what="Not added." error={bind.error} />
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
