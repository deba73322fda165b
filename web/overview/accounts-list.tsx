import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { DashboardAccount } from '#web/data/answers.ts';
import { useDemo } from '#web/data/session.tsx';
import { moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { money } from '#web/ui/numbers.ts';
import { AccountTag } from '#web/ui/figures.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';

/** Every account on its own line: live, test and paper money are never added up. */
export function AccountsList({ accounts }: { accounts: readonly DashboardAccount[] }): ReactNode {
  return (
    <Section title="Accounts" note="paper and test money is never added to live money">
      <div className="tw">
        <table className="cards">
          <thead>
            <tr>
              <th>Account</th>
              <th className="num">Equity</th>
              <th className="num">Available</th>
              <th>Wallet updated</th>
              <th>API key</th>
            </tr>
          </thead>
          <tbody>
            {accounts.map((account) => (
              <Row key={account.id} account={account} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

function Row({ account }: { account: DashboardAccount }): ReactNode {
  const tag = tagOf(account);
  const unit = <span className="unit">{moneyUnit(tag, account.quoteAsset ?? '')}</span>;
  return (
    <tr>
      <td>
        {account.name} <AccountTag tag={tag} />
      </td>
      <td className="num rt">
        {money(account.equity, account.quoteAsset)} {unit}
      </td>
      <td className="num" data-l="Available">
        {money(account.free, account.quoteAsset)} {unit}
      </td>
      <td data-l="Wallet updated">{account.walletAt === null ? 'not yet' : <When wall at={account.walletAt} />}</td>
      <td className="full">
        <KeyStatus account={account} />
      </td>
    </tr>
  );
}

function KeyStatus({ account: { apiKey } }: { account: DashboardAccount }): ReactNode {
  const mend = useDemo() ? null : <Link to="/settings">Enter a key</Link>;
  if (apiKey === null) {
    return (
      <span className="care">
        <Icon name="warn" /> no API key: cannot trade. {mend}
      </span>
    );
  }
  if (apiKey.status === 'error') {
    return (
      <span className="care">
        <Icon name="warn" /> {apiKey.cause ?? 'rejected by the exchange'}. {mend}
      </span>
    );
  }
  return (
    <span>
      <Icon name={apiKey.status === 'healthy' ? 'ok' : 'ring'} />{' '}
      {apiKey.status === 'healthy' ? 'works' : 'not checked yet'}, ends in <code>{apiKey.last4}</code>
    </span>
  );
}
