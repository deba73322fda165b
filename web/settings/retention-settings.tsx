import type { ReactNode } from 'react';
import { RETENTION_FORM } from '#api/contract/forms.ts';
import { changeRetention, readRetention } from '#api/contract/upkeep.ts';
import { sendForm } from '#web/data/call.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo } from '#web/data/session.tsx';
import { ConfigForm, plainScope } from '#web/config/config-form.tsx';
import { wordsOf } from '#web/ui/names.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { whole } from '#web/ui/numbers.ts';

/** Data retention, and the results of the last removals. */
export function RetentionSettings(): ReactNode {
  const demo = useDemo();
  const retention = useRead(readRetention, {});
  return (
    <Section title="Data retention" note="empty: keep forever">
      <Read of={retention} what="the data retention" rows={6} height={64}>
        {({ receipts, ...values }) => (
          <>
            {demo ? null : (
              <ConfigForm
                scope={plainScope({
                  schema: RETENTION_FORM,
                  values,
                  save: (changed) => sendForm(changeRetention, {}, changed),
                })}
                action="Save retention"
                used="Used from the next removal on."
              />
            )}
            <ul className="block">
              {receipts.slice(0, 5).map(({ at, ok, error, deleted }) => (
                <li key={at}>
                  <span />
                  <span className={ok ? '' : 'care'}>
                    <When at={at} />: {error ?? removedText(deleted)}
                  </span>
                </li>
              ))}
            </ul>
          </>
        )}
      </Read>
    </Section>
  );
}

function removedText(deleted: Readonly<Record<string, number>>): string {
  const parts = Object.entries(deleted).filter(([, count]) => count > 0);
  if (parts.length === 0) return 'nothing was old enough';
  return parts.map(([kind, count]) => `${whole(count)} ${wordsOf(kind).toLowerCase()} removed`).join(', ');
}
