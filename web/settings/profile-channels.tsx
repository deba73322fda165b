import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import { deleteNotifier, listNotifiers } from '#api/contract/notifiers.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { useRead, useReads } from '#web/data/read.ts';
import { Confirm } from '#web/ui/confirm.tsx';

/** Notifiers that single profiles have in addition, set up by the API. Nothing where there are none. */
export function ProfileChannels({ id }: { id: AccountId }): ReactNode {
  const { data } = useRead(listProfiles, {});
  const profiles = (data?.profiles ?? []).filter(({ accountId }) => accountId === id);
  const held = useReads(
    listNotifiers,
    profiles.map((profile) => ({ params: { id: profile.id } })),
  ).data;
  const channels = profiles.flatMap((profile, i) =>
    (held?.[i]?.notifiers ?? []).flatMap(({ provider, title, configured }) =>
      configured === null ? [] : [{ profile, provider, title: `${title} of ${profile.name}`, on: configured.enabled }],
    ),
  );
  return channels.map(({ profile, provider, title, on }) => (
    <div key={`${profile.id} ${provider}`} className="channel-row">
      <b>{title}</b>
      <span className="note">{on ? 'on, this profile only' : 'off'}</span>
      <Confirm
        small
        words="Remove"
        label={`Remove ${title}`}
        title={`Remove ${title}?`}
        action={`Remove ${title}`}
        failed="Not removed."
        run={() => call(deleteNotifier, { params: { id: profile.id, provider } })}
      >
        Its secrets are deleted and it receives no more messages. The channels of the account stay.
      </Confirm>
    </div>
  ));
}
