import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { launchSweep } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import type { Ready } from './research-ready.tsx';
import { NotStarted } from '#web/ui/not-started.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { count } from '#web/ui/numbers.ts';
import { firstTerms, isTerm, type Terms, termsBody } from '#web/ui/research.ts';
import { ONE_OF_SEVERAL } from '#web/ui/sharing.ts';
import { axesOf, combinationsOf, variedSettingsText, type VariedSetting } from './sweep-axes.ts';
import { Choice, Field, Switch } from '#web/ui/field.tsx';
import { VariedSettings } from './varied-settings.tsx';
import { TermsFields } from './terms-fields.tsx';

const SEARCHES = [
  { value: 'grid', words: 'Grid' },
  { value: 'random', words: 'Random' },
  { value: 'halving', words: 'Successive halving' },
] as const;
const RANKS = [
  { value: 'sharpe', words: 'Sharpe' },
  { value: 'return', words: 'Return' },
  { value: 'sortino', words: 'Sortino' },
  { value: 'calmar', words: 'Calmar' },
  { value: 'net', words: 'Net P&L' },
] as const;

const SEARCH_NOTES: Readonly<Record<Search['search'], string>> = {
  grid: 'Every combination of the values.',
  random: 'A random sample of the combinations.',
  halving: 'All on a short part of the period, then the better half on a longer one.',
};
const RANK_NOTES: Readonly<Record<Search['rank'], string>> = {
  sharpe: 'Return per unit of volatility.',
  return: 'Total return.',
  sortino: 'Return per unit of downside volatility.',
  calmar: 'Return per unit of max drawdown.',
  net: 'Net P&L of closed trades.',
};

/** How a sweep searches, as the form holds it. */
interface Search {
  readonly search: (typeof SEARCHES)[number]['value'];
  readonly count: string;
  readonly rank: (typeof RANKS)[number]['value'];
  readonly forward: boolean;
  readonly trainDays: string;
  readonly testDays: string;
}
const FIRST: Search = { search: 'grid', count: '200', rank: 'sharpe', forward: false, trainDays: '14', testDays: '4' };

/** Starts a sweep that all workers share. */
export function SweepForm({ ready }: { ready: Ready }): ReactNode {
  const { profile, coins, schema, config, quote, interval, marketNow } = ready;
  const client = useQueryClient();
  const navigate = useNavigate();
  const axes = axesOf(schema, config);
  const [symbol, setSymbol] = useState(coins[0]?.symbol ?? '');
  const [varied, setVaried] = useState<readonly VariedSetting[]>(() => firstVaried(axes));
  const [terms, setTerms] = useState<Terms>(() => firstTerms(marketNow()));
  const [search, setSearch] = useState(FIRST);
  const sets = combinationsOf(varied);
  const launch = useMutation({
    mutationFn: () => {
      const how = searchBody(search);
      const body = {
        ...termsBody(terms, marketNow()),
        ...how,
        symbol,
        knobs: variedSettingsText(varied),
        overrideConfig: {},
      };
      return call(launchSweep, { params: { id: profile.id }, body });
    },
    onSuccess: ({ sweepId }) => {
      void client.invalidateQueries({ queryKey: ['sweeps', profile.id] });
      return navigate({ to: '/profiles/$id/sweeps/$sweepId', params: { id: profile.id, sweepId } });
    },
  });
  const errors = launch.error instanceof ProblemError ? (launch.error.problem.errors ?? []) : [];
  const errorOf = (path: string): string | undefined => errors.find((problem) => problem.path === path)?.message;
  const isShown = (path: string): boolean =>
    isTerm(path) ||
    ['knobs', 'count', 'walkForward', 'walkForward.trainDays', 'walkForward.testDays'].includes(path) ||
    (path === 'symbol' && coins.length > 1);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    launch.mutate();
  };
  const tried = search.search === 'random' && sets !== undefined ? Math.min(sets, Number(search.count)) : sets;
  return (
    <form onSubmit={submit} noValidate>
      {coins.length < 2 ? null : (
        <Choice
          label="Coin"
          note={`A sweep runs one coin. ${ONE_OF_SEVERAL}`}
          value={symbol}
          error={errorOf('symbol')}
          options={coins.map((coin) => ({ value: coin.symbol, words: coin.symbol }))}
          onChange={setSymbol}
        />
      )}
      <VariedSettings axes={axes} settings={varied} onChange={setVaried} />
      {errorOf('knobs') === undefined ? null : <Notice tone="loss">{errorOf('knobs')}</Notice>}
      <SearchFields search={search} onChange={setSearch} errorOf={errorOf} />
      <TermsFields {...{ terms, interval, quote, errorOf }} onChange={setTerms} />
      {launch.isError ? <NotStarted error={launch.error} isShown={isShown} /> : null}
      <div className="actions">
        <button type="submit" className="btn go" disabled={launch.isPending || varied.length === 0}>
          {tried === undefined || !Number.isFinite(tried) ? 'Run the sweep' : `Run ${count(tried, 'setting')}`}
        </button>
        <span className="note">
          {varied.length === 0 ? 'Choose a setting to vary first.' : 'Every run counts as tried.'}
        </span>
      </div>
    </form>
  );
}

