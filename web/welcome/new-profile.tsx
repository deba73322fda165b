import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { withEqualShares } from '#strategies/presets.ts';
import { listDayTickers } from '#api/contract/market.ts';
import { readDashboard } from '#api/contract/records.ts';
import { listStrategies } from '#api/contract/profiles.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { usePaperMarket } from '#web/data/use-paper-market.ts';
import { useMarkets } from '#web/data/use-markets.ts';
import { useRead } from '#web/data/read.ts';
import { moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { Icon } from '#web/ui/icon.tsx';
import { coinRows, firstCoins } from './coin-rows.ts';
import { configOf, type DraftState, type PresetName, useDraft } from './draft.ts';
import { useReplay } from './use-replay.ts';
import { AccountStep } from './welcome-account.tsx';
import type { Account } from '#web/data/answers.ts';
import { CoinStep } from './welcome-coins.tsx';
import { ReviewStep } from './welcome-review.tsx';
import { StrategyStep } from './welcome-strategy.tsx';
import { Read } from '#web/ui/read.tsx';

const STEPS = ['Account', 'Strategy', 'Coins', 'Review'] as const;

/** The wizard: a new profile in four steps. */
export function NewProfilePage(): ReactNode {
  const state = useDraft();
  const { draft } = state;
  const all = useRead(listAccounts, {});
  const accounts = all.data?.accounts ?? [];
  const account =
    accounts.find(({ id }) => id === draft.accountId) ??
    accounts.find(({ endpoint }) => endpoint === 'paper') ??
    accounts[0];
  return (
    <>
      <title>New profile · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/profiles">Profiles</Link>
        <span aria-current="page">New profile</span>
      </nav>
      <ol className="steps" aria-label="Steps">
        {STEPS.map((words, i) => (
          <li key={words} aria-current={i === draft.step ? 'step' : undefined}>
            <Icon name={i < draft.step ? 'ok' : i === draft.step ? 'dot' : 'ring'} />{' '}
            {i < draft.step ? (
              <button type="button" className="link" onClick={() => state.change({ step: i })}>
                {i + 1} {words}
                {i === 0 && account !== undefined ? `: ${account.name}` : ''}
              </button>
            ) : (
              `${i + 1} ${words}`
            )}
          </li>
        ))}
      </ol>
      <Read of={all} what="the accounts" rows={6}>
        {() =>
          account === undefined ? (
            <p className="p-2">There is no account yet.</p>
          ) : (
            <Steps key={account.id} state={state} account={account} accounts={accounts} />
          )
        }
      </Read>
    </>
  );
}

interface StepsProps {
  state: DraftState;
  account: Account;
  accounts: readonly Account[];
}

const TICKERS_EVERY_MS = 10_000;

function Steps({ state, account, accounts }: StepsProps): ReactNode {
  const { draft, change } = state;
  const paper = usePaperMarket();
  const markets = useMarkets(account.id);
  const known = markets.data;
  const { data: days } = useRead(listDayTickers, { params: { id: account.id } }, { every: TICKERS_EVERY_MS });
  const { data: board } = useRead(readDashboard, {}, { every: 2_000 });
  const wallet = board?.accounts.find(({ id }) => id === account.id);
  const rows = known === undefined ? undefined : coinRows(known.symbols, days?.tickers ?? []);
  // Without their volumes the first coins would be others a moment later.
  const suggested = rows === undefined || days === undefined ? [] : firstCoins(rows);
  const coins = draft.coins ?? suggested;
  const isPaper = account.endpoint === 'paper';
  const invented = isPaper && (paper?.market === 'invented' || paper?.market === 'two-months');
  const preset: PresetName = isPaper && paper?.market === 'invented' ? 'Active' : 'Balanced';
  const config = configOf(draft, preset);
  const asset = rows?.find(({ symbol }) => symbol === coins[0])?.quoteAsset ?? 'USDT';
  const unit = moneyUnit(tagOf(account), asset);
  const marketAt = wallet?.marketAt;
  const replay = useReplay({
    ...{ accountId: account.id, markets: known?.symbols, strategy: draft.strategy, coins },
    config: withEqualShares(draft.strategy, config, coins),
    endMs: marketAt == null ? undefined : Date.parse(marketAt),
  });
  const perCoin = replay.check?.perCoin ?? null;
  const strategies = useRead(listStrategies, {}).data?.strategies.filter(({ offered }) => offered) ?? [];
  const go = (step: number) => () => change({ step });
  if (draft.step === 0)
    return (
      <AccountStep
        accounts={accounts}
        chosen={account}
        onChoose={(accountId) => change({ accountId, coins: undefined })}
        onNext={go(1)}
      />
    );
  if (draft.step === 1)
    return (
      <StrategyStep
        {...{ account, state, config, strategies, replay, asset: unit, invented }}
        onBack={go(0)}
        onNext={go(2)}
      />
    );
  if (draft.step === 2)
    return (
      <CoinStep
        {...{ rows, perCoin, unit }}
        replay={replay.answer}
        error={markets.error}
        chosen={coins}
        free={wallet?.free ?? null}
        onChoose={(chosen) => change({ coins: [...chosen] })}
        onBack={go(1)}
        onNext={go(3)}
      />
    );
  return (
    <ReviewStep
      {...{ account, state, config, strategies, coins, perCoin, unit }}
      first={board?.profiles.length === 0}
      onBack={go(2)}
    />
  );
}
