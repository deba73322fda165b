import type { ReactNode } from 'react';
import { changeOpsNotify, readOpsNotify, testOpsNotify } from '#api/contract/notifiers.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Switch } from '#web/ui/field.tsx';
import { opsLabel } from '#web/shell/notices.ts';
import { count } from '#web/ui/numbers.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';

/** Switches of the messages about accounts and the installation, sent to every notifier of every profile. */
export function OpsNotifySettings(): ReactNode {
  const switches = useRead(readOpsNotify, {});
  const change = useAct(changeOpsNotify);
  return (
    <Section title="System notifications" note="sent to every channel">
      <Read of={switches} what="the switches">
        {(data) => (
          <div className="grid gap-2 p-2">
            {Object.entries(data).map(([name, on]) => (
              <Switch
                key={name}
                {...opsLabel(name)}
                on={on}
                disabled={change.isPending}
                onChange={(wanted) => change.mutate({ body: { [name]: wanted } })}
              />
            ))}
          </div>
        )}
      </Read>
      <Failure what="Not changed." error={change.error} />
      <TestMessage />
    </Section>
  );
}

function TestMessage(): ReactNode {
  const { data } = useRead(listProfiles, {});
  const names = new Map(data?.profiles.map(({ id, name }) => [id, name]));
  const test = useAct(testOpsNotify);
  const sent = test.data?.deliveries ?? [];
  const failed = sent.filter(({ ok }) => !ok);
  return (
    <>
      <div className="actions">
        <button type="button" className="btn" disabled={test.isPending} onClick={() => test.mutate({})}>
          Send a test message
        </button>
      </div>
      <Failure what="Not sent." error={test.error} />
      {test.isSuccess && sent.length === 0 ? (
        <Notice tone="care" title="No channel is set up.">
          No profile has an enabled notifier. Set one up under Notifications of a profile.
        </Notice>
      ) : null}
      {sent.length > failed.length ? (
        <Notice tone="next">{count(sent.length - failed.length, 'message')} arrived.</Notice>
      ) : null}
      {failed.map(({ profileId, provider, detail }) => (
        <Notice
          key={`${profileId} ${provider}`}
          tone="care"
          title={`${provider} of ${names.get(profileId) ?? 'a profile'}:`}
        >
          {detail ?? 'no reason given'}
        </Notice>
      ))}
    </>
  );
}
