import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { disableProfile, enableProfile } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { sentenceOf } from '#web/data/problem-error.ts';
import type { Profile } from '#web/data/queries.ts';
import { Switch } from '#web/ui/field.tsx';

/** Starts or pauses a profile; a paused profile makes no new decisions. */
export function ProfileSwitch({ profile }: { profile: Profile }): ReactNode {
  const client = useQueryClient();
  const change = useMutation({
    mutationFn: (on: boolean) => call(on ? enableProfile : disableProfile, { params: { id: profile.id } }),
    onSuccess: async (changed) => {
      client.setQueryData(keys.profile(profile.id), changed);
      await Promise.all([keys.profiles, keys.dashboard].map((queryKey) => client.invalidateQueries({ queryKey })));
    },
  });
  return (
    <>
      <Switch
        label={profile.enabled ? 'On' : 'Off'}
        on={profile.enabled}
        disabled={change.isPending}
        onChange={(on) => change.mutate(on)}
      />
      {change.isError ? <span className="note care">{sentenceOf(change.error)}</span> : null}
    </>
  );
}
