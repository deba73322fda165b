import { type FormEvent, type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { addPriceAlert, deletePriceAlert, listPriceAlerts, rearmPriceAlert } from '#api/contract/price-alerts.ts';
import type { Answer } from '#api/contract/operation.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { Choice, Field } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { MISSING, NARROW_SPACE, percent, price as priceText } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

const POLL_MS = 10_000;

type Alerts = Answer<typeof listPriceAlerts>;
type Alert = Alerts['alerts'][number];
type Rule = Alert['rule'];

const KINDS = [
  { value: 'above', words: 'rises to' },
  { value: 'below', words: 'falls to' },
  { value: 'move', words: 'moves by' },
] as const;

/** `rises to 63,000.00`, `moves by 3 % within 60 min`. */
const ruleText = (rule: Rule): string =>
  rule.kind === 'move'
    ? `moves by ${rule.percent}${NARROW_SPACE}% within ${rule.minutes} min`
    : `${rule.kind === 'above' ? 'rises to' : 'falls to'} ${priceText(rule.price, null)}`;

/** The distance of the price from the level of an alert. */
function distanceText({ rule, price }: Alert): string {
  if (price === null) return 'no price now';
  return rule.kind === 'move' ? MISSING : percent(Math.abs(Number(rule.price) / Number(price) - 1), 2);
}

/** Messages when a price is reached; an alert never trades. */
export function PriceAlerts({ id }: { id: AccountId }): ReactNode {
  const known = useRead(listPriceAlerts, { params: { id } }, { every: POLL_MS });
  return (
    <Section title="Price alerts" note="they never trade">
      <Read of={known} what="the price alerts" rows={2}>
        {({ alerts, coins }) => (
          <>
            {alerts.length === 0 ? (
              <p className="p-2">No price alert is set.</p>
            ) : (
              <AlertTable id={id} alerts={alerts} />
            )}
            <details>
              <summary className="px-2">New price alert</summary>
              <NewAlert id={id} coins={coins} />
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}

interface TableProps {
  id: AccountId;
  alerts: readonly Alert[];
}

function AlertTable({ id, alerts }: TableProps): ReactNode {
  const rearm = useAct(rearmPriceAlert);
  const remove = useAct(deletePriceAlert);
  const isPending = rearm.isPending || remove.isPending;
  return (
    <>
      <table className="cards">
        <thead>
          <tr>
            <th>Coin</th>
            <th>When it</th>
            <th className="num">Away</th>
            <th className="num">
              <span className="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {alerts.map((alert) => (
            <tr key={alert.id}>
              <td>
                <b>{alert.symbol}</b>
              </td>
              <td className="rt">
                {ruleText(alert.rule)}
                {alert.triggeredAt === null ? null : (
                  <span className="note block">
                    Triggered at {priceText(alert.triggeredPrice, null)}, <When at={alert.triggeredAt} />
                  </span>
                )}
              </td>
              <td className="num" data-l="Away">
                {alert.triggeredAt === null ? distanceText(alert) : 'off'}
              </td>
              <td className="num rt">
                {alert.triggeredAt === null ? null : (
                  <button
                    type="button"
                    className="btn small"
                    disabled={isPending}
                    aria-label={`Switch on: ${alert.symbol} ${ruleText(alert.rule)}`}
                    onClick={() => rearm.mutate({ params: { id, alertId: alert.id } })}
                  >
                    Switch on
                  </button>
                )}{' '}
                <button
                  type="button"
                  className="btn small"
                  disabled={isPending}
                  aria-label={`Remove: ${alert.symbol} ${ruleText(alert.rule)}`}
                  onClick={() => remove.mutate({ params: { id, alertId: alert.id } })}
                >
                  Remove
                </button>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
      <Failure what="Not changed." error={rearm.error ?? remove.error} />
    </>
  );
}

const FIRST = { kind: 'above', price: '', percent: '3', minutes: '60' };

function NewAlert({ id, coins }: { id: AccountId; coins: readonly string[] }): ReactNode {
  const [symbol, setSymbol] = useState(coins[0] ?? '');
  const [values, setValues] = useState(FIRST);
  const add = useAct(addPriceAlert, { onSuccess: () => setValues({ ...values, price: '' }) });
  if (coins.length === 0)
    return <p className="note p-2">Add a coin to a profile first: its price can then be watched.</p>;
  const refusal = add.error instanceof ProblemError ? add.error : undefined;
  const set = (name: keyof typeof FIRST) => (value: string) => setValues({ ...values, [name]: value });
  const field = (name: 'price' | 'percent' | 'minutes', label: string, unit?: string): ReactNode => (
    <Field
      label={label}
      unit={unit}
      error={refusal?.field(`rule.${name}`)}
      input={{
        inputMode: 'decimal',
        required: true,
        value: values[name],
        onChange: ({ target }) => set(name)(target.value),
      }}
    />
  );
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    add.mutate({ params: { id }, body: { symbol, rule: ruleOf(values) } });
  };
  return (
    <form onSubmit={onSubmit}>
      <Choice
        label="Coin"
        value={symbol}
        options={coins.map((coin) => ({ value: coin, words: coin }))}
        onChange={setSymbol}
      />
      <Choice label="When it" value={values.kind} options={KINDS} onChange={set('kind')} />
      {values.kind === 'move' ? (
        <>
          {field('percent', 'Change', '%')}
          {field('minutes', 'Within', 'min')}
        </>
      ) : (
        field('price', 'Price')
      )}
      {add.isError && refusal === undefined ? <Failure what="Not added." error={add.error} /> : null}
      <div className="actions">
        <button type="submit" className="btn" disabled={add.isPending}>
          Add price alert
        </button>
        <span className="note">A triggered alert stays off until you switch it on again.</span>
      </div>
    </form>
  );
}

const ruleOf = ({ kind, price, percent: share, minutes }: typeof FIRST): Rule =>
  kind === 'move'
    ? { kind, percent: share, minutes: Number(minutes) }
    : { kind: kind === 'below' ? 'below' : 'above', price };
