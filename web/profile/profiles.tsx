import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { accountsQuery, profilesQuery } from '#web/data/queries.ts';
import { AccountTag } from '#web/ui/figures.tsx';
import { ProfileSwitch } from './profile-switch.tsx';
import { ImportProfile } from './import-profile.tsx';
import { count } from '#web/ui/numbers.ts';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { StrategyName } from '#web/ui/strategy-name.tsx';
import { tagOf } from '#web/ui/accounts.ts';

export function ProfilesPage(): ReactNode {
  const { data, error } = useQuery(profilesQuery);
  const { data: held } = useQuery(accountsQuery);
  const accounts = new Map(held?.accounts.map((account) => [account.id, account]));
  const profiles = data?.profiles ?? [];
  const running = profiles.filter(({ enabled }) => enabled).length;
  return (
    <>
      <title>Profiles · Tradewind</title>
      <div className="head">
        <h1 className="verdict">
          {data === undefined
            ? 'Profiles'
            : profiles.length === 0
              ? 'No profiles yet.'
              : `${count(running, 'profile')} running.`}
        </h1>
        <p className="two">A profile is one strategy with its coins on one account.</p>
      </div>
      <Section title="Profiles">
        {error === null ? null : <Failure what="Could not load the profiles." error={error} />}
        {data === undefined && error === null ? <Skeleton rows={3} height={52} /> : null}
        {profiles.length === 0 ? null : (
          <div className="tw">
            <table className="cards">
              <thead>
                <tr>
                  <th>Profile</th>
                  <th>Account</th>
                  <th>Coins</th>
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
                      <td className="rt">
                        <ProfileSwitch profile={profile} />
                      </td>
                    </tr>
                  );
                })}
              </tbody>
            </table>
          </div>
        )}
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
