import { useQueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { confirmReset } from '#api/contract/accounts.ts';
import { call } from '#web/data/call.ts';
import type { DashboardAccount } from '#web/data/queries.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { Say } from '#web/ui/say.tsx';
import { When } from '#web/ui/when.tsx';

/** Accounts whose exchange was found reset: they buy nothing until the operator says that this is right. */
export function ResetNotice({ accounts }: { accounts: readonly DashboardAccount[] }): ReactNode {
  const client = useQueryClient();
  return accounts.map(({ id, name, resetAt }) =>
    resetAt === null ? null : (
      <Say key={id} tone="care" title={`The exchange of ${name} was reset`}>
        <When at={resetAt} />: its wallet and orders began anew, and nothing is bought until you confirm it.{' '}
        <Confirm
          small
          words="Buy again…"
          title={`Let ${name} buy again?`}
          action={`Let ${name} buy on the reset exchange`}
          keep="Not yet"
          failed="Not confirmed."
          run={async () => {
            await call(confirmReset, { params: { id } });
            await client.invalidateQueries();
          }}
        >
          What was held before the reset is gone; its history stays. Profiles of this account that are on may buy at
          once.
        </Confirm>
      </Say>
    ),
  );
}
