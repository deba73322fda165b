import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { changeRetention, readRetention } from '#api/contract/upkeep.ts';
import { call } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { wordsOf } from '#web/ui/names.ts';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const KEY = ['retention'] as const;

const FIELDS = [
  ['debugLogDays', 'Waiting decisions', 'These rows grow fast.', 'days'],
  ['actionLogDays', 'Other log rows', 'Buys, sales, rejections and warnings, with requests and responses.', 'days'],
  ['actionLogMaxRows', 'Maximum log rows', 'The oldest are removed first.', 'rows'],
  ['auditLogDays', 'Audit log', 'Your changes.', 'days'],
  ['equityDays', 'Equity history', 'For the curve under Trades.', 'days'],
  ['tickTraceEntries', 'Full tick traces', 'Newest ticks per profile, complete.', 'ticks'],
] as const;

/** Data retention, and the results of the last removals. */
export function RetentionSettings(): ReactNode {
  const client = useQueryClient();
  const demo = useDemo();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call(readRetention, {}, signal) });
  const receipts = data?.receipts ?? [];
  const first = Object.fromEntries(FIELDS.map(([name]) => [name, String(data?.[name] ?? '')]));
  return (
    <Section title="Data retention" note="empty: keep forever">
      {error === null ? null : <Failure what="Could not load the data retention." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={3} /> : null}
      {data === undefined || demo ? null : (
        <TextForm
          key={JSON.stringify(first)}
          first={first}
          fields={FIELDS.map(([name, label, note, unit]) => ({
            name,
            label,
            note,
            unit,
            input: { inputMode: 'numeric', required: false },
          }))}
          submit={async (values) => {
            const body = Object.fromEntries(FIELDS.map(([name]) => [name, values[name] ? Number(values[name]) : null]));
            client.setQueryData(KEY, await call(changeRetention, { body }));
          }}
          action="Save retention"
          failed="Not saved."
          done="Saved. Used from the next removal on."
        />
      )}
      <ul className="block">
        {receipts.slice(0, 5).map(({ at, ok, error: problem, deleted }) => (
          <li key={at}>
            <span />
            <span className={ok ? '' : 'care'}>
              <When at={at} />:{' '}
              {problem ??
                (Object.entries(deleted)
                  .filter(([, count]) => count > 0)
                  .map(([kind, count]) => `${count.toLocaleString('en-US')} ${wordsOf(kind).toLowerCase()} removed`)
                  .join(', ') ||
                  'nothing was old enough')}
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
