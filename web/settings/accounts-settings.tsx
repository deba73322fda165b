import { type ReactNode, useState } from 'react';
import {
  createAccount,
  deleteAccount,
  deleteApiKey,
  listAccounts,
  renameAccount,
  saveApiKey,
  verifyApiKey,
} from '#api/contract/accounts.ts';
import type { Account } from '#web/data/answers.ts';
import { call } from '#web/data/call.ts';
import { useAct, useRead } from '#web/data/read.ts';
import { TextForm } from '#web/ui/text-form.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { AccountTag } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { Read } from '#web/ui/read.tsx';

/** Every exchange account with its API key, and a form to add one. */
export function AccountSettings(): ReactNode {
  const accounts = useRead(listAccounts, {});
  return (
    <Section title="Accounts and keys" note="a key lets the service read and trade, never withdraw">
      <Read of={accounts} what="the accounts" rows={2} height={52}>
        {(data) => data.accounts.map((account) => <OneAccount key={account.id} account={account} />)}
      </Read>
      <details className="px-2">
        <summary>Add an account</summary>
        <NewAccount />
      </details>
    </Section>
  );
}

function OneAccount({ account }: { account: Account }): ReactNode {
  const params = { id: account.id };
  const paper = account.endpoint === 'paper';
  return (
    <div className="field stack" id={`account-${account.id}`}>
      <span className="flex flex-wrap items-center gap-2">
        <b>{account.name}</b> <AccountTag tag={tagOf(account)} />
        <span className="grow" />
        <KeyState account={account} />
      </span>
      {paper ? (
        <span className="note">The paper exchange of this installation created its key automatically.</span>
      ) : (
        <details open={account.apiKey === null}>
          <summary>{account.apiKey === null ? 'Enter the API key' : 'Replace the API key'}</summary>
          <KeyForm account={account} />
        </details>
      )}
      <details>
        <summary>Rename or delete</summary>
        <TextForm
          fields={[{ name: 'name', label: 'Name' }]}
          first={{ name: account.name }}
          submit={({ name = '' }) => call(renameAccount, { params, body: { name } })}
          action="Rename"
          failed="Not renamed."
          done="Renamed."
        />
        <Confirm
          small
          words="Delete this account"
          title={`Delete the account ${account.name}?`}
          action={`Delete ${account.name}`}
          failed="Not deleted."
          run={() => call(deleteAccount, { params })}
        >
          Its API key is deleted. Funds on the exchange stay there. An account with profiles cannot be deleted.
        </Confirm>
      </details>
    </div>
  );
}

function KeyState({ account: { id, name, apiKey, endpoint } }: { account: Account }): ReactNode {
  const params = { id };
  const check = useAct(verifyApiKey);
  if (apiKey === null) {
    return (
      <span className="care">
        <Icon name="warn" /> no API key: cannot trade
      </span>
    );
  }
  return (
    <>
      <span className={apiKey.status === 'error' ? 'care' : ''}>
        <Icon name={apiKey.status === 'healthy' ? 'ok' : apiKey.status === 'error' ? 'warn' : 'ring'} />{' '}
        {apiKey.status === 'healthy' ? 'works' : apiKey.status === 'error' ? 'rejected' : 'not checked yet'}, ends in{' '}
        <code>{apiKey.last4}</code>
        {apiKey.checkedAt === null ? null : (
          <span className="note">
            {' '}
            checked <When at={apiKey.checkedAt} />
          </span>
        )}
      </span>
      <button type="button" className="btn small" disabled={check.isPending} onClick={() => check.mutate({ params })}>
        Check now
      </button>
      {endpoint === 'paper' ? null : (
        <Confirm
          small
          words="Remove key"
          title={`Remove the key of ${name}?`}
          action={`Remove the key that ends in ${apiKey.last4}`}
          failed="Not removed."
          run={() => call(deleteApiKey, { params })}
        >
          {name} stops trading immediately: no more buys, sales or cancellations. Open orders stay on the exchange.
        </Confirm>
      )}
      {apiKey.cause === null ? null : (
        <Notice tone="care" title="The exchange rejected the key:">
          {apiKey.cause}
        </Notice>
      )}
      <Failure what="Not checked." error={check.error} />
    </>
  );
}

function KeyForm({ account }: { account: Account }): ReactNode {
  return (
    <>
      <ol className="note list-decimal pl-5 py-2">
        <li>At the exchange, open API management and create a key.</li>
        <li>Allow reading and spot trading. Leave withdrawals off: the service never needs them.</li>
        <li>Restrict the key to the internet address of this machine.</li>
        <li>Enter both parts here. They are kept unencrypted in the database of this installation.</li>
      </ol>
      <TextForm
        fields={[
          { name: 'apiKey', label: 'API key' },
          { name: 'secret', label: 'Secret', note: 'Shown once by the exchange.', input: { type: 'password' } },
          { name: 'label', label: 'Label', input: { required: false } },
        ]}
        submit={({ apiKey = '', secret = '', label = '' }) => {
          const body = { apiKey: apiKey.trim(), secret: secret.trim(), label };
          return call(saveApiKey, { params: { id: account.id }, body });
        }}
        action={`Save the key of ${account.name}`}
        failed="Not saved."
        done="Saved. The worker checks it within seconds."
      />
    </>
  );
}

const KINDS = [
  { words: 'Test network: prices of its own, play money', exchangeMode: 'testnet', endpoint: 'exchange' },
  { words: 'Demo of the exchange: real prices, play money', exchangeMode: 'testnet', endpoint: 'demo' },
  { words: 'Live: real money', exchangeMode: 'live', endpoint: 'exchange' },
  { words: 'Paper, inside this installation', exchangeMode: 'testnet', endpoint: 'paper' },
] as const;

function NewAccount(): ReactNode {
  const [kind, setKind] = useState<(typeof KINDS)[number]>(KINDS[0]);
  return (
    <TextForm
      fields={[{ name: 'name', label: 'Name' }]}
      submit={({ name = '' }) => {
        const { exchangeMode, endpoint } = kind;
        return call(createAccount, { body: { name, exchangeMode, endpoint } });
      }}
      action="Add the account"
      failed="Not added."
      done="Added. Enter its API key above."
    >
      <div role="radiogroup" aria-label="Environment">
        {KINDS.map((option) => (
          <label key={option.words} className={option === kind ? 'pick on' : 'pick'}>
            <input type="radio" name="kind" checked={option === kind} onChange={() => setKind(option)} />
            <span>{option.words}</span>
          </label>
        ))}
      </div>
      <p className="note p-2">This cannot be changed later.</p>
    </TextForm>
  );
}
