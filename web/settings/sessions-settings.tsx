import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { changePassword, deleteSession, listSessions, revokeOtherSessions } from '#api/contract/sessions.ts';
import { call } from '#web/data/call.ts';
import { TextForm } from '#web/ui/text-form.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const KEY = ['sessions'] as const;

export function PasswordSettings(): ReactNode {
  const client = useQueryClient();
  const password = { type: 'password', autoComplete: 'new-password' } as const;
  return (
    <Section title="Password" note="a change ends every other session">
      <TextForm
        fields={[
          {
            name: 'currentPassword',
            label: 'Current password',
            input: { type: 'password', autoComplete: 'current-password' },
          },
          { name: 'newPassword', label: 'New password', note: 'At least 12 characters.', input: password },
        ]}
        submit={async ({ currentPassword = '', newPassword = '' }) => {
          await call(changePassword, { body: { currentPassword, newPassword } });
          await client.invalidateQueries({ queryKey: KEY });
        }}
        action="Change the password"
        failed="Not changed."
        done="The password is changed. Every other session has ended."
      />
    </Section>
  );
}

/** The open sessions, each with a button to sign it out. */
export function SessionSettings(): ReactNode {
  const client = useQueryClient();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call(listSessions, {}, signal) });
  const ended = (): Promise<void> => client.invalidateQueries({ queryKey: KEY });
  const others = data?.sessions.filter(({ current }) => !current) ?? [];
  return (
    <Section title="Sessions" note="browsers that are signed in">
      {error === null ? null : <Failure what="Could not load the sessions." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={2} height={52} /> : null}
      <ul className="block">
        {data?.sessions.map(({ id, current, ip, userAgent, lastUsedAt }) => (
          <li key={id}>
            <span aria-hidden="true">{current ? '●' : '○'}</span>
            <span className="flex flex-wrap items-center gap-x-4">
              <span className="grow">
                {browserOf(userAgent)} {ip === 'unknown' ? 'on this network' : `from ${ip}`}
                <span className="note block">
                  {current ? 'this browser' : 'last used'} <When at={lastUsedAt} />
                </span>
              </span>
              {current ? null : (
                <Confirm
                  small
                  words="Sign out"
                  label={`Sign out ${browserOf(userAgent)}`}
                  title={`Sign out ${browserOf(userAgent)}?`}
                  action={`Sign out ${browserOf(userAgent)}`}
                  failed="Not signed out."
                  run={async () => {
                    await call(deleteSession, { params: { id } });
                    await ended();
                  }}
                >
                  That browser has no access until you sign in there again.
                </Confirm>
              )}
            </span>
          </li>
        ))}
      </ul>
      {others.length < 2 ? null : (
        <div className="actions">
          <Confirm
            words="Sign out all others"
            title={`Sign out ${others.length} other sessions?`}
            action={`Sign out ${others.length} sessions`}
            failed="Not signed out."
            run={async () => {
              await call(revokeOtherSessions, {});
              await ended();
            }}
          >
            Only this browser stays signed in.
          </Confirm>
        </div>
      )}
    </Section>
  );
}

/** The browser name in a user agent. */
function browserOf(userAgent: string): string {
  const names = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ] as const;
  return names.find(([mark]) => userAgent.includes(mark))?.[1] ?? (userAgent.split(' ')[0] || 'API client');
}
