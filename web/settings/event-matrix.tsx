import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { changeBrowser, saveAccountNotifier } from '#api/contract/account-notifiers.ts';
import { call } from '#web/data/call.ts';
import { useRun } from '#web/data/read.ts';
import { Failure, Notice } from '#web/ui/notice.tsx';
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
  const save = useRun(({ column, rules }: { column: Column; rules: Rules }) => column.save(rules));
  return (
    <Section title="Events by channel">
      {columns.length === 0 ? (
        <Notice tone="next">Set up a channel: then choose here what it receives.</Notice>
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
                        disabled={save.isPending}
                        onChange={() => save.mutate({ column, rules: toggled(column.rules, event) })}
                      />
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {save.isError ? <Failure what="Not saved." error={save.error} /> : null}
      {columns.map((column) => (
        <QuietHours
          key={`${column.key} ${column.rules.quietHours?.from} ${column.rules.quietHours?.to}`}
          column={column}
          save={(quietHours) => save.mutate({ column, rules: { ...column.rules, quietHours } })}
        />
      ))}
    </Section>
  );
}

const toggled = (rules: Rules, event: Rules['events'][number]): Rules => ({
  ...rules,
  events: rules.events.includes(event) ? rules.events.filter((one) => one !== event) : [...rules.events, event],
});

interface QuietProps {
  column: Column;
  save: (hours: Rules['quietHours']) => void;
}

function QuietHours({ column: { title, rules }, save }: QuietProps): ReactNode {
  const [from, setFrom] = useState(rules.quietHours?.from ?? '');
  const [to, setTo] = useState(rules.quietHours?.to ?? '');
  const isComplete = (from === '') === (to === '');
  return (
    <form
      className="actions"
      onSubmit={(event) => {
        event.preventDefault();
        save(from === '' ? null : { from, to });
      }}
    >
      <span className="note">Quiet hours of {title}</span>
      <span className="in">
        <input
          type="time"
          aria-label={`Quiet hours of ${title} from`}
          value={from}
          onChange={({ target }) => setFrom(target.value)}
        />
      </span>
      <span className="in">
        <input
          type="time"
          aria-label={`Quiet hours of ${title} until`}
          value={to}
          onChange={({ target }) => setTo(target.value)}
        />
      </span>
      <button type="submit" className="btn small" disabled={!isComplete}>
        Save
      </button>
      <span className="note">Urgent messages do not wait.</span>
    </form>
  );
}
