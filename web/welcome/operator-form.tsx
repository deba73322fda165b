import { type FormEvent, type ReactNode, useState } from 'react';
import { signUp } from '#api/contract/session.ts';
import { call } from '#web/data/call.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { useEnter } from '#web/data/session.tsx';
import { browserZone } from '#web/data/zones.ts';
import { Failure } from '#web/ui/notice.tsx';
import { Field } from '#web/ui/field.tsx';
import { useRun } from '#web/data/read.ts';

const SHORTEST = 12;

/** Creates the one operator of this installation. */
export function OperatorForm(): ReactNode {
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const create = useRun(async () => {
    enter(await call(signUp, { body: { email, password, timezone: browserZone() } }));
  });
  const refused = create.error instanceof ProblemError ? create.error : undefined;
  const fields = { email: refused?.field('email'), password: refused?.field('password') };
  const atField = fields.email !== undefined || fields.password !== undefined;
  const missing = Math.max(0, SHORTEST - password.length);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    create.mutate();
  };
  return (
    <form onSubmit={submit} noValidate>
      <Field
        stack
        label="E-mail"
        note="For sign-in only. Nothing is sent to it."
        error={fields.email}
        input={{
          type: 'email',
          name: 'email',
          autoComplete: 'username',
          autoFocus: true,
          value: email,
          onChange: (event) => setEmail(event.target.value),
        }}
      />
      <Field
        stack
        label="Password"
        note={missing === 0 ? 'Long enough.' : `At least ${SHORTEST} characters; ${missing} to go.`}
        error={fields.password}
        input={{
          type: 'password',
          name: 'password',
          autoComplete: 'new-password',
          value: password,
          onChange: (event) => setPassword(event.target.value),
        }}
      />
      {create.isError && !atField ? <Failure what="Not created." error={create.error} /> : null}
      <div className="actions">
        <button type="submit" className="btn go" disabled={create.isPending}>
          Create your account
        </button>
        <span className="note">Times are shown in {browserZone()}; you can change that later.</span>
      </div>
    </form>
  );
}
