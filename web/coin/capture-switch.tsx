import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { armCapture, readCapture } from '#api/contract/capture.ts';
import { call } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { Switch } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { When } from '#web/ui/when.tsx';

const HOUR_MS = 3_600_000;

/** Logs every tick of a profile for an hour, with its complete input. */
export function CaptureSwitch({ profileId }: { profileId: ProfileId }): ReactNode {
  const demo = useDemo();
  const client = useQueryClient();
  const params = { id: profileId };
  const queryKey = ['capture', profileId];
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) => call(readCapture, { params }, signal),
    refetchInterval: 15_000,
    enabled: !demo,
  });
  const arm = useMutation({
    mutationFn: (on: boolean) =>
      call(armCapture, { params, body: { until: on ? new Date(Date.now() + HOUR_MS).toISOString() : null } }),
    onSuccess: (answer) => client.setQueryData(queryKey, answer),
  });
  if (demo) return null;
  const until = data?.until ?? null;
  return (
    <div className="actions">
      <Switch
        label="Capture every tick"
        on={until !== null}
        disabled={data === undefined || arm.isPending}
        onChange={(on) => arm.mutate(on)}
      />
      <span className="note">
        {until === null ? (
          'For one hour every tick of this profile becomes its own log row, with the complete input under Context.'
        ) : (
          <>
            Until <When wall at={until} />. Each row holds the complete input of its tick.
          </>
        )}
      </span>
      {arm.isError ? <Failure what="Not changed." error={arm.error} /> : null}
    </div>
  );
}
