import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { accountsQuery, onboardingQuery } from '#web/data/queries.ts';
import { FIRST_CHOICES } from '#web/config/first-config.ts';
import type { FirstProfile } from './first-profile.ts';
import { OperatorForm } from './operator-form.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { SignedOutFrame } from '#web/shell/shell.tsx';
import { AccountStep } from './welcome-account.tsx';
import { CoinStep } from './welcome-coins.tsx';
import { TradeStep } from './welcome-trade.tsx';

export function WelcomePage(): ReactNode {
  const { data } = useQuery(onboardingQuery);
  return data?.needsOnboarding ? <NewOperator /> : <Guide />;
}

function NewOperator(): ReactNode {
  return (
    <SignedOutFrame>
      <title>Welcome · Tradewind</title>
      <div className="head">
        <h1 className="verdict">Welcome. Create your account; after three more steps the bot trades on paper.</h1>
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

const STEPS = ['Account', 'Strategy', 'Coins'] as const;

function Guide(): ReactNode {
  const [step, setStep] = useState(0);
  const [made, setMade] = useState<FirstProfile>({ accountId: undefined, choices: FIRST_CHOICES, coins: undefined });
  const { data } = useQuery(accountsQuery);
  const accounts = data?.accounts ?? [];
  const account =
    accounts.find(({ id }) => id === made.accountId) ??
    accounts.find(({ endpoint }) => endpoint === 'paper') ??
    accounts[0];
  return (
    <SignedOutFrame>
      <title>Welcome · Tradewind</title>
      <ol className="steps pt-6" aria-label="Steps">
        {STEPS.map((words, i) => (
          <li key={words} aria-current={i === step ? 'step' : undefined}>
            <Icon name={i < step ? 'ok' : i === step ? 'dot' : 'ring'} /> {i + 1}. {words}
            {i === 0 && step > 0 && account !== undefined ? `: ${account.name}` : ''}
          </li>
        ))}
      </ol>
      {step === 0 ? (
        <AccountStep
          accounts={accounts}
          chosen={account}
          onChoose={(accountId) => setMade({ ...made, accountId })}
          onNext={() => setStep(1)}
        />
      ) : null}
      {step === 1 && account !== undefined ? (
        <TradeStep
          account={account}
          choices={made.choices}
          onChange={(choices) => setMade({ ...made, choices })}
          onBack={() => setStep(0)}
          onNext={() => setStep(2)}
        />
      ) : null}
      {step === 2 && account !== undefined ? (
        <CoinStep
          account={account}
          made={made}
          onCoins={(coins) => setMade({ ...made, coins })}
          onBack={() => setStep(1)}
        />
      ) : null}
    </SignedOutFrame>
  );
}
