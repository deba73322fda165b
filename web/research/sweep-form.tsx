import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { withValue } from '#core/config-path.ts';
import { isObject } from '#core/merge.ts';
import { SEARCH_FORM } from '#api/contract/forms.ts';
import { launchSweep } from '#api/contract/research.ts';
import { sendForm } from '#web/data/call.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { useRun } from '#web/data/read.ts';
import { SchemaFormFields } from '#web/config/schema-form-fields.tsx';
import type { Ready } from './research-ready.tsx';
import { NotStarted } from '#web/ui/not-started.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { count } from '#web/ui/numbers.ts';
import { firstTerms, isTerm, type Terms, termsBody } from '#web/ui/research.ts';
import { ONE_OF_SEVERAL } from '#web/ui/sharing.ts';
import { axesOf, combinationsOf, variedOf, type VariedSetting, variedSettingsText } from './sweep-axes.ts';
import { Choice, Switch } from '#web/ui/field.tsx';
import { VariedSettings } from './varied-settings.tsx';
import { TermsFields } from './terms-fields.tsx';

/** The settings of SEARCH_FORM before the first edit. */
const FIRST: Readonly<Record<string, unknown>> = { search: 'grid', count: 200, rank: 'sharpe' };
const WALK = { trainDays: 14, testDays: 4 };

/** Starts a sweep that all workers share. */
export function SweepForm({ ready }: { ready: Ready }): ReactNode {
  const { profile, coins, schema, config, quote, interval, marketNow } = ready;
  const navigate = useNavigate();
  const axes = axesOf(schema, config);
  const [symbol, setSymbol] = useState(coins[0]?.symbol ?? '');
  const [varied, setVaried] = useState<readonly VariedSetting[]>(() => firstVaried(axes));
  const [terms, setTerms] = useState<Terms>(() => firstTerms(marketNow()));
  const [search, setSearch] = useState(FIRST);
  const sets = combinationsOf(varied);
  const launch = useRun((body: unknown) => sendForm(launchSweep, { id: profile.id }, body), {
    onSuccess: ({ sweepId }) => navigate({ to: '/profiles/$id/sweeps/$sweepId', params: { id: profile.id, sweepId } }),
  });
  const errors = launch.error instanceof ProblemError ? (launch.error.problem.errors ?? []) : [];
  const errorOf = (path: string): string | undefined => errors.find((problem) => problem.path === path)?.message;
  const isShown = (path: string): boolean =>
    isTerm(path) ||
    ['knobs', 'count', 'walkForward', 'walkForward.trainDays', 'walkForward.testDays'].includes(path) ||
    (path === 'symbol' && coins.length > 1);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const how = { ...termsBody(terms, marketNow()), ...searchBody(search) };
    launch.mutate({ ...how, symbol, knobs: variedSettingsText(varied), overrideConfig: {} });
  };
  const drawn = search['search'] === 'random' ? Number(search['count']) : Number.POSITIVE_INFINITY;
  const tried = sets === undefined ? undefined : Math.min(sets, drawn);
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
      <NotStarted error={launch.error} isShown={isShown} />
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
    .filter(({ field, values }) => !field.advanced && typeof values[0] === 'string')
    .slice(-2)
    .map(variedOf);

/** The search as the API takes it: without settings that the chosen search does not use. */
function searchBody({ count: draws, walkForward, ...search }: Readonly<Record<string, unknown>>) {
  return {
    ...search,
    ...(search['search'] === 'random' ? { count: draws } : {}),
    ...(search['search'] === 'halving' || walkForward === undefined ? {} : { walkForward }),
  };
}

interface SearchProps {
  search: Readonly<Record<string, unknown>>;
  onChange: (search: Readonly<Record<string, unknown>>) => void;
  errorOf: (path: string) => string | undefined;
}

function SearchFields({ search, onChange, errorOf }: SearchProps): ReactNode {
  const { walkForward, ...others } = search;
  const halving = search['search'] === 'halving';
  const on = walkForward !== undefined && !halving;
  const { walkForward: walk, ...fields } = isObject(SEARCH_FORM['properties']) ? SEARCH_FORM['properties'] : {};
  const put = (path: string, value: unknown): void => {
    const next = withValue(search, path, value);
    if (isObject(next)) onChange(next);
  };
  return (
    <>
      <SchemaFormFields schema={{ properties: fields }} values={search} quote="" errorOf={errorOf} onChange={put} />
      <div className="field">
        <Switch
          label="Walk forward"
          on={on}
          disabled={halving}
          onChange={(forward) => onChange(forward ? { ...others, walkForward: WALK } : others)}
        />
        <span className="note">
          {halving
            ? 'Not with successive halving, which already splits the period.'
            : 'Optimises on the train days and tests the best on the unseen days after them: the most reliable result.'}
        </span>
        {errorOf('walkForward') === undefined ? null : (
          <Notice tone="loss">Walk forward {errorOf('walkForward')}.</Notice>
        )}
      </div>
      {on ? (
        <SchemaFormFields
          schema={{ properties: { walkForward: walk } }}
          values={search}
          quote=""
          errorOf={errorOf}
          onChange={put}
        />
      ) : null}
    </>
  );
}
