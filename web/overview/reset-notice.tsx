import type { ReactNode } from 'react';
import { confirmReset } from '#api/contract/accounts.ts';
import { call } from '#web/data/call.ts';
import type { DashboardAccount } from '#web/data/answers.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { When } from '#web/ui/when.tsx';

/** Accounts whose test exchange was reset: they buy nothing until the operator confirms the reset. */
export function ResetNotice({ accounts }: { accounts: readonly DashboardAccount[] }): ReactNode {
  return accounts.map(({ id, name, resetAt }) =>
    resetAt === null ? null : (
      <Notice key={id} tone="care" title={`Test exchange ${name} was reset`}>
        <When wall at={resetAt} />: wallet and orders start from zero. Buying is stopped until you confirm.{' '}
        <Confirm
          small
          words="Allow buying…"
          title={`Allow buying on ${name}?`}
          action={`Allow buying on ${name}`}
          failed="Not confirmed."
          run={() => call(confirmReset, { params: { id } })}
        >
          Positions from before the reset are gone; their history stays. Running profiles of this account may buy at
          once.
        </Confirm>
      </Notice>
    ),
  );
}
