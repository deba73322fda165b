import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { Answer } from '#api/contract/operation.ts';
import { deleteNotifier, listNotifiers, saveNotifier, testNotifier } from '#api/contract/notifiers.ts';
import { call, sendForm } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { useAct, useRead } from '#web/data/read.ts';
import { ConfigForm } from './config-form.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { ProfileFrame } from '#web/profile/profile-frame.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';

type Listed = Answer<typeof listNotifiers>;
type Notifier = Listed['notifiers'][number];

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
  const all = useRead(listNotifiers, { params: { id } });
  const on = all.data?.notifiers.filter(({ configured }) => configured?.enabled) ?? [];
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {all.data === undefined
            ? 'Notifications'
            : on.length === 0
              ? 'No notifications are set up.'
              : `Messages go to ${on.map(({ title }) => title).join(', ')}.`}
        </h1>
        <p className="two">Messages about this profile, and about its account and the installation.</p>
      </div>
      <Read of={all} what="the notifiers" rows={5} height={52}>
        {({ notifiers, events }) => (
          <div className="cols">
            {notifiers.map((notifier) => (
              <NotifierSection key={notifier.provider} id={id} notifier={notifier} events={events} />
            ))}
          </div>
        )}
      </Read>
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
  const params = { id, provider };
  const attempt = useAct(testNotifier);
  return (
    <Section title={title} note={configured === null ? 'not set up' : configured.enabled ? 'on' : 'off'} span={6}>
      {configured === null ? null : (
        <div className="actions">
          <button type="button" className="btn" disabled={attempt.isPending} onClick={() => attempt.mutate({ params })}>
            Send a test message
          </button>
          <Confirm
            words="Remove"
            title={`Remove ${title}?`}
            action={`Remove ${title}`}
            failed="Not removed."
            run={() => call(deleteNotifier, { params })}
          >
            Its secrets are deleted and it receives no more messages.
          </Confirm>
          <Failure what="Not sent." error={attempt.error} />
          {attempt.data === undefined ? null : (
            <Notice tone={attempt.data.ok ? 'next' : 'care'} title={attempt.data.ok ? 'Sent.' : 'Rejected.'}>
              {attempt.data.detail}
            </Notice>
          )}
        </div>
      )}
      <details>
        <summary className="px-2">{configured === null ? `Set up ${title}` : 'Change'}</summary>
        <Setup id={id} notifier={notifier} events={events} />
      </details>
    </Section>
  );
}

function Setup({ id, notifier, events }: NotifierProps): ReactNode {
  const { provider, title, configured } = notifier;
  const selected = configured?.rules.events ?? events.filter(({ usual }) => usual).map(({ event }) => event);
  const own = {
    settings: configured?.settings ?? {},
    quietHours: configured?.rules.quietHours ?? {},
    events: Object.fromEntries(events.map(({ event }) => [event, selected.includes(event)])),
  };
  return (
    <ConfigForm
      scope={{
        ...{ schema: schemaOf({ notifier, events }), own, base: {}, source: undefined, quote: undefined },
        save: async (edited) => {
          await sendForm(saveNotifier, { id, provider }, bodyOf(edited));
          return [];
        },
      }}
      action={`Save ${title}`}
      used="Saving enables it."
      savable={configured === null}
    />
  );
}

/** The settings of a notifier, its secrets, quiet hours and events as one schema. */
function schemaOf({ notifier, events }: Pick<NotifierProps, 'notifier' | 'events'>): Record<string, unknown> {
  const { settingsSchema, secretNames, configured } = notifier;
  const secrets = secretNames.map((name) => {
    const held = configured?.secrets[name] === true;
    const description = held ? 'Stored. Empty leaves it as it is.' : 'Kept unencrypted in the database.';
    return [name, { type: 'string', description, form: { secret: true } }] as const;
  });
  const from = 'Such as 22:30. Messages wait until quiet hours end, urgent ones do not. Empty: none.';
  return {
    properties: {
      settings: { ...settingsSchema, title: 'Channel' },
      secrets: { title: 'Secrets', properties: Object.fromEntries(secrets) },
      quietHours: {
        title: 'Quiet hours',
        properties: { from: { type: 'string', description: from }, to: { type: 'string', title: 'Until' } },
      },
      events: {
        title: 'Events',
        properties: Object.fromEntries(events.map(({ event, words }) => [event, { type: 'boolean', title: words }])),
      },
    },
  };
}

/** The values of the form as the API takes them: no empty texts, the names of the events that are on. */
function bodyOf({ settings, secrets, quietHours, events }: Readonly<Record<string, unknown>>) {
  const filled = (values: unknown) =>
    Object.fromEntries(Object.entries(isObject(values) ? values : {}).filter(([, value]) => value !== ''));
  const quiet = filled(quietHours);
  const on = Object.entries(filled(events)).flatMap(([event, value]) => (value === true ? [event] : []));
  const hours = Object.keys(quiet).length === 0 ? null : { from: '', to: '', ...quiet };
  return { settings: filled(settings), secrets: filled(secrets), rules: { events: on, quietHours: hours } };
}
