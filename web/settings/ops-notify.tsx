import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { changeOpsNotify, readOpsNotify, testOpsNotify } from '#api/contract/notifiers.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { profilesQuery } from '#web/data/queries.ts';
import { Switch } from '#web/ui/field.tsx';
import { opsLabel } from '#web/shell/notices.ts';
import { count } from '#web/ui/numbers.ts';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';

type Switches = Answer<typeof readOpsNotify>;
const KEY = ['ops-notify'] as const;

/** Switches of the messages about accounts and the installation, sent to every notifier of every profile. */
export function OpsNotifySettings(): ReactNode {
  const client = useQueryClient();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call(readOpsNotify, {}, signal) });
  const change = useMutation({
    mutationFn: (body: Partial<Switches>) => call(changeOpsNotify, { body }),
    onSuccess: (saved) => client.setQueryData(KEY, saved),
  });
  return (
    <Section title="System notifications" note="sent to every channel">
      {error === null ? null : <Failure what="Could not load the switches." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={3} /> : null}
      <div className="grid gap-2 p-2">
        {Object.entries(data ?? {}).map(([name, on]) => (
          <Switch
            key={name}
            {...opsLabel(name)}
            on={on}
            disabled={change.isPending}
            onChange={(wanted) => change.mutate({ [name]: wanted })}
          />
        ))}
      </div>
      {change.isError ? <Failure what="Not changed." error={change.error} /> : null}
      <TestMessage />
    </Section>
  );
}

function TestMessage(): ReactNode {
  const { data } = useQuery(profilesQuery);
  const names = new Map(data?.profiles.map(({ id, name }) => [id, name]));
  const test = useMutation({ mutationFn: () => call(testOpsNotify, {}) });
  const sent = test.data?.deliveries ?? [];
  const failed = sent.filter(({ ok }) => !ok);
  return (
    <>
      <div className="actions">
        <button type="button" className="btn" disabled={test.isPending} onClick={() => test.mutate()}>
          Send a test message
        </button>
      </div>
      {test.isError ? <Failure what="Not sent." error={test.error} /> : null}
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
