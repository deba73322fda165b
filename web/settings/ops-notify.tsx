import type { ReactNode } from 'react';
import { changeOpsNotify, listNotifiers, readOpsNotify, testOpsNotify } from '#api/contract/notifiers.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { useAct, useRead, useReads } from '#web/data/read.ts';
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
  const ofProfiles = useReads(
    listNotifiers,
    (data?.profiles ?? []).map(({ id }) => ({ params: { id } })),
  ).data;
  const hasChannel = ofProfiles?.some(({ notifiers }) => notifiers.some(({ configured }) => configured?.enabled));
  const test = useAct(testOpsNotify);
  const sent = test.data?.deliveries ?? [];
  const failed = sent.filter(({ ok }) => !ok);
  return (
    <>
      <div className="actions">
        <button
          type="button"
          className="btn"
          disabled={test.isPending || hasChannel !== true}
          onClick={() => test.mutate({})}
        >
          Send a test message
        </button>
        {hasChannel === false ? (
          <span className="note">
            No channel is set up. This tests the channels of profiles; each channel of the account has its own test.
          </span>
        ) : null}
      </div>
      <Failure what="Not sent." error={test.error} />
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
