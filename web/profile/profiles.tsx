import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listProfiles } from '#api/contract/profiles.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { readDashboard } from '#api/contract/records.ts';
import type { Account, Coin, Profile } from '#web/data/answers.ts';
import { useRead } from '#web/data/read.ts';
import { AccountTag, Gain } from '#web/ui/figures.tsx';
import { ProfileSwitch } from './profile-switch.tsx';
import { ImportProfile } from './import-profile.tsx';
import { profilePnl } from './profile-pnl.ts';
import { moneyPlaces } from '#core/amount/money-places.ts';
import { count, MISSING, signed } from '#web/ui/numbers.ts';
import { Section } from '#web/ui/section.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { Read } from '#web/ui/read.tsx';

export function ProfilesPage(): ReactNode {
  const all = useRead(listProfiles, {});
  const profiles = all.data?.profiles ?? [];
  const running = profiles.filter(({ enabled }) => enabled).length;
  return (
    <>
      <title>Profiles · Tradewind</title>
      <div className="head">
        <h1 className="verdict">
          {all.data === undefined
            ? 'Profiles'
            : profiles.length === 0
              ? 'No profiles yet.'
              : `${count(running, 'profile')} running.`}
        </h1>
        <p className="two">A profile is one strategy with its coins on one account.</p>
      </div>
      <Section title="Profiles">
        <Read of={all} what="the profiles" rows={3} height={52}>
          {() => (profiles.length === 0 ? null : <Table profiles={profiles} />)}
        </Read>
        <div className="actions">
          <Link to="/profiles/new" className={profiles.length === 0 ? 'btn go' : 'btn'}>
            {profiles.length === 0 ? 'Create your first profile' : 'Add a profile'}
          </Link>
        </div>
      </Section>
      <ImportProfile />
    </>
  );
}

function Table({ profiles }: { profiles: readonly Profile[] }): ReactNode {
  const { data: held } = useRead(listAccounts, {});
  const { data: dashboard } = useRead(readDashboard, {}, { enabled: false });
  const coins = Map.groupBy(dashboard?.coins ?? [], ({ profileId }) => profileId);
  const accounts = new Map(held?.accounts.map((account) => [account.id, account]));
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Profile</th>
            <th>Account</th>
            <th>Coins</th>
            <th
              className="num"
              title="Of its present coins, after all fees paid, before the exit fees of open positions"
            >
              P&amp;L
            </th>
            <th>State</th>
          </tr>
        </thead>
        <tbody>
          {profiles.map((profile) => {
            const account = accounts.get(profile.accountId);
            return (
              <tr key={profile.id}>
                <td>
                  <Link to="/profiles/$id" params={{ id: profile.id }}>
                    <b>{profile.name}</b>
                  </Link>
                  <span className="note">
                    <StrategyName name={profile.strategyName} />
                  </span>
                </td>
                <td className="rt">
                  {account?.name} {account === undefined ? null : <AccountTag tag={tagOf(account)} />}
                </td>
                <td>{profile.symbols.length === 0 ? 'none' : profile.symbols.join(', ')}</td>
                <td className="num rt" data-l="P&L">
                  <Pnl coins={coins.get(profile.id) ?? []} account={account} />
                </td>
                <td className="full">
                  <ProfileSwitch profile={profile} />
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** Realised and unrealised P&L together, one amount for each quote asset. */
function Pnl({ coins, account }: { coins: readonly Coin[]; account: Account | undefined }): ReactNode {
  const amounts = profilePnl(coins);
  if (amounts.length === 0) return <span className="two">{MISSING}</span>;
  return amounts.map(({ quote, total, realised }) => (
    <div key={quote}>
      <Gain value={total} unit={quote} bare />{' '}
      <span className="unit">{account === undefined ? quote : moneyUnit(tagOf(account), quote)}</span>
      <span className="note">
        {total === null ? 'without a price, ' : ''}realised {signed(realised, moneyPlaces(quote))}
      </span>
    </div>
  ));
}
