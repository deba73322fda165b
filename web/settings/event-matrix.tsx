import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { changeBrowser, saveAccountNotifier } from '#api/contract/account-notifiers.ts';
import { call } from '#web/data/call.ts';
import { useIsSaving, useRun } from '#web/data/read.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import type { AccountNotifiers } from './account-notifiers.ts';

type Rules = AccountNotifiers['browsers'][number]['rules'];

/** A column of the table: a channel that is set up. */
interface Column {
  readonly key: string;
  readonly title: string;
  readonly rules: Rules;
  save(rules: Rules): Promise<unknown>;
}

interface MatrixProps {
  id: AccountId;
  data: AccountNotifiers;
}

const columnsOf = ({ id, data: { notifiers, browsers } }: MatrixProps): Column[] => [
  ...browsers.map(({ id: browserId, label, rules }) => ({
    ...{ key: browserId, title: label, rules },
    save: (changed: Rules) => call(changeBrowser, { params: { id, browserId }, body: { rules: changed } }),
  })),
  ...notifiers.flatMap(({ provider, title, configured }) => {
    if (configured === null) return [];
    const { enabled, settings, rules } = configured;
    const save = (changed: Rules) =>
      call(saveAccountNotifier, { params: { id, provider }, body: { enabled, settings, rules: changed } });
    return [{ key: provider, title, rules, save }];
  }),
];

/** Which channel receives which event, and when it is quiet. */
export function EventMatrix(props: MatrixProps): ReactNode {
  const { data } = props;
  const columns = columnsOf(props);
  const [first] = columns;
  const isSaving = useIsSaving();
  const save = useRun(async (edits: readonly { column: Column; rules: Rules }[]) => {
    for (const { column, rules } of edits) await column.save(rules);
  });
  return (
    <Section title="Events by channel">
      {columns.length === 0 ? (
        <p className="p-2">Set up a channel: then choose here what it receives.</p>
      ) : (
        <div className="tw" tabIndex={0} role="group" aria-label="Events by channel">
          <table>
            <thead>
              <tr>
                <th>Event</th>
                {columns.map(({ key, title }) => (
                  <th key={key} className="num">
                    {title}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {data.events.map(({ event, words, urgent }) => (
                <tr key={event}>
                  <td>
                    {words}
                    {urgent ? <span className="note"> urgent</span> : null}
                  </td>
                  {columns.map((column) => (
                    <td key={column.key} className="num">
                      <input
                        type="checkbox"
                        aria-label={`${words}: ${column.title}`}
                        checked={column.rules.events.includes(event)}
                        disabled={isSaving}
                        onChange={() => save.mutate([{ column, rules: toggled(column.rules, event) }])}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      <Failure what="Not saved." error={save.error} />
      {first === undefined ? null : (
        <QuietHours
          key={`${first.rules.quietHours?.from} ${first.rules.quietHours?.to}`}
          hours={first.rules.quietHours}
          isShared={columns.every(({ rules }) => same(rules.quietHours, first.rules.quietHours))}
          disabled={isSaving}
          save={(quietHours) =>
            save.mutate(columns.map((column) => ({ column, rules: { ...column.rules, quietHours } })))
          }
        />
      )}
    </Section>
  );
}

const same = (a: Rules['quietHours'], b: Rules['quietHours']): boolean => a?.from === b?.from && a?.to === b?.to;

const toggled = (rules: Rules, event: Rules['events'][number]): Rules => ({
  ...rules,
  events: rules.events.includes(event) ? rules.events.filter((one) => one !== event) : [...rules.events, event],
});

interface QuietProps {
  hours: Rules['quietHours'];
  /** False where the channels have different hours. */
  isShared: boolean;
  disabled: boolean;
  save: (hours: Rules['quietHours']) => void;
}

/** One span for all channels; both fields empty is none. */
function QuietHours({ hours, isShared, disabled, save }: QuietProps): ReactNode {
  const [from, setFrom] = useState(hours?.from ?? '');
  const [to, setTo] = useState(hours?.to ?? '');
  const isComplete = (from === '') === (to === '');
  return (
    <form
      className="quiet-hours"
      onSubmit={(event) => {
        event.preventDefault();
        save(from === '' ? null : { from, to });
      }}
    >
      <span>
        Quiet hours
        <span className="note block">
          Messages wait until they end. Urgent messages do not wait.
          {isShared ? '' : ' The channels have different hours: saving gives all of them these.'}
        </span>
      </span>
      <span className="actions">
        <span className="in">
          <input
            type="time"
            aria-label="Quiet hours from"
            value={from}
            onChange={({ target }) => setFrom(target.value)}
          />
        </span>
        <span className="in">
          <input type="time" aria-label="Quiet hours until" value={to} onChange={({ target }) => setTo(target.value)} />
        </span>
        <button type="submit" className="btn small" disabled={!isComplete || disabled}>
          Save quiet hours
        </button>
      </span>
    </form>
  );
}
