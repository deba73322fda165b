import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { signIn } from '#api/contract/session.ts';
import { call } from '#web/data/call.ts';
import { useEnter } from '#web/data/session.tsx';
import { Field } from '#web/forms/field.tsx';
import { Failure } from '#web/parts/say.tsx';
import { Section } from '#web/parts/section.tsx';
import { Porch } from '#web/parts/shell.tsx';

export function SignInPage(): ReactNode {
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const attempt = useMutation({ mutationFn: () => call(signIn, { body: { email, password } }), onSuccess: enter });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    attempt.mutate();
  };
  return (
    <Porch>
      <title>Sign in · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Sign in to see what your account does.</h1>
        <p className="two">Trading goes on whether you are signed in or not.</p>
      </div>
      <div className="cols">
        <Section title="Operator" span={5}>
          <form onSubmit={submit}>
            <Field
              stack
              label="E-mail"
              input={{
                type: 'email',
                name: 'email',
                autoComplete: 'username',
                required: true,
                autoFocus: true,
                value: email,
                onChange: (event) => setEmail(event.target.value),
              }}
            />
            <Field
              stack
              label="Password"
              input={{
                type: 'password',
                name: 'password',
                autoComplete: 'current-password',
                required: true,
                value: password,
                onChange: (event) => setPassword(event.target.value),
              }}
            />
            {attempt.isError ? <Failure what="Not signed in." error={attempt.error} /> : null}
            <div className="actions">
              <button type="submit" className="btn go" disabled={attempt.isPending}>
                Sign in
              </button>
            </div>
          </form>
        </Section>
      </div>
    </Porch>
  );
}
