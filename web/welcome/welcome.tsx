import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { onboarding } from '#api/contract/session.ts';
import { useRead } from '#web/data/read.ts';
import { Section } from '#web/ui/section.tsx';
import { SignedOutFrame } from '#web/shell/signed-out-frame.tsx';
import { OperatorForm } from './operator-form.tsx';

/** The first page of a new installation; afterwards the wizard. */
export function WelcomePage(): ReactNode {
  const { data } = useRead(onboarding, {});
  return data?.needsOnboarding ? <NewOperator /> : <Navigate to="/profiles/new" />;
}

function NewOperator(): ReactNode {
  return (
    <SignedOutFrame>
      <title>Welcome · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Welcome. Create your account; after four more steps the bot trades on paper.</h1>
        <p className="two">
          There is one operator. No real money is used until you add an exchange account with your own API key.
        </p>
      </div>
      <div className="cols">
        <Section title="Your account" span={5}>
          <OperatorForm />
        </Section>
      </div>
    </SignedOutFrame>
  );
}
