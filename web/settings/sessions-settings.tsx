import type { ReactNode } from 'react';
import { changePassword, deleteSession, listSessions, revokeOtherSessions } from '#api/contract/sessions.ts';
import { call } from '#web/data/call.ts';
import { useRead } from '#web/data/read.ts';
import { TextForm } from '#web/ui/text-form.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

export function PasswordSettings(): ReactNode {
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
        submit={({ currentPassword = '', newPassword = '' }) =>
          call(changePassword, { body: { currentPassword, newPassword } })
        }
        action="Change the password"
        failed="Not changed."
        done="The password is changed. Every other session has ended."
      />
    </Section>
  );
}

/** The open sessions, each with a button to sign it out. */
export function SessionSettings(): ReactNode {
  const sessions = useRead(listSessions, {});
  const others = sessions.data?.sessions.filter(({ current }) => !current) ?? [];
  return (
    <Section title="Sessions" note="browsers that are signed in">
      <Read of={sessions} what="the sessions" rows={1} height={52}>
        {(data) => (
          <ul className="block">
            {data.sessions.map(({ id, current, ip, userAgent, lastUsedAt }) => (
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
                      run={() => call(deleteSession, { params: { id } })}
                    >
                      That browser has no access until you sign in there again.
                    </Confirm>
                  )}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Read>
      {others.length < 2 ? null : (
        <div className="actions">
          <Confirm
            words="Sign out all others"
            title={`Sign out ${others.length} other sessions?`}
            action={`Sign out ${others.length} sessions`}
            failed="Not signed out."
            run={() => call(revokeOtherSessions, {})}
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
