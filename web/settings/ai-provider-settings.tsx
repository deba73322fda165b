import { type ReactNode, useState } from 'react';
import type { AiProviderName, CredentialKind } from '#core/installation/ai-provider.ts';
import { changeAiProvider, readAiProvider, testAiProvider } from '#api/contract/ai-provider.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { Choice } from '#web/ui/field.tsx';
import { TextForm } from '#web/ui/text-form.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';

type Provider = Answer<typeof readAiProvider>['aiProvider'];

const PROVIDERS: readonly { value: AiProviderName; words: string }[] = [
  { value: 'anthropic', words: 'Anthropic' },
  { value: 'openai-compatible', words: 'another endpoint' },
];
const CREDENTIALS: readonly { value: CredentialKind; words: string }[] = [
  { value: 'console-key', words: 'console key' },
  { value: 'oauth-token', words: 'OAuth token' },
];

/** The AI provider of the backtest advisor. The credential is write-only. */
export function AiProviderSettings(): ReactNode {
  const provider = useRead(readAiProvider, {});
  return (
    <Section title="AI provider" note="the language model of the backtest advisor">
      <Read of={provider} what="the AI provider">
        {({ aiProvider: held }) => (
          <>
            {held === null ? (
              <p className="two p-2">
                No provider is set up. The advisor prompt also works with any chatbot, without a key.
              </p>
            ) : (
              <Held held={held} />
            )}
            <details className="px-2">
              <summary>{held === null ? 'Set up a provider' : 'Change the provider'}</summary>
              <Setup key={held?.updatedAt} held={held} />
            </details>
          </>
        )}
      </Read>
    </Section>
  );
}

function Held({ held }: { held: NonNullable<Provider> }): ReactNode {
  const test = useAct(testAiProvider);
  const { credential } = held;
  return (
    <>
      <dl className="dl">
        <dt>Model</dt>
        <dd>{held.model}</dd>
        <dt>Address</dt>
        <dd>{held.baseUrl}</dd>
        <dt>Credential</dt>
        <dd>
          {credential === null
            ? 'none'
            : `${credential.kind.replace('-', ' ')}${credential.last4 === '' ? '' : `, ends in ${credential.last4}`}`}
        </dd>
      </dl>
      <div className="actions">
        <button type="button" className="btn" disabled={test.isPending} onClick={() => test.mutate({})}>
          {test.isPending ? 'Waiting for the answer' : 'Send a test question'}
        </button>
        <Confirm
          words="Remove…"
          title="Remove the AI provider?"
          action={`Remove ${held.model}`}
          failed="Not removed."
          run={() => call(changeAiProvider, { body: { provider: null } })}
        >
          <p>Its credential is deleted. Saved answers stay; the advisor prompt still works with any chatbot.</p>
        </Confirm>
        <span className="note">The test may cost a little.</span>
      </div>
      <Failure what="Not sent." error={test.error} />
      {test.data === undefined ? null : (
        <Notice tone={test.data.ok ? 'next' : 'care'} title={test.data.ok ? 'Works.' : 'Failed.'}>
          {test.data.detail}
        </Notice>
      )}
    </>
  );
}

function Setup({ held }: { held: Provider }): ReactNode {
  const [provider, setProvider] = useState<AiProviderName>(held?.provider ?? 'anthropic');
  const [kind, setKind] = useState<CredentialKind>(held?.credential?.kind ?? 'console-key');
  const other = provider === 'openai-compatible';
  return (
    <>
      <Choice
        label="Provider"
        note={other ? 'Any endpoint with the OpenAI chat completions API, such as a local model.' : undefined}
        value={provider}
        options={PROVIDERS}
        onChange={(value) => setProvider(PROVIDERS.find((option) => option.value === value)?.value ?? 'anthropic')}
      />
      {other ? null : (
        <Choice
          label="Kind of credential"
          value={kind}
          options={CREDENTIALS}
          onChange={(value) => setKind(CREDENTIALS.find((option) => option.value === value)?.value ?? 'console-key')}
        />
      )}
      <TextForm
        first={{ baseUrl: held?.provider === provider ? held.baseUrl : '', model: held?.model ?? '' }}
        fields={[
          { name: 'model', label: 'Model', note: 'Model name of the provider.' },
          {
            name: 'baseUrl',
            label: 'Address',
            note: 'Empty: the default address of the provider.',
            input: { required: false, inputMode: 'url' },
          },
          {
            name: 'credential',
            label: 'Credential',
            note: `${held?.credential == null ? '' : 'Stored; empty keeps it. '}It can spend money: give it a limit at the provider. It is kept unencrypted in the database, and never shown again.`,
            input: { type: 'password', autoComplete: 'off', required: false },
          },
        ]}
        submit={({ baseUrl = '', model = '', credential = '' }) => {
          const secret = credential === '' ? {} : { credential, ...(other ? {} : { credentialKind: kind }) };
          return call(changeAiProvider, { body: { provider, baseUrl, model, ...secret } });
        }}
        action="Save the provider"
        failed="Not saved."
        done="Saved. Send a test question to see whether it answers."
      />
    </>
  );
}
