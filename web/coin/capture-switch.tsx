import type { ReactNode } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { armCapture, readCapture } from '#api/contract/capture.ts';
import { useDemo } from '#web/data/session.tsx';
import { useAct, useRead } from '#web/data/read.ts';
import { Switch } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { When } from '#web/ui/when.tsx';

const HOUR_MS = 3_600_000;
const POLL_MS = 15_000;

/** Logs every tick of a profile for an hour, with its complete input. */
export function CaptureSwitch({ profileId }: { profileId: ProfileId }): ReactNode {
  const demo = useDemo();
  const params = { id: profileId };
  const { data } = useRead(readCapture, { params }, { every: POLL_MS, enabled: !demo });
  const arm = useAct(armCapture);
  const set = (on: boolean): void =>
    arm.mutate({ params, body: { until: on ? new Date(Date.now() + HOUR_MS).toISOString() : null } });
  if (demo) return null;
  const until = data?.until ?? null;
  return (
    <div className="actions">
      <Switch
        label="Capture every tick"
        on={until !== null}
        disabled={data === undefined || arm.isPending}
        onChange={set}
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
      <Failure what="Not changed." error={arm.error} />
    </div>
  );
}
