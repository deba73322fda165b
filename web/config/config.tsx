import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useState } from 'react';
import { mergePatch } from '#core/merge.ts';
import { changeCoin, changeProfile, lintProfile, listCoins, listStrategies } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import type { Coin, Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { ConfigForm, type ConfigScope, type Remarks, withProposed } from './config-form.tsx';
import { ConfigHistory } from './config-history.tsx';
import { DryRunNotice, TryWithoutOrders } from './try-without-orders.tsx';
import { EntryPrice } from '#web/coin/entry-price.tsx';
import { ProfileFrame } from '#web/profile/profile-frame.tsx';
import { count } from '#web/ui/numbers.ts';
import { Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { WhatIf } from '#web/preview/what-if.tsx';
import { Read } from '#web/ui/read.tsx';

export function ConfigPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/config' });
  const { coin, edit, field } = useSearch({ from: '/shell/profiles/$id/config' });
  return (
    <ProfileFrame id={id} part="Settings">
      {(profile) => <Settings profile={profile} symbol={coin} proposed={edit} target={field} />}
    </ProfileFrame>
  );
}

interface SettingsProps {
  profile: Profile;
  symbol: string | undefined;
  /** Values to start an edit with, as pairs of path and value in JSON. */
  proposed: string | undefined;
  /** The path of the setting that the address names. */
  target: string | undefined;
}

function Settings({ profile, symbol, proposed, target }: SettingsProps): ReactNode {
  const strategies = useRead(listStrategies, {});
  const held = useRead(listCoins, { params: { id: profile.id } });
  const strategy = strategies.data?.strategies.find(({ name }) => name === profile.strategyName);
  const coins = held.data?.coins ?? [];
  const coin = coins.find((candidate) => candidate.symbol === symbol);
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {coin === undefined
            ? `${profile.name} trades ${count(profile.symbols.length, 'coin')} with ${strategy?.title ?? profile.strategyName}.`
            : `${coin.symbol} ${isOverridden(coin) ? 'has its own settings' : 'uses the settings of the profile'}.`}
        </h1>
        <p className="two">
          {strategy === undefined ? profile.strategyName : `${strategy.title}: ${strategy.summary}`}
          {profile.symbols.length === 0 ? '' : ` On ${profile.symbols.join(', ')}.`}
        </p>
      </div>
      <DryRunNotice profile={profile} />
      <Scopes profile={profile} coins={coins} symbol={coin?.symbol} />
      <Read of={strategies} what="the settings" rows={8} height={52}>
        {() =>
          strategy === undefined ? (
            <Notice tone="care" title="Unknown strategy.">
              This version has no strategy named {profile.strategyName}.
            </Notice>
          ) : (
            <Read of={held} what="the coins" rows={8} height={52}>
              {() => (
                <Editor
                  key={`${coin?.symbol ?? ''} ${proposed ?? ''}`}
                  {...{ profile, coins, coin, strategy, proposed, target }}
                />
              )}
            </Read>
          )
        }
      </Read>
    </>
  );
}

const isOverridden = (coin: Coin): boolean => Object.keys(coin.overrideConfig).length > 0;

/** Selects the settings to edit: those of the profile, or the overrides of one coin. */
function Scopes({ profile, coins, symbol }: { profile: Profile; coins: readonly Coin[]; symbol: string | undefined }) {
  return (
    <nav className="places mb-4" aria-label="Settings of">
      <Link
        to="/profiles/$id/config"
        params={{ id: profile.id }}
        search={{}}
        activeOptions={{ exact: true }}
        aria-current={symbol === undefined}
      >
        All coins
      </Link>
      {coins.map((coin) => (
        <Link
          key={coin.symbol}
          to="/profiles/$id/config"
          params={{ id: profile.id }}
          search={{ coin: coin.symbol }}
          aria-current={coin.symbol === symbol}
        >
          {coin.symbol}
          {isOverridden(coin) ? <span className="intent"> differs</span> : null}
        </Link>
      ))}
    </nav>
  );
}

interface EditorProps {
  profile: Profile;
  coins: readonly Coin[];
  coin: Coin | undefined;
  strategy: { schema: Record<string, unknown>; defaults: Record<string, unknown> };
  proposed: string | undefined;
  target: string | undefined;
}

function Editor({ profile, coins, coin, strategy, proposed, target }: EditorProps): ReactNode {
  const scope = scopeOf({ profile, coins, coin, strategy });
  const saved = mergePatch(scope.base, scope.own);
  const first = proposed === undefined ? undefined : withProposed(scope, proposed);
  const [edit, setEdit] = useState<Record<string, unknown>>(mergePatch(scope.base, first ?? scope.own));
  const remarks = useRemarks(profile, edit);
  const actionOf = (config: Record<string, unknown>, dirty: boolean): ReactNode => (
    <TryWithoutOrders profile={profile} config={config} dirty={dirty} />
  );
  return (
    <div className="cols">
      <div className="c6">
        <ConfigForm
          {...{ scope, remarks, first, target }}
          onEdit={setEdit}
          {...(coin === undefined ? { actionOf } : {})}
        />
        {coin === undefined ? <ConfigHistory profile={profile} /> : null}
      </div>
      <div className="c6 beside">
        <WhatIf profile={profile} coins={coin === undefined ? coins : [coin]} saved={saved} edit={edit} />
        {coin === undefined ? null : (
          <Section title="Cost basis" note="of coins already held">
            <EntryPrice profileId={profile.id} coin={coin} />
          </Section>
        )}
      </div>
    </div>
  );
}

/** Remarks of the service about an edit before it is saved: errors, and settings without effect. */
function useRemarks(profile: Profile, edit: Record<string, unknown>): Remarks {
  const config = useDeferredValue(edit);
  const { data } = useRead(lintProfile, { params: { id: profile.id }, body: { config } }, { keep: true });
  return data === undefined ? [] : [...data.errors, ...data.findings];
}

function scopeOf({ profile, coins, coin, strategy }: Omit<EditorProps, 'proposed' | 'target'>): ConfigScope {
  const { id } = profile;
  const quotes = new Set(coins.map(({ quoteAsset }) => quoteAsset ?? ''));
  const [quote] = quotes;
  const common = { schema: strategy.schema, quote: coin?.quoteAsset ?? (quotes.size === 1 ? quote : undefined) };
  if (coin === undefined) {
    return {
      ...common,
      own: profile.config,
      base: strategy.defaults,
      source: 'strategy',
      save: async (config) => (await call(changeProfile, { params: { id }, body: { config } })).warnings,
    };
  }
  return {
    ...common,
    own: coin.overrideConfig,
    base: mergePatch(strategy.defaults, profile.config),
    source: 'profile',
    save: async (overrideConfig) => {
      const params = { id, symbol: coin.symbol };
      return (await call(changeCoin, { params, body: { overrideConfig } })).warnings;
    },
  };
}
