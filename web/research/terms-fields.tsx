import type { ReactNode } from 'react';
import { isInterval } from '#core/market/candle.ts';
import { isObject } from '#core/merge.ts';
import { RUN_FORM } from '#api/contract/forms.ts';
import { SchemaFormFields } from '#web/config/schema-form-fields.tsx';
import { detailsFor, PERIODS, type Terms } from '#web/ui/research.ts';
import { Choice, Field } from '#web/ui/field.tsx';

interface TermsProps {
  terms: Terms;
  onChange: (terms: Terms) => void;
  /** The candle interval of the strategy. */
  interval: string;
  quote: string | undefined;
  errorOf: (path: string) => string | undefined;
}

/** Period, balance, trading costs and candles of a run. */
export function TermsFields({ terms, onChange, interval, quote, errorOf }: TermsProps): ReactNode {
  const put = (part: Partial<Terms>): void => onChange({ ...terms, ...part });
  const day = (name: 'from' | 'to', label: string, note: string) => (
    <Field
      label={label}
      note={note}
      error={errorOf(name)}
      input={{ type: 'date', value: terms[name], onChange: (event) => put({ [name]: event.target.value }) }}
    />
  );
  return (
    <>
      <Choice
        label="Period"
        note="Full days in UTC, up to the end of yesterday unless you choose days. Missing candles are fetched from the exchange first."
        value={terms.days}
        options={PERIODS}
        error={terms.days === 'dates' ? undefined : (errorOf('from') ?? errorOf('to'))}
        onChange={(days) => put({ days })}
      />
      {terms.days === 'dates' ? (
        <>
          {day('from', 'From', 'The first day, in UTC.')}
          {day('to', 'To', 'The last day, in UTC.')}
        </>
      ) : null}
      <SchemaFormFields
        schema={schemaFor(interval)}
        values={terms.run}
        quote={quote}
        errorOf={errorOf}
        onChange={(path, value) => put({ run: { ...terms.run, [path]: value } })}
      />
    </>
  );
}

/** The schema with those candles only of which the candles of the strategy consist. */
function schemaFor(interval: string): unknown {
  const { properties } = RUN_FORM;
  if (!isObject(properties)) return RUN_FORM;
  const detail = isObject(properties['detailInterval']) ? properties['detailInterval'] : {};
  const fine = detailsFor(isInterval(interval) ? interval : '1h');
  return { properties: { ...properties, detailInterval: { ...detail, enum: fine } } };
}
