import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import { deleteNotifier, listNotifiers, saveNotifier, testNotifier } from '#api/contract/notifiers.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { Switch } from '#web/ui/field.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { wordsOf } from '#web/ui/names.ts';

type Listed = Answer<typeof listNotifiers>;
type Notifier = Listed['notifiers'][number];

const keyOf = (id: ProfileId) => ['notifiers', id] as const;

export function NotificationsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/notifications' });
  const demo = useDemo();
  return (
    <ProfileFrame id={id} part="Notifications">
      {(profile) => (demo ? <p className="head">The live demo sends no messages.</p> : <All id={profile.id} />)}
    </ProfileFrame>
  );
}

function All({ id }: { id: ProfileId }): ReactNode {
  const { data, error } = useQuery({
    queryKey: keyOf(id),
    queryFn: ({ signal }) => call(listNotifiers, { params: { id } }, signal),
  });
  const on = data?.notifiers.filter(({ configured }) => configured?.enabled) ?? [];
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {data === undefined
            ? 'Notifications'
            : on.length === 0
              ? 'No notifications are set up.'
              : `Messages go to ${on.map(({ title }) => title).join(', ')}.`}
        </h1>
        <p className="two">Messages about this profile, and about its account and the installation.</p>
      </div>
      {error === null ? null : <Failure what="Could not load the notifiers." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={5} height={52} /> : null}
      <div className="cols">
        {data?.notifiers.map((notifier) => (
          <NotifierSection key={notifier.provider} id={id} notifier={notifier} events={data.events} />
        ))}
      </div>
    </>
  );
}

interface NotifierProps {
  id: ProfileId;
  notifier: Notifier;
  events: Listed['events'];
}

function NotifierSection({ id, notifier, events }: NotifierProps): ReactNode {
  const { provider, title, configured } = notifier;
  const client = useQueryClient();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: keyOf(id) });
  const params = { id, provider };
  const attempt = useMutation({ mutationFn: () => call(testNotifier, { params }) });
  return (
    <Section title={title} note={configured === null ? 'not set up' : configured.enabled ? 'on' : 'off'} span={6}>
      {configured === null ? null : (
        <div className="actions">
          <button type="button" className="btn" disabled={attempt.isPending} onClick={() => attempt.mutate()}>
            Send a test message
          </button>
          <Confirm
            words="Remove"
            title={`Remove ${title}?`}
            action={`Remove ${title}`}
            failed="Not removed."
            run={async () => {
              await call(deleteNotifier, { params });
              await refresh();
            }}
          >
            Its secrets are deleted and it receives no more messages.
          </Confirm>
          {attempt.isError ? <Failure what="Not sent." error={attempt.error} /> : null}
          {attempt.data === undefined ? null : (
            <Notice tone={attempt.data.ok ? 'next' : 'care'} title={attempt.data.ok ? 'Sent.' : 'Rejected.'}>
              {attempt.data.detail}
            </Notice>
          )}
        </div>
      )}
      <details>
        <summary className="px-2">{configured === null ? `Set up ${title}` : 'Change'}</summary>
        <Setup id={id} notifier={notifier} events={events} onSaved={refresh} />
      </details>
    </Section>
  );
}

function Setup({ id, notifier, events, onSaved }: NotifierProps & { onSaved: () => Promise<void> }): ReactNode {
  const { provider, title, configured, settingsSchema, secretNames } = notifier;
  const properties = isObject(settingsSchema['properties']) ? settingsSchema['properties'] : {};
  const [selected, setSelected] = useState<ReadonlySet<string>>(
    () => new Set(configured?.rules.events ?? events.filter(({ usual }) => usual).map(({ event }) => event)),
  );
  const settings = Object.entries(properties).map(([name, schema]) => ({
    name,
    label: isObject(schema) && typeof schema['title'] === 'string' ? schema['title'] : wordsOf(name),
    note: isObject(schema) && typeof schema['description'] === 'string' ? schema['description'] : undefined,
    input: { required: false },
  }));
  const secrets = secretNames.map((name) => ({
    name,
    label: wordsOf(name),
    note:
      configured?.secrets[name] === true ? 'Stored. Empty leaves it as it is.' : 'Kept unencrypted in the database.',
    input: { type: 'password', autoComplete: 'off', required: false },
  }));
  const quiet = configured?.rules.quietHours;
  const hours = (['from', 'to'] as const).map((name) => ({
    name: `quiet-${name}`,
    label: name === 'from' ? 'Quiet hours from' : 'Quiet hours until',
    note:
      name === 'from'
        ? 'Such as 22:30. Messages wait until quiet hours end, urgent ones do not. Empty: none.'
        : undefined,
    input: { required: false },
  }));
  return (
    <TextForm
      first={{ ...configured?.settings, 'quiet-from': quiet?.from ?? '', 'quiet-to': quiet?.to ?? '' }}
      fields={[...settings, ...secrets, ...hours]}
      submit={async (values) => {
        const pick = (names: readonly string[]): Record<string, string> =>
          Object.fromEntries(names.flatMap((name) => (values[name] ? [[name, values[name]]] : [])));
        const [from = '', to = ''] = [values['quiet-from'], values['quiet-to']];
        const rules = { events: [...selected], quietHours: from === '' && to === '' ? null : { from, to } };
        const body = { settings: pick(Object.keys(properties)), secrets: pick(secretNames), rules };
        await call(saveNotifier, { params: { id, provider }, body });
        await onSaved();
      }}
      action={`Save ${title}`}
      failed="Not saved."
      done="Saved."
    >
      <fieldset className="p-2">
        <legend className="note">Events</legend>
        {events.map(({ event, words }) => (
          <div key={event} className="py-1">
            <Switch
              label={words}
              on={selected.has(event)}
              onChange={() => setSelected(selected.symmetricDifference(new Set([event])))}
            />
          </div>
        ))}
      </fieldset>
      {configured === null ? null : (
        <p className="note p-2">
          <Icon name="ok" /> Saving enables it.
        </p>
      )}
    </TextForm>
  );
}
