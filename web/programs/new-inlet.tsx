import { type FormEvent, type ReactNode, useState } from 'react';
import type { ProfileId } from '#core/ids.ts';
import { createInlet } from '#api/contract/signals.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { useAct } from '#web/data/read.ts';
import { Field } from '#web/ui/field.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import type { InletSecret } from './signal-text.ts';

const EMPTY = { name: '', maxAge: '60' };

interface NewInletProps {
  id: ProfileId;
  onCreated: (created: InletSecret) => void;
}

/** The form of a new inlet. */
export function NewInlet({ id, onCreated }: NewInletProps): ReactNode {
  const [values, setValues] = useState(EMPTY);
  const create = useAct(createInlet, {
    onSuccess: (answer) => {
      onCreated({ ...answer, name: values.name });
      setValues(EMPTY);
    },
  });
  const refusal = create.error instanceof ProblemError ? create.error : undefined;
  const fields = [refusal?.field('name'), refusal?.field('maxAgeSeconds')];
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate({ params: { id }, body: { name: values.name, maxAgeSeconds: Number(values.maxAge) } });
  };
  return (
    <Section title="New inlet">
      <form onSubmit={submit}>
        <Field
          stack
          label="Name"
          note="The program that sends through it."
          error={fields[0]}
          input={{
            required: true,
            value: values.name,
            onChange: ({ target }) => setValues({ ...values, name: target.value }),
          }}
        />
        <Field
          label="Maximum age"
          note="A signal places no order later than this after its time, 5 to 900 seconds."
          unit="s"
          error={fields[1]}
          input={{
            required: true,
            inputMode: 'numeric',
            pattern: '[0-9]{1,3}',
            value: values.maxAge,
            onChange: ({ target }) => setValues({ ...values, maxAge: target.value }),
          }}
        />
        {fields.every((field) => field === undefined) ? <Failure what="Not created." error={create.error} /> : null}
        <div className="actions">
          <button type="submit" className="btn go" disabled={create.isPending}>
            Create inlet
          </button>
          <span className="note">Its secret is shown once, stored only as a digest.</span>
        </div>
      </form>
    </Section>
  );
}
