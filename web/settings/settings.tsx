import { Link } from '@tanstack/react-router';
import { type ReactNode, useId } from 'react';
import { changeSettings, signOut } from '#api/contract/session.ts';
import { call } from '#web/data/call.ts';
import type { Session } from '#web/data/answers.ts';
import { useDemo, useEnter, useNow, useSession } from '#web/data/session.tsx';
import { zoneGroups } from '#web/data/zones.ts';
import { useAct, useRun } from '#web/data/read.ts';
import { AccountSettings } from './accounts-settings.tsx';
import { AiProviderSettings } from './ai-provider-settings.tsx';
import { BackupSettings } from './backup-settings.tsx';
import { ChatSettings } from './chat-settings.tsx';
import { HealthSettings } from './health-settings.tsx';
import { RetentionSettings } from './retention-settings.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { PasswordSettings, SessionSettings } from './sessions-settings.tsx';
import { setTheme, useTheme } from '#web/ui/theme-switch.tsx';
import { full } from '#web/ui/time.ts';

export function SettingsPage(): ReactNode {
  const { data: session } = useSession({ enabled: true });
  const demo = useDemo();
  return (
    <>
      <title>Settings · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Settings</h1>
        {session == null ? null : <p className="two">Signed in as {session.user.email}.</p>}
      </div>
      <div className="cols">
        <div className="c6">
          <Section title="Display">
            {session == null ? null : <Timezone session={session} />}
            <ThemeChoice />
          </Section>
          {demo ? null : (
            <>
              <Section title="Notifications">
                <p className="p-2">
                  <Link to="/notifications">Channels, events and price alerts</Link>
                </p>
              </Section>
              <Section title="API tokens">
                <p className="p-2">
                  <Link to="/tokens">Programs and assistants that may use the API</Link>
                </p>
              </Section>
              <ChatSettings />
              <BackupSettings />
              <PasswordSettings />
              <SessionSettings />
              <Section title="Sign out">
                <SignOut />
              </Section>
            </>
          )}
        </div>
        <div className="c6">
          {demo ? null : (
            <>
              <AccountSettings />
              <AiProviderSettings />
            </>
          )}
          <HealthSettings />
          <RetentionSettings />
        </div>
      </div>
    </>
  );
}

function Timezone({ session }: { session: Session }): ReactNode {
  const id = useId();
  const now = useNow();
  const save = useAct(changeSettings);
  const { timezone } = session.user;
  return (
    <div className="field">
      <label htmlFor={id}>Time zone</label>
      <span className="note">For all times and the start of a day. Now {full(now, timezone)}.</span>
      <span className="in">
        <select
          id={id}
          value={timezone}
          disabled={save.isPending}
          onChange={(event) => save.mutate({ body: { timezone: event.target.value } })}
        >
          {zoneGroups(timezone).map(({ region, zones }) => (
            <optgroup key={region} label={region}>
              {zones.map((zone) => (
                <option key={zone}>{zone}</option>
              ))}
            </optgroup>
          ))}
        </select>
      </span>
      <Failure what="Not saved." error={save.error} />
    </div>
  );
}

function ThemeChoice(): ReactNode {
  const theme = useTheme();
  return (
    <div className="field">
      <span>Theme</span>
      <span className="note">Kept on this device.</span>
      <span className="in border-0">
        <span className="seg" role="group" aria-label="Theme">
          {(['dark', 'light'] as const).map((option) => (
            <button key={option} type="button" aria-pressed={theme === option} onClick={() => setTheme(option)}>
              {option === 'dark' ? 'Dark' : 'Light'}
            </button>
          ))}
        </span>
      </span>
    </div>
  );
}

function SignOut(): ReactNode {
  const enter = useEnter();
  const leave = useRun(async () => {
    await call(signOut, {});
    enter(null);
  });
  return (
    <>
      <p className="two p-2">Trading continues after you sign out.</p>
      <Failure what="Still signed in." error={leave.error} />
      <div className="actions">
        <button type="button" className="btn" disabled={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </button>
      </div>
    </>
  );
}
