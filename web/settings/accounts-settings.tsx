import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { z } from 'zod';
import {
  type account as accountSchema,
  createAccount,
  deleteAccount,
  deleteApiKey,
  renameAccount,
  saveApiKey,
  verifyApiKey,
} from '#api/contract/accounts.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { accountsQuery } from '#web/data/queries.ts';
import { TextForm } from '#web/ui/text-form.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { AccountTag } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Notice, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

type Account = z.infer<typeof accountSchema>;

function useRefresh(): () => Promise<void> {
  const client = useQueryClient();
  return async () => {
    await Promise.all([keys.accounts, keys.dashboard].map((queryKey) => client.invalidateQueries({ queryKey })));
  };
}

/** Every exchange account with its API key, and a form to add one. */
export function AccountSettings(): ReactNode {
  const { data, error } = useQuery(accountsQuery);
  return (
    <Section title="Accounts and keys" note="a key lets the service read and trade, never withdraw">
      {error === null ? null : <Failure what="Could not load the accounts." error={error} />}
      {data === undefined && error === null ? <Skeleton rows={2} height={52} /> : null}
      {data?.accounts.map((account) => (
        <OneAccount key={account.id} account={account} />
      ))}
      <details className="px-2">
        <summary>Add an account</summary>
        <NewAccount />
      </details>
    </Section>
  );
}

function OneAccount({ account }: { account: Account }): ReactNode {
  const refresh = useRefresh();
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
          submit={async ({ name = '' }) => {
            await call(renameAccount, { params, body: { name } });
            await refresh();
          }}
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
          run={async () => {
            await call(deleteAccount, { params });
            await refresh();
          }}
        >
          Its API key is deleted. Funds on the exchange stay there. An account with profiles cannot be deleted.
        </Confirm>
      </details>
    </div>
  );
}

function KeyState({ account: { id, name, apiKey, endpoint } }: { account: Account }): ReactNode {
  const refresh = useRefresh();
  const params = { id };
  const check = useMutation({ mutationFn: () => call(verifyApiKey, { params }), onSuccess: refresh });
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
      <button type="button" className="btn small" disabled={check.isPending} onClick={() => check.mutate()}>
        Check now
      </button>
      {endpoint === 'paper' ? null : (
        <Confirm
          small
          words="Remove key"
          title={`Remove the key of ${name}?`}
          action={`Remove the key that ends in ${apiKey.last4}`}
          failed="Not removed."
          run={async () => {
            await call(deleteApiKey, { params });
            await refresh();
          }}
        >
          {name} stops trading immediately: no more buys, sales or cancellations. Open orders stay on the exchange.
        </Confirm>
      )}
      {apiKey.cause === null ? null : (
        <Notice tone="care" title="The exchange rejected the key:">
          {apiKey.cause}
        </Notice>
      )}
      {check.isError ? <Failure what="Not checked." error={check.error} /> : null}
    </>
  );
}

function KeyForm({ account }: { account: Account }): ReactNode {
  const refresh = useRefresh();
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
        submit={async ({ apiKey = '', secret = '', label = '' }) => {
          const body = { apiKey: apiKey.trim(), secret: secret.trim(), label };
          await call(saveApiKey, { params: { id: account.id }, body });
          await refresh();
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
  const refresh = useRefresh();
  const [kind, setKind] = useState<(typeof KINDS)[number]>(KINDS[0]);
  return (
    <TextForm
      fields={[{ name: 'name', label: 'Name' }]}
      submit={async ({ name = '' }) => {
        const { exchangeMode, endpoint } = kind;
        await call(createAccount, { body: { name, exchangeMode, endpoint } });
        await refresh();
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