/** The last two basic distances: they decide when it sells. */
const firstVaried = (axes: ReturnType<typeof axesOf>): VariedSetting[] =>
  axes
    .filter(({ advanced, values }) => !advanced && typeof values[0] === 'string')
    .slice(-2)
    .map(({ path, values }) => ({ path, values: values.join(', ') }));

const searchBody = ({ search, count: draws, rank, forward, trainDays, testDays }: Search) => ({
  search,
  rank,
  ...(search === 'random' ? { count: Number(draws) } : {}),
  ...(forward && search !== 'halving'
    ? { walkForward: { trainDays: Number(trainDays), testDays: Number(testDays) } }
    : {}),
});

interface SearchProps {
  search: Search;
  onChange: (search: Search) => void;
  errorOf: (path: string) => string | undefined;
}

function SearchFields({ search, onChange, errorOf }: SearchProps): ReactNode {
  const put = (part: Partial<Search>): void => onChange({ ...search, ...part });
  const number = (name: 'count' | 'trainDays' | 'testDays') => ({
    inputMode: 'numeric' as const,
    value: search[name],
    onChange: (event: { target: { value: string } }) => put({ [name]: event.target.value }),
  });
  return (
    <>
      <Choice
        label="Search"
        note={SEARCH_NOTES[search.search]}
        value={search.search}
        options={SEARCHES}
        onChange={(value) => put({ search: SEARCHES.find((option) => option.value === value)?.value ?? 'grid' })}
      />
      {search.search === 'random' ? (
        <Field label="Settings drawn" error={errorOf('count')} input={number('count')} />
      ) : null}
      <Choice
        label="Optimise for"
        note={RANK_NOTES[search.rank]}
        value={search.rank}
        options={RANKS}
        onChange={(value) => put({ rank: RANKS.find((option) => option.value === value)?.value ?? 'sharpe' })}
      />
      <div className="field">
        <Switch
          label="Walk forward"
          on={search.forward && search.search !== 'halving'}
          disabled={search.search === 'halving'}
          onChange={(forward) => put({ forward })}
        />
        <span className="note">
          {search.search === 'halving'
            ? 'Not with successive halving, which already splits the period.'
            : 'Optimises on the train days and tests the best on the unseen days after them: the most reliable result.'}
        </span>
        {errorOf('walkForward') === undefined ? null : (
          <Notice tone="loss">Walk forward {errorOf('walkForward')}.</Notice>
        )}
      </div>
      {search.forward && search.search !== 'halving' ? (
        <>
          <Field label="Train days" unit="days" error={errorOf('walkForward.trainDays')} input={number('trainDays')} />
          <Field label="Test days" unit="days" error={errorOf('walkForward.testDays')} input={number('testDays')} />
        </>
      ) : null}
    </>
  );
}
