import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { type Changes, patchOf } from '#core/config-path.ts';
import { launchBacktest } from '#api/contract/research.ts';
import { sendForm } from '#web/data/call.ts';
import { ProblemError } from '#web/data/problem-error.ts';
import { useRun } from '#web/data/read.ts';
import type { Ready } from './research-ready.tsx';
import { NotStarted } from '#web/ui/not-started.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { count } from '#web/ui/numbers.ts';
import { firstTerms, isTerm, type Terms, termsBody } from '#web/ui/research.ts';
import { type Sharing, SHARINGS } from '#web/ui/sharing.ts';
import { ChangeToTry } from './change-to-try.tsx';
import { changesOf } from '#web/config/changes.ts';
import { SharingFields, useSharings } from './sharing-fields.tsx';
import { TermsFields } from './terms-fields.tsx';

interface FormProps {
  ready: Ready;
  /** Initial changes, as pairs of path and value in JSON. */
  proposed: string | undefined;
}

/** Launches a backtest that any worker runs in the background. */
export function BacktestForm({ ready, proposed }: FormProps): ReactNode {
  const { profile, coins, schema, config, quote, interval, marketNow, plansBaskets } = ready;
  const navigate = useNavigate();
  const [terms, setTerms] = useState<Terms>(() => firstTerms(marketNow()));
  const [changes, setChanges] = useState<Changes>(() => changesOf(proposed));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = coins.filter(({ symbol }) => !left.has(symbol));
  const [wanted, setWanted] = useState<Sharing>('shared');
  const sharings = useSharings(profile, { count: chosen.length, together: plansBaskets });
  const sharing = sharings.includes(wanted) ? wanted : 'shared';
  const launch = useRun((body: unknown) => sendForm(launchBacktest, { id: profile.id }, body), {
    onSuccess: ({ runId }) => navigate({ to: '/profiles/$id/backtests/$runId', params: { id: profile.id, runId } }),
  });
  const errors = launch.error instanceof ProblemError ? (launch.error.problem.errors ?? []) : [];
  const errorOf = (path: string): string | undefined => errors.find((problem) => problem.path === path)?.message;
  const isShown = (path: string): boolean =>
    isTerm(path) ||
    (path === 'symbols' && coins.length > 1) ||
    (['purse', 'scope'].includes(path) && sharings.length > 0) ||
    changes.some((change) => path.replaceAll('/', '.').endsWith(change.path));
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const symbols = chosen.map(({ symbol }) => symbol);
    const request = { ...termsBody(terms, marketNow()), ...SHARINGS[sharing].body, symbols };
    launch.mutate({ ...request, overrideConfig: patchOf(config, changes) });
  };
  const many = chosen.length > 1 ? count(chosen.length, 'coin') : (chosen[0]?.symbol ?? 'no coin');
  return (
    <form onSubmit={submit} noValidate>
      <CoinFields {...{ coins, left }} error={errorOf('symbols')} onChange={setLeft} />
      <SharingFields
        {...{ sharing, sharings }}
        count={chosen.length}
        error={errorOf('purse') ?? errorOf('scope')}
        onChange={setWanted}
      />
      <ChangeToTry {...{ schema, config, quote, changes, errors }} onChange={setChanges} />
      <TermsFields {...{ terms, interval, quote, errorOf }} onChange={setTerms} />
      <NotStarted error={launch.error} isShown={isShown} />
      <div className="actions">
        <button type="submit" className="btn go" disabled={launch.isPending || chosen.length === 0}>
          Run the backtest of {many}
        </button>
        {chosen.length === 0 ? <span className="note">Choose a coin first.</span> : null}
      </div>
    </form>
  );
}

interface CoinFieldsProps {
  coins: Ready['coins'];
  /** Excluded symbols. */
  left: ReadonlySet<string>;
  error: string | undefined;
  onChange: (left: ReadonlySet<string>) => void;
}

/** The coins of the profile to include. */
function CoinFields({ coins, left, error, onChange }: CoinFieldsProps): ReactNode {
  if (coins.length < 2) return null;
  return (
    <fieldset className="field stack">
      <legend className="vh">Coins</legend>
      <span>Coins</span>
      <span className="flex flex-wrap gap-2 gap-x-4 pt-1">
        {coins.map(({ symbol }) => (
          <label key={symbol} className="check">
            <input
              type="checkbox"
              checked={!left.has(symbol)}
              onChange={() => onChange(left.symmetricDifference(new Set([symbol])))}
            />
            {symbol}
          </label>
        ))}
      </span>
      {error === undefined ? null : <Notice tone="loss">Coins {error}.</Notice>}
    </fieldset>
  );
}
