import { useQuery, useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { changeRetention, readRetention } from '#api/contract/upkeep.ts';
import { call } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { wordsOf } from '#web/ui/names.ts';
import { Failure, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const KEY = ['retention'] as const;

const FIELDS = [
  ['debugLogDays', 'Decisions to do nothing', 'They grow fast.', 'days'],
  [
    'actionLogDays',
    'Everything else in the log',
    'Buys, sells, refusals and warnings, and what was sent and answered.',
    'days',
  ],
  ['actionLogMaxRows', 'Rows of the log at most', 'The oldest go first.', 'rows'],
  ['auditLogDays', 'Your changes', 'What you changed, and from where.', 'days'],
  ['equityDays', 'Marks of what was earned', 'For the curve in a profile’s history.', 'days'],
  ['tickTraceEntries', 'Newest ticks kept whole', 'Per profile, with all their numbers.', 'ticks'],
] as const;

/** How long records are kept, and what the last removals took away. */
export function RetentionSettings(): ReactNode {
  const client = useQueryClient();
  const demo = useDemo();
  const { data, error } = useQuery({ queryKey: KEY, queryFn: ({ signal }) => call(readRetention, {}, signal) });
  const receipts = data?.receipts ?? [];
  const first = Object.fromEntries(FIELDS.map(([name]) => [name, String(data?.[name] ?? '')]));
  return (
    <Section title="How long records are kept" note="empty keeps them for ever">
      {error === null ? null : <Failure what="This could not be read." error={error} />}
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
          action="Save how long"
          failed="Not saved."
          done="Saved. It holds from the next removal on."
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
