import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { signIn } from '#api/contract/session.ts';
import { call } from '#web/data/call.ts';
import { useEnter, useRestored } from '#web/data/session.tsx';
import { Field } from '#web/ui/field.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { SignedOutFrame } from './signed-out-frame.tsx';
import { When } from '#web/ui/when.tsx';
import { useRun } from '#web/data/read.ts';

export function SignInPage(): ReactNode {
  const enter = useEnter();
  const [email, setEmail] = useState('');
  const [password, setPassword] = useState('');
  const navigate = useNavigate();
  const attempt = useRun(async () => {
    enter(await call(signIn, { body: { email, password } }));
    if (location.pathname === '/sign-in') await navigate({ to: '/' });
  });
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    attempt.mutate();
  };
  return (
    <SignedOutFrame>
      <title>Sign in · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Sign in to see what your account does.</h1>
        <p className="two">Trading continues whether you are signed in or not.</p>
      </div>
      <Restored />
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
            <Failure what="Not signed in." error={attempt.error} />
            <div className="actions">
              <button type="submit" className="btn go" disabled={attempt.isPending}>
                Sign in
              </button>
            </div>
          </form>
        </Section>
      </div>
    </SignedOutFrame>
  );
}

/** Notice after a restore, which ends every session. */
function Restored(): ReactNode {
  const restored = useRestored();
  if (restored === undefined) return null;
  return (
    <Notice tone="next" title="Restored.">
      {Object.values(restored.rows)
        .reduce((sum, rows) => sum + rows, 0)
        .toLocaleString('en-US')}{' '}
      rows are as they were <When at={restored.backupAt} />. Sign in with the password of that backup. Buying stays
      stopped until you allow it on the overview.
    </Notice>
  );
}
