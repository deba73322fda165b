import type { ReactNode } from 'react';
import type { AccountId } from '#core/ids.ts';
import type { Account } from '#web/data/answers.ts';
import { readDashboard } from '#api/contract/records.ts';
import { useMarketTime, useZone } from '#web/data/session.tsx';
import { useRead } from '#web/data/read.ts';
import { MarketChoice } from './market-choice.tsx';
import { AccountTag } from '#web/ui/figures.tsx';
import { Section } from '#web/ui/section.tsx';
import { tagOf } from '#web/ui/accounts.ts';
import { full } from '#web/ui/time.ts';
import { money } from '#web/ui/numbers.ts';

interface StepProps {
  accounts: readonly Account[];
  chosen: Account | undefined;
  onChoose: (id: AccountId) => void;
  onNext: () => void;
}

/** Step 1: the account. A new installation has one, on the paper exchange. */
export function AccountStep({ accounts, chosen, onChoose, onNext }: StepProps): ReactNode {
  return (
    <>
      <div className="head">
        <h1 className="verdict">Choose an account.</h1>
        <p className="two">Start on paper. The same settings can run on a real account later.</p>
      </div>
      <div className="cols">
        <Section title="Account" span={7}>
          <div role="radiogroup" aria-label="Account">
            {accounts.map((account) => (
              <label key={account.id} className={account.id === chosen?.id ? 'pick on' : 'pick'}>
                <input
                  type="radio"
                  name="account"
                  checked={account.id === chosen?.id}
                  onChange={() => onChoose(account.id)}
                />
                <span>
                  <b>{account.name}</b> <AccountTag tag={tagOf(account)} />
                  <span className="note block pt-1">
                    <AccountNote account={account} />
                  </span>
                </span>
              </label>
            ))}
          </div>
          <div className="actions">
            <button type="button" className="btn go" disabled={chosen === undefined} onClick={onNext}>
              Continue to strategy
            </button>
            <span className="note">Nothing trades before step 4.</span>
          </div>
        </Section>
        {chosen?.endpoint === 'paper' ? <MarketChoice key={chosen.id} accountId={chosen.id} /> : null}
      </div>
    </>
  );
}

function AccountNote({ account: { endpoint, exchangeMode, id } }: { account: Account }): ReactNode {
  // The worker reads the wallet and the market within seconds of the first sign-up.
  const { data } = useRead(readDashboard, {}, { every: 2_000 });
  const market = useMarketTime();
  const zone = useZone();
  if (endpoint !== 'paper') {
    return exchangeMode === 'live'
      ? 'Real money on the exchange.'
      : 'The test network of the exchange: its prices, play money.';
  }
  const wallet = data?.accounts.find((entry) => entry.id === id);
  const funds = wallet?.free == null ? '' : ` It holds ${money(wallet.free)} paper ${wallet.quoteAsset ?? ''}.`;
  const clock = market === null ? '' : ` Its market has its own clock, now ${full(market.marketMs, zone, true)}.`;
  return `Paper money on a practice exchange that runs inside this installation. Orders are matched as on a real one, but no real money is at stake.${funds}${clock}`;
}
