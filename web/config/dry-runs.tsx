import { Link, useParams, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { listCoins } from '#api/contract/profiles.ts';
import type { Profile } from '#web/data/answers.ts';
import { type DryRun, type DryRunEntry, isRunning, useDryRun, useDryRuns } from '#web/data/dry-runs.ts';
import { useRead } from '#web/data/read.ts';
import { useDemo, useMarketTime } from '#web/data/session.tsx';
import { ProfileFrame } from '#web/profile/profile-frame.tsx';
import { Notice } from '#web/ui/notice.tsx';
import { count, whole } from '#web/ui/numbers.ts';
import { Read } from '#web/ui/read.tsx';
import { Section } from '#web/ui/section.tsx';
import { age } from '#web/ui/time.ts';
import { Prose, When } from '#web/ui/when.tsx';
import { DryRunActions } from './dry-run-actions.tsx';
import { Coins, DifferingDecisions, Totals } from './dry-run-result.tsx';
import { differText, minutesLeft, resultSentence } from './dry-run-text.ts';
import { useLabels } from './setting-labels.ts';
import { SettingsOfBoth } from './settings-of-both.tsx';

export function DryRunsPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/dry-runs' });
  const { run } = useSearch({ from: '/shell/profiles/$id/dry-runs' });
  return (
    <ProfileFrame id={id} part="Dry runs" under="/profiles/$id/config">
      {(profile) => <DryRuns profile={profile} chosen={run} />}
    </ProfileFrame>
  );
}

function DryRuns({ profile, chosen }: { profile: Profile; chosen: string | undefined }): ReactNode {
  const all = useDryRuns(profile.id);
  return (
    <Read of={all} what="the dry runs" title="Dry runs" rows={8}>
      {({ dryRuns }) => {
        const shown = dryRuns.find(({ id }) => id === chosen) ?? dryRuns[0];
        if (shown === undefined) return <None profile={profile} />;
        const others = dryRuns.filter(({ id }) => id !== shown.id);
        return (
          <>
            <OneRun key={shown.id} profile={profile} id={shown.id} />
            {others.length === 0 ? null : <Others profile={profile} runs={others} />}
          </>
        );
      }}
    </Read>
  );
}

function None({ profile: { id, name } }: { profile: Profile }): ReactNode {
  const demo = useDemo();
  return (
    <div className="head">
      <h1 className="verdict">No dry runs of {name} yet.</h1>
      <p className="two">
        A dry run decides with changed settings next to the present ones, on the same candles, and sends no order.
      </p>
      <p>
        {demo ? (
          'A live demo starts no dry runs.'
        ) : (
          <>
            Change the{' '}
            <Link to="/profiles/$id/config" params={{ id }}>
              settings
            </Link>
            , then choose <b>Try without orders…</b>
          </>
        )}
      </p>
    </div>
  );
}

function OneRun({ profile, id }: { profile: Profile; id: string }): ReactNode {
  const read = useDryRun(profile.id, id);
  return (
    <Read of={read} what="the dry run" title="Dry run" rows={8}>
      {(run) => <Report profile={profile} run={run} />}
    </Read>
  );
}

function Report({ profile, run }: { profile: Profile; run: DryRun }): ReactNode {
  const { data: held } = useRead(listCoins, { params: { id: profile.id } });
  const gridOf = (symbol: string) => held?.coins.find((coin) => coin.symbol === symbol);
  const { labelOf } = useLabels(run.strategyName, run.changed);
  const { result, error, warnings } = run;
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          <Verdict run={run} />
        </h1>
        <Period run={run} />
      </div>
      {isRunning(run) ? <Progress run={run} /> : null}
      {error === null ? null : (
        <Notice tone="loss">
          <Prose text={error} />
        </Notice>
      )}
      {warnings.map(({ code, message, detail }) => {
        const label = labelOf(detail);
        // The detail of some warnings is the path of a setting.
        const [title, text] = label === detail ? [message, detail] : [label, message];
        return (
          <Notice key={`${code} ${detail}`} tone="care" title={`${title}:`}>
            <Prose text={text} />
          </Notice>
        );
      })}
      <DryRunActions profile={profile} run={run} />
      <div className="cols">
        <div className="c6">
          <SettingsOfBoth run={run} />
        </div>
        <div className="c6">{result === null ? null : <Totals totals={result.totals} />}</div>
      </div>
      {result === null ? null : (
        <>
          <Coins coins={result.coins} gridOf={gridOf} />
          <DifferingDecisions result={result} gridOf={gridOf} />
          <Assumptions sentences={result.assumptions} />
        </>
      )}
    </>
  );
}

function Verdict({ run }: { run: Pick<DryRunEntry, 'state' | 'result' | 'endedAt'> }): ReactNode {
  const ended = run.endedAt === null ? null : <When wall at={run.endedAt} />;
  if (run.state === 'failed') return 'The dry run failed.';
  if (run.state === 'promoted') return <>The changed settings were promoted {ended}.</>;
  if (run.state === 'dropped') return <>The dry run was dropped {ended}. The settings did not change.</>;
  return resultSentence(run);
}

/** The compared time and its decisions; the result of an ended run in words. */
function Period({ run: { state, result, startedAt } }: { run: DryRun }): ReactNode {
  if (result === null) {
    return (
      <p className="two">
        Started <When wall at={startedAt} />. {state === 'running' ? 'No order is sent.' : 'No order was sent.'}
      </p>
    );
  }
  const isOver = state === 'promoted' || state === 'dropped';
  return (
    <p className="two">
      {isOver ? `${resultSentence({ state, result })} ` : ''}
      From <When at={result.from} day /> to <When at={result.to} day />: {differText(result)}. No order was sent.
    </p>
  );
}

function Progress({ run }: { run: DryRun }): ReactNode {
  const replay = useMarketTime();
  const left = minutesLeft(run);
  const done = run.result?.decisions ?? 0;
  return (
    <div className="grid gap-2 p-2">
      <div className="flex flex-wrap items-center gap-x-4" role="status">
        <progress aria-label="Progress of the dry run" max={run.decisions} value={done} />
        <span>
          {whole(done)} of {count(run.decisions, 'decision')}
        </span>
        <span className="note">
          {left === null
            ? 'waits for the first closed candle'
            : `about ${age(left * 60_000)}${replay === null ? '' : ' of market time'} left`}
        </span>
      </div>
      <p className="note">It continues when you leave this page.</p>
    </div>
  );
}

function Assumptions({ sentences }: { sentences: readonly string[] }): ReactNode {
  if (sentences.length === 0) return null;
  return (
    <Section title="Assumptions of both sides">
      <ul className="two list-disc pl-5">
        {sentences.map((sentence) => (
          <li key={sentence}>
            <Prose text={sentence} />
          </li>
        ))}
      </ul>
    </Section>
  );
}

function Others({ profile: { id }, runs }: { profile: Profile; runs: readonly DryRunEntry[] }): ReactNode {
  return (
    <Section title="Other dry runs" note="newest first">
      <ul className="block">
        {runs.map((run) => (
          <li key={run.id}>
            <span />
            <span>
              <Link to="/profiles/$id/dry-runs" params={{ id }} search={{ run: run.id }}>
                <When wall day at={run.startedAt} />
              </Link>{' '}
              <Verdict run={run} />
              <span className="note block">
                {count(run.differs.length, 'setting')} changed, {count(run.symbols.length, 'coin')}
                {run.result === null ? '' : `, ${differText(run.result)}`}
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
