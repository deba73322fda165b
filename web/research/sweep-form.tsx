import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { launchSweep } from '#api/contract/research.ts';
import { call } from '#web/data/call.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import type { Ready } from './research-ready.tsx';
import { NotBegun } from '#web/ui/not-begun.tsx';
import { Say } from '#web/ui/say.tsx';
import { count } from '#web/ui/numbers.ts';
import { firstTerms, isTerm, type Terms, termsBody } from '#web/ui/research.ts';
import { ONE_OF_SEVERAL } from '#web/ui/sharing.ts';
import { axesOf, combinationsOf, knobsText, type TypedKnob } from './sweep-words.ts';
import { Choice, Field, Switch } from '#web/ui/field.tsx';
import { KnobFields } from './knob-fields.tsx';
import { TermsFields } from './terms-fields.tsx';

const SEARCHES = [
  { value: 'grid', words: 'all (grid)' },
  { value: 'random', words: 'some (random)' },
  { value: 'halving', words: 'halving' },
] as const;
const RANKS = [
  { value: 'sharpe', words: 'Sharpe' },
  { value: 'return', words: 'return' },
  { value: 'sortino', words: 'Sortino' },
  { value: 'calmar', words: 'Calmar' },
  { value: 'net', words: 'net' },
] as const;

const SEARCH_NOTES: Readonly<Record<Search['search'], string>> = {
  grid: 'Every combination of the values.',
  random: 'So many combinations, drawn by chance.',
  halving: 'All on a short part of the period, then the better half on a longer one.',
};
const RANK_NOTES: Readonly<Record<Search['rank'], string>> = {
  sharpe: 'The return for its ups and downs.',
  return: 'What the money grew by.',
  sortino: 'The return for its downs alone.',
  calmar: 'The return for its deepest fall.',
  net: 'What closed trades made.',
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

/** Launches a sweep that all workers share. */
export function SweepForm({ ready }: { ready: Ready }): ReactNode {
  const { profile, coins, schema, config, quote, interval, marketNow } = ready;
  const client = useQueryClient();
  const navigate = useNavigate();
  const axes = axesOf(schema, config);
  const [symbol, setSymbol] = useState(coins[0]?.symbol ?? '');
  const [knobs, setKnobs] = useState<readonly TypedKnob[]>(() => firstKnobs(axes));
  const [terms, setTerms] = useState<Terms>(() => firstTerms(marketNow()));
  const [search, setSearch] = useState(FIRST);
  const sets = combinationsOf(knobs);
  const launch = useMutation({
    mutationFn: () => {
      const how = searchBody(search);
      const body = { ...termsBody(terms, marketNow()), ...how, symbol, knobs: knobsText(knobs), overrideConfig: {} };
      return call(launchSweep, { params: { id: profile.id }, body });
    },
    onSuccess: ({ sweepId }) => {
      void client.invalidateQueries({ queryKey: ['sweeps', profile.id] });
      return navigate({ to: '/profiles/$id/sweeps/$sweepId', params: { id: profile.id, sweepId } });
    },
  });
  const errors = launch.error instanceof ProblemError ? (launch.error.problem.errors ?? []) : [];
  const errorOf = (path: string): string | undefined => errors.find((one) => one.path === path)?.message;
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
          note={`A sweep looks at one. ${ONE_OF_SEVERAL}`}
          value={symbol}
          error={errorOf('symbol')}
          options={coins.map((coin) => ({ value: coin.symbol, words: coin.symbol }))}
          onChange={setSymbol}
        />
      )}
      <KnobFields axes={axes} knobs={knobs} onChange={setKnobs} />
      {errorOf('knobs') === undefined ? null : <Say tone="loss">{errorOf('knobs')}</Say>}
      <SearchFields search={search} onChange={setSearch} errorOf={errorOf} />
      <TermsFields {...{ terms, interval, quote, errorOf }} onChange={setTerms} />
      {launch.isError ? <NotBegun error={launch.error} isShown={isShown} /> : null}
      <div className="actions">
        <button type="submit" className="btn go" disabled={launch.isPending || knobs.length === 0}>
          {tried === undefined || !Number.isFinite(tried)
            ? 'Try the settings'
            : `Try ${count(tried, 'set')} of settings`}
        </button>
        <span className="note">
          {knobs.length === 0 ? 'Choose a setting to vary first.' : 'Every set counts in the ledger of trials.'}
        </span>
      </div>
    </form>
  );
}

/** The last two plain distances: they decide when it sells. */
const firstKnobs = (axes: ReturnType<typeof axesOf>): TypedKnob[] =>
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
        onChange={(value) => put({ search: SEARCHES.find((one) => one.value === value)?.value ?? 'grid' })}
      />
      {search.search === 'random' ? (
        <Field label="Sets drawn" error={errorOf('count')} input={number('count')} />
      ) : null}
      <Choice
        label="Best means"
        note={RANK_NOTES[search.rank]}
        value={search.rank}
        options={RANKS}
        onChange={(value) => put({ rank: RANKS.find((one) => one.value === value)?.value ?? 'sharpe' })}
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
            ? 'Halving chooses on parts of the period already.'
            : 'Chooses on some days and tries the choice on the days after them, which it has not seen: the number to believe.'}
        </span>
        {errorOf('walkForward') === undefined ? null : <Say tone="loss">Walk forward {errorOf('walkForward')}.</Say>}
      </div>
      {search.forward && search.search !== 'halving' ? (
        <>
          <Field label="Choose on" unit="days" error={errorOf('walkForward.trainDays')} input={number('trainDays')} />
          <Field
            label="Try on the next"
            unit="days"
            error={errorOf('walkForward.testDays')}
            input={number('testDays')}
          />
        </>
      ) : null}
    </>
  );
}
