import type { ReactNode } from 'react';
import { disableProfile, enableProfile } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { useAct } from '#web/data/read.ts';
import { Switch } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';

/** Starts or pauses a profile; a paused profile makes no new decisions. */
export function ProfileSwitch({ profile }: { profile: Profile }): ReactNode {
  const change = useAct(profile.enabled ? disableProfile : enableProfile);
  return (
    <>
      <Switch
        label={profile.enabled ? 'On' : 'Off'}
        on={profile.enabled}
        disabled={change.isPending}
        onChange={() => change.mutate({ params: { id: profile.id } })}
      />
      <Failure what="Not changed." error={change.error} />
    </>
  );
}
