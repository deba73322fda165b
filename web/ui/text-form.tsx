import { type FormEvent, type InputHTMLAttributes, type ReactNode, useState } from 'react';
import { ProblemError } from '#web/data/problem-error.ts';
import { Field } from './field.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { useRun } from '#web/data/read.ts';

interface TextField {
  readonly name: string;
  readonly label: string;
  readonly note?: ReactNode;
  readonly unit?: string;
  readonly input?: InputHTMLAttributes<HTMLInputElement>;
}

interface TextFormProps {
  fields: readonly TextField[];
  /** Initial values. */
  first?: Readonly<Record<string, string>>;
  submit: (values: Readonly<Record<string, string>>) => Promise<unknown>;
  /** Text of the submit button. */
  action: string;
  failed: string;
  done: string;
  children?: ReactNode;
}

/** A short form of text fields; an error is shown at its field, any other one below. */
export function TextForm({ fields, first = {}, submit, action, failed, done, children }: TextFormProps): ReactNode {
  const [values, setValues] = useState<Readonly<Record<string, string>>>(first);
  const send = useRun(submit, {
    // Text typed while the request was running is kept.
    onSuccess: (_answer, sent) => setValues((now) => (now === sent ? first : now)),
  });
  const refusal = send.error instanceof ProblemError ? send.error : undefined;
  const atField = fields.some(({ name }) => refusal?.field(name) !== undefined);
  const onSubmit = (event: FormEvent): void => {
    event.preventDefault();
    send.mutate(values);
  };
  return (
    <form onSubmit={onSubmit}>
      {fields.map(({ name, label, note, unit, input }) => (
        <Field
          key={name}
          stack
          label={label}
          note={note}
          unit={unit}
          error={refusal?.field(name)}
          input={{
            ...input,
            name,
            required: input?.required ?? true,
            value: values[name] ?? '',
            onChange: (event) => setValues({ ...values, [name]: event.target.value }),
          }}
        />
      ))}
      {children}
      {send.isError && !atField ? <Failure what={failed} error={send.error} /> : null}
      {send.isSuccess ? <Notice tone="next">{done}</Notice> : null}
      <div className="actions">
        <button type="submit" className="btn" disabled={send.isPending}>
          {action}
        </button>
      </div>
    </form>
  );
}
