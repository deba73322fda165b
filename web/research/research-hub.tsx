import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { readLiveComparison } from '#api/contract/live-checks.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { listBacktests, listSweeps, readTrials } from '#api/contract/research.ts';
import type { Profile } from '#web/data/answers.ts';
import { paceOf } from '#web/data/research.ts';
import { useRead, useReads } from '#web/data/read.ts';
import { Choice } from '#web/ui/field.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { count, whole } from '#web/ui/numbers.ts';
import { RESEARCH_PAGES } from '#web/ui/places.ts';
import { Section } from '#web/ui/section.tsx';
import { Read } from '#web/ui/read.tsx';
import { backtestRun, type HubRun, sweepRun } from './hub-runs.ts';
import { RunsTable } from './runs-table.tsx';

/** Research of all profiles: what ran and what was found, where to start, and whether live trading matches. */
export function ResearchHubPage(): ReactNode {
  const all = useRead(listProfiles, {});
  return (
    <>
      <title>Research · Tradewind</title>
      <Read of={all} what="the profiles" title="Research" rows={4}>
        {({ profiles }) => (profiles.length === 0 ? <NoProfile /> : <Hub profiles={profiles} />)}
      </Read>
    </>
  );
}

const WHY = 'Backtests, sweeps and checks run on recorded candles. They never trade.';

function NoProfile(): ReactNode {
  return (
    <div className="head">
      <h1 className="verdict">Research needs a profile.</h1>
      <p className="two">{WHY}</p>
      <div className="actions">
        <Link to="/profiles/new" className="btn go">
          Create your first profile
        </Link>
      </div>
    </div>
  );
}

function Hub({ profiles }: { profiles: readonly Profile[] }): ReactNode {
  const ids = profiles.map(({ id }) => ({ params: { id } }));
  const backtests = useReads(listBacktests, ids, (data) => paceOf(data?.runs));
  const sweeps = useReads(listSweeps, ids, (data) => paceOf(data?.sweeps));
  const runs =
    backtests.data === undefined || sweeps.data === undefined
      ? undefined
      : profiles.flatMap((profile, i) => [
          ...(backtests.data?.[i]?.runs.map((run) => backtestRun(run, profile)) ?? []),
          ...(sweeps.data?.[i]?.sweeps.map((sweep) => sweepRun(sweep, profile)) ?? []),
        ]);
  return (
    <>
      <div className="head">
        <h1 className="verdict">{verdictOf(runs)}</h1>
        <p className="two">
          {WHY} <Link to="/strategies">Strategy files</Link>
        </p>
      </div>
      <div className="cols">
        <Section title="Runs" note="all profiles; running work first" span={8}>
          <Read of={backtests} what="the backtests" rows={6} height={52}>
            {() => (
              <Read of={sweeps} what="the sweeps" rows={6} height={52}>
                {() =>
                  runs === undefined || runs.length === 0 ? <NoRuns profiles={profiles} /> : <RunsTable runs={runs} />
                }
              </Read>
            )}
          </Read>
        </Section>
        <div className="c4">
          <Start profiles={profiles} />
          <LiveTested profiles={profiles} />
          <Tried />
        </div>
      </div>
    </>
  );
}

function verdictOf(runs: readonly HubRun[] | undefined): string {
  if (runs === undefined) return 'Research';
  const busy = runs.filter((run) => run.busy).length;
  if (busy > 0) return `${count(busy, 'run')} in progress.`;
  if (runs.length === 0) return 'No research yet.';
  const tested = runs.filter(({ kind }) => kind === 'Backtest').length;
  return `${count(tested, 'backtest')} and ${count(runs.length - tested, 'sweep')} on record.`;
}

function NoRuns({ profiles: [first] }: { profiles: readonly Profile[] }): ReactNode {
  if (first === undefined) return null;
  return (
    <div className="p-2">
      <p>
        A backtest replays {first.name} over the last 30 days and shows each trade, the costs and how far to trust the
        result. It takes seconds to minutes.
      </p>
      <div className="actions">
        <Link to="/profiles/$id/backtests" params={{ id: first.id }} className="btn go">
          Run a first backtest
        </Link>
      </div>
    </div>
  );
}

const START_WORDS: Readonly<Record<string, string>> = { Backtests: 'New backtest', Sweeps: 'New sweep' };

function Start({ profiles }: { profiles: readonly Profile[] }): ReactNode {
  const [wanted, setWanted] = useState<string>();
  const profile = profiles.find(({ id }) => id === wanted) ?? profiles[0];
  if (profile === undefined) return null;
  const { id, name, symbols } = profile;
  return (
    <Section title="Start" note={symbols.join(', ')}>
      {profiles.length === 1 ? (
        <p className="px-2">
          <b>{name}</b>
        </p>
      ) : (
        <Choice
          label="Profile"
          value={id}
          options={profiles.map((one) => ({ value: one.id, words: one.name }))}
          onChange={setWanted}
        />
      )}
      <div className="actions">
        {RESEARCH_PAGES.map(({ to, words }) => (
          <Link key={to} to={to} params={{ id }} className="btn small">
            {START_WORDS[words] ?? words}
          </Link>
        ))}
        <Link to="/profiles/$id/compare" params={{ id }} className="btn small">
          Compare runs
        </Link>
      </div>
    </Section>
  );
}

const VERDICTS = {
  none: { words: 'no reference', icon: 'ring' },
  undecided: { words: 'too early', icon: 'ring' },
  'as-tested': { words: 'as tested', icon: 'ok' },
  worse: { words: 'worse than tested', icon: 'x' },
} as const;

function LiveTested({ profiles }: { profiles: readonly Profile[] }): ReactNode {
  const all = useReads(
    readLiveComparison,
    profiles.map(({ id }) => ({ params: { id } })),
  );
  return (
    <Section title="Live vs. tested" note="checked nightly">
      <Read of={all} what="the comparisons" rows={2}>
        {(answers) => (
          <dl className="dl">
            {profiles.map(({ id, name }, i) => {
              const answer = answers[i];
              const verdict = answer?.pinnedRunId == null ? 'none' : (answer.reference?.verdict ?? 'undecided');
              return (
                <div key={id} className="contents">
                  <dt>
                    <Icon name={VERDICTS[verdict].icon} />{' '}
                    <Link to="/profiles/$id/live-checks" params={{ id }}>
                      {name}
                    </Link>
                  </dt>
                  <dd>{VERDICTS[verdict].words}</dd>
                </div>
              );
            })}
          </dl>
        )}
      </Read>
    </Section>
  );
}

function Tried(): ReactNode {
  const trials = useRead(readTrials, {});
  return (
    <Section title="Tried so far">
      <Read of={trials} what="the trials" rows={3}>
        {({ questions }) => (
          <>
            <dl className="dl">
              <dt>Settings tried</dt>
              <dd>{whole(questions.reduce((sum, question) => sum + question.trials, 0))}</dd>
              <dt>Sweeps</dt>
              <dd>{whole(questions.reduce((sum, question) => sum + question.sweeps, 0))}</dd>
              <dt>Strategies</dt>
              <dd>{new Set(questions.map(({ strategyName }) => strategyName)).size}</dd>
            </dl>
            <p className="note p-2">Every try counts against the next result.</p>
          </>
        )}
      </Read>
    </Section>
  );
}
