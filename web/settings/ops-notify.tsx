import type { ReactNode } from 'react';
import { changeOpsNotify, readOpsNotify } from '#api/contract/notifiers.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Switch } from '#web/ui/field.tsx';
import { opsLabel } from '#web/shell/notices.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';

/** Switches of the messages about accounts and the installation, sent to every channel. */
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
    </Section>
  );
}
