import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listDayTickers } from '#api/contract/market.ts';
import { withEqualShares } from '#strategies/presets.ts';
import { call } from '#web/data/call.ts';
import { accountsQuery, dashboardQuery, strategiesQuery, symbolsQuery } from '#web/data/queries.ts';
import { moneyUnit, tagOf } from '#web/ui/accounts.ts';
import { Icon } from '#web/ui/icon.tsx';
import { Skeleton } from '#web/ui/notice.tsx';
import { coinRows, firstCoins } from './coin-rows.ts';
import { configOf, type DraftState, type PresetName, useDraft } from './draft.ts';
import { usePaperMarket } from '#web/data/use-paper-market.ts';
import { useReplay } from './use-replay.ts';
import { type Account, AccountStep } from './welcome-account.tsx';
import { CoinStep } from './welcome-coins.tsx';
import { ReviewStep } from './welcome-review.tsx';
import { StrategyStep } from './welcome-strategy.tsx';

const STEPS = ['Account', 'Strategy', 'Coins', 'Review'] as const;

/** The wizard: a new profile in four steps. */
export function NewProfilePage(): ReactNode {
  const state = useDraft();
  const { draft } = state;
  const { data } = useQuery(accountsQuery);
  const accounts = data?.accounts ?? [];
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
      {account === undefined ? (
        <Skeleton rows={6} />
      ) : (
        <Steps key={account.id} state={state} account={account} accounts={accounts} />
      )}
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
  const { data: known, error: symbolsError } = useQuery(symbolsQuery(account.id));
  const { data: days } = useQuery({
    queryKey: ['day-tickers', account.id],
    queryFn: ({ signal }) => call(listDayTickers, { params: { id: account.id } }, signal),
    refetchInterval: TICKERS_EVERY_MS,
  });
  const { data: board } = useQuery({ ...dashboardQuery, refetchInterval: 2_000 });
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
  const strategies = useQuery(strategiesQuery).data?.strategies ?? [];
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
      <StrategyStep {...{ state, config, strategies, replay, asset: unit, invented }} onBack={go(0)} onNext={go(2)} />
    );
  if (draft.step === 2)
    return (
      <CoinStep
        {...{ rows, perCoin, unit }}
        error={symbolsError}
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
