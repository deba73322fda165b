import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { AccountId } from '#core/ids.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import type { Answer } from '#api/contract/operation.ts';
import { listTokens, revokeAllTokens, revokeToken } from '#api/contract/tokens.ts';
import { call } from '#web/data/call.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo, useNow } from '#web/data/session.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { count, money } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { ConnectHelp } from './connect-help.tsx';
import { CopyText } from './copy-text.tsx';
import { DemoNote } from './demo-note.tsx';
import { type CreatedToken, NewToken } from './new-token.tsx';
import { scopesText } from './scopes.ts';

const POLL_MS = 15_000;

type Token = Answer<typeof listTokens>['tokens'][number];

/** The API tokens of programs: create, list and revoke them. */
export function TokensPage(): ReactNode {
  const demo = useDemo();
  return (
    <>
      <title>API tokens · Tradewind</title>
      {demo ? <DemoNote title="API tokens" /> : <Tokens />}
    </>
  );
}

function Tokens(): ReactNode {
  const [created, setCreated] = useState<CreatedToken | undefined>(undefined);
  const tokens = useRead(listTokens, {}, { every: POLL_MS });
  const now = useNow();
  const isActive = ({ revokedAt, expiresAt }: Token): boolean => revokedAt === null && Date.parse(expiresAt) > now;
  const active = tokens.data?.tokens.filter(isActive) ?? [];
  const ended = tokens.data?.tokens.filter((token) => !isActive(token)) ?? [];
  return (
    <>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/settings">Settings</Link>
        <span>API tokens</span>
      </nav>
      <div className="head">
        <h1 className="verdict">
          {tokens.data === undefined
            ? 'API tokens'
            : active.length === 0
              ? 'No program may use the API.'
              : `${count(active.length, 'token')} may use the API.`}
        </h1>
        <p className="two">
          No token can place an order without your approval, withdraw, allow buying again, or read keys and passwords.
        </p>
      </div>
      <div className="cols">
        <div className="c8">
          {created === undefined ? null : <Created {...created} onClose={() => setCreated(undefined)} />}
          <Section title="API tokens">
            <Read of={tokens} what="the API tokens" rows={2}>
              {() => <TokenTable tokens={active} />}
            </Read>
            {active.length < 2 ? null : <RevokeAll total={active.length} />}
            {ended.length === 0 ? null : (
              <details className="px-2">
                <summary>{count(ended.length, 'ended token')}</summary>
                <ul className="block">
                  {ended.map(({ id, name, hint, revokedAt, expiresAt }) => (
                    <li key={id}>
                      <span />
                      <span>
                        {name} <span className="note">…{hint}</span> {revokedAt === null ? 'expired' : 'revoked'}{' '}
                        <When at={revokedAt ?? expiresAt} />
                      </span>
                    </li>
                  ))}
                </ul>
              </details>
            )}
          </Section>
          <ConnectHelp token={created?.token} />
        </div>
        <div className="c4">
          <NewToken onCreated={setCreated} />
        </div>
      </div>
    </>
  );
}

function Created({ name, token, onClose }: CreatedToken & { onClose: () => void }): ReactNode {
  return (
    <Section title={`Token of ${name}`} note="shown only now">
      <p className="p-2" role="status">
        The token is created. Copy it now: it cannot be shown again.
      </p>
      <CopyText name="the token" text={token} />
      <div className="actions">
        <button type="button" className="btn" onClick={onClose}>
          I have copied it
        </button>
      </div>
    </Section>
  );
}

function TokenTable({ tokens }: { tokens: readonly Token[] }): ReactNode {
  const accounts = useRead(listAccounts, {}).data?.accounts ?? [];
  const nameOf = (id: AccountId): string => accounts.find((account) => account.id === id)?.name ?? 'deleted account';
  if (tokens.length === 0) return <p className="p-2">No tokens yet. Create one for each program.</p>;
  return (
    <div className="tw">
      <table className="cards">
        <thead>
          <tr>
            <th>Name</th>
            <th>May</th>
            <th>Account</th>
            <th>Budget</th>
            <th>Last used</th>
            <th>Expires</th>
            <th className="num">
              <span className="vh">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <TokenRow key={token.id} token={token} accounts={token.accountIds?.map(nameOf) ?? ['every account']} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function TokenRow({ token, accounts }: { token: Token; accounts: readonly string[] }): ReactNode {
  const { id, name, hint, scopes, budget, lastUsedAt, lastIp, expiresAt } = token;
  return (
    <tr>
      <td>
        <b>{name}</b> <span className="note">…{hint}</span>
      </td>
      <td className="rt">{scopesText(scopes)}</td>
      <td data-l="Account">{accounts.join(', ')}</td>
      <td className="rt" data-l="Budget">
        {budget === null
          ? 'none'
          : `${money(budget.perOrder, budget.asset)} an order, ${money(budget.perDay, budget.asset)} ${budget.asset} a day`}
      </td>
      <td data-l="Last used">
        {lastUsedAt === null ? (
          'never'
        ) : (
          <>
            <When at={lastUsedAt} />
            {lastIp === null ? null : <span className="note block">{lastIp}</span>}
          </>
        )}
      </td>
      <td className="rt" data-l="Expires">
        <When at={expiresAt} day />
      </td>
      <td className="num rt">
        <Confirm
          small
          words="Revoke…"
          label={`Revoke ${name}…`}
          title={`Revoke the token of ${name}?`}
          action={`Revoke ${name}`}
          failed="Not revoked."
          run={() => call(revokeToken, { params: { id } })}
        >
          The next request with it is refused, and its open proposals cannot be approved. This cannot be undone.
        </Confirm>
      </td>
    </tr>
  );
}

function RevokeAll({ total }: { total: number }): ReactNode {
  return (
    <div className="actions">
      <Confirm
        words="Revoke all…"
        title={`Revoke all ${total} tokens?`}
        action={`Revoke ${total} tokens`}
        failed="Not revoked."
        run={() => call(revokeAllTokens, {})}
      >
        The next request of every program is refused. This cannot be undone.
      </Confirm>
    </div>
  );
}
