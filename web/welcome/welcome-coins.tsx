import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { createProfile } from '#api/contract/profiles.ts';
import { call } from '#web/data/call.ts';
import { type Market, symbolsQuery } from '#web/data/queries.ts';
import { type FirstChoices, firstConfig, STRATEGY } from '#web/config/first-config.ts';
import type { FirstProfile } from './first-profile.ts';
import { CoinPicker } from '#web/profile/coin-picker.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import type { Account } from './welcome-account.tsx';

interface StepProps {
  account: Account;
  made: FirstProfile;
  onCoins: (coins: ReadonlySet<string>) => void;
  onBack: () => void;
}

const FIRST_COIN = 'BTCUSDT';
const preselected = (known: readonly Market[] | undefined): ReadonlySet<string> =>
  new Set(known?.some(({ symbol }) => symbol === FIRST_COIN) ? [FIRST_COIN] : []);

/** Step 3: the coins; then the profile is created and started. */
export function CoinStep({ account, made, onCoins, onBack }: StepProps): ReactNode {
  const { data, error } = useQuery(symbolsQuery(account.id));
  const known = data?.symbols;
  const coins = made.coins ?? preselected(known);
  const toggle = (symbol: string): void => onCoins(coins.symmetricDifference(new Set([symbol])));
  const start = useStart(account, { choices: made.choices, coins });
  const paper = tagOf(account) === 'PAPER';
  return (
    <>
      <div className="head">
        <h1 className="verdict">Choose the coins.</h1>
        <p className="two">One is enough to start. All coins share the balance.</p>
      </div>
      <div className="cols">
        <Section title="Coins" span={7}>
          {known === undefined && error === null ? <Skeleton rows={6} /> : null}
          {error === null ? null : <Failure what="Could not load the coins." error={error} />}
          {known?.length === 0 ? (
            <p className="p-2" role="status">
              No coins loaded yet. The list appears once the worker has read them from the exchange.
            </p>
          ) : null}
          {known === undefined || known.length === 0 ? null : (
            <CoinPicker markets={known} chosen={coins} onToggle={toggle} />
          )}
          {start.isError ? <Failure what="Not started." error={start.error} /> : null}
          <div className="actions">
            <button type="button" className="btn" onClick={onBack}>
              Back
            </button>
            <button
              type="button"
              className="btn go"
              disabled={coins.size === 0 || start.isPending}
              onClick={() => start.mutate()}
            >
              {paper ? 'Start trading on paper' : `Start trading on ${account.name}`}
            </button>
            <span className="note">{coins.size === 0 ? 'Choose at least one coin.' : [...coins].join(', ')}</span>
          </div>
        </Section>
      </div>
    </>
  );
}

function useStart(account: Account, { choices, coins }: { choices: FirstChoices; coins: ReadonlySet<string> }) {
  const client = useQueryClient();
  const navigate = useNavigate();
  return useMutation({
    mutationFn: () => {
      const config = firstConfig(choices);
      if (config.kind === 'refused') throw new Error(Object.values(config.errors).join(' '));
      const body = {
        accountId: account.id,
        name: 'First profile',
        strategyName: STRATEGY,
        config: config.config,
        enabled: true,
        symbols: [...coins],
      };
      return call(createProfile, { body });
    },
    onSuccess: async () => {
      await client.invalidateQueries();
      await navigate({ to: '/' });
    },
  });
}
