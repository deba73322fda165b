import { Link, useParams, useSearch } from '@tanstack/react-router';
import { type ReactNode, useCallback, useEffect, useRef } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { readDashboard } from '#api/contract/records.ts';
import { listDiagnoses, startDiagnosis } from '#api/contract/diagnosis.ts';
import type { Profile } from '#web/data/answers.ts';
import { useDemo } from '#web/data/session.tsx';
import { useAct, useRead } from '#web/data/read.ts';
import { coinView } from '#web/coin/coin-view.ts';
import { Checks } from './checks.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { ProfileFrame } from './profile-frame.tsx';
import { Failure, Skeleton } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { Prose, When } from '#web/ui/when.tsx';
import { Why } from './why.tsx';

type Run = Answer<typeof listDiagnoses>['runs'][number];
type Report = NonNullable<Run['report']>;

/** A younger report is shown instead of a new check. */
const FRESH_MS = 60_000;

export function DiagnosisPage(): ReactNode {
  const { id } = useParams({ from: '/shell/profiles/$id/diagnosis' });
  const { coin, run } = useSearch({ from: '/shell/profiles/$id/diagnosis' });
  return (
    <ProfileFrame id={id} part="Diagnosis">
      {(profile) => <Diagnosis key={`${profile.id} ${coin ?? ''}`} profile={profile} symbol={coin} wanted={run} />}
    </ProfileFrame>
  );
}

interface DiagnosisProps {
  profile: Profile;
  /** The coin to diagnose; `undefined` means all. */
  symbol: string | undefined;
  /** The id of an earlier report. */
  wanted: string | undefined;
}

const answers = (run: Run, { profile, symbol }: Pick<DiagnosisProps, 'profile' | 'symbol'>): boolean => {
  const reported = run.report?.coins ?? [];
  if (symbol !== undefined) return reported.length === 1 && reported[0]?.symbol === symbol;
  return run.report !== null && reported.length === profile.symbols.length;
};

function useDiagnoses({ profile, symbol }: Pick<DiagnosisProps, 'profile' | 'symbol'>) {
  const demo = useDemo();
  const held = useRead(listDiagnoses, { params: { id: profile.id } });
  const { mutate, isPending, error } = useAct(startDiagnosis);
  const start = useCallback(
    () => mutate({ params: { id: profile.id }, query: symbol === undefined ? {} : { symbol } }),
    [mutate, profile.id, symbol],
  );
  const started = useRef(false);
  useEffect(() => {
    if (held.data === undefined || demo || started.current) return;
    started.current = true;
    const newest = held.data.runs.find((run) => answers(run, { profile, symbol }));
    if (newest === undefined || Date.now() - Date.parse(newest.startedAt) > FRESH_MS) start();
  }, [held.data, demo, profile, symbol, start]);
  return { runs: held.data?.runs, error: held.error ?? error, start, isStarting: isPending, demo };
}

function Diagnosis({ profile, symbol, wanted }: DiagnosisProps): ReactNode {
  const { runs, error, start, isStarting, demo } = useDiagnoses({ profile, symbol });
  const shown = runs?.find((run) => (wanted === undefined ? answers(run, { profile, symbol }) : run.id === wanted));
  const about = symbol ?? profile.name;
  const report = shown?.report ?? undefined;
  const waiting = runs === undefined || isStarting;
  return (
    <>
      <div className="head">
        <h1 className="verdict">
          {report === undefined ? `Diagnosis of ${about}` : <Verdict report={report} about={about} />}
        </h1>
        {report === undefined ? null : (
          <p className="two">
            <Prose text={report.headline} />
          </p>
        )}
      </div>
      <Failure what="Not checked." error={error} />
      {report === undefined && waiting && error === null ? (
        <Skeleton rows={8} height={52} what="the diagnosis" />
      ) : null}
      {report === undefined && !waiting && demo ? (
        <p className="p-2">A live demo shows earlier diagnoses only, and there is none of {about}.</p>
      ) : null}
      <div className="actions">
        {demo ? null : (
          <button type="button" className="btn" disabled={waiting} onClick={start}>
            {isStarting ? 'Checking…' : 'Check now'}
          </button>
        )}
        {shown === undefined ? null : (
          <span className="note">
            checked <When wall at={shown.startedAt} /> with the data of the service; the exchange was not queried
          </span>
        )}
        {symbol === undefined ? null : (
          <Link to="/profiles/$id/diagnosis" params={{ id: profile.id }} search={{}}>
            All coins of {profile.name}
          </Link>
        )}
      </div>
      {report === undefined ? null : <ReportParts profile={profile} report={report} />}
      {symbol === undefined || shown === undefined ? null : <Why key={shown.id} profile={profile} symbol={symbol} />}
      <Earlier profile={profile} runs={(runs ?? []).filter((run) => run !== shown)} />
    </>
  );
}

const MARKS = { blocked: 'x', waiting: 'circ', unknown: 'q' } as const;

function Verdict({ report, about }: { report: Report; about: string }): ReactNode {
  const { verdict } = report;
  return (
    <>
      <span className={verdict === 'waiting' ? '' : 'care'}>
        <Icon name={MARKS[verdict]} />
      </span>{' '}
      {verdict === 'blocked' ? (
        <>
          <b>{about} cannot buy.</b>
        </>
      ) : null}
      {verdict === 'waiting' ? (
        <>
          <b>No blockers.</b> <Waiting report={report} about={about} />
        </>
      ) : null}
      {verdict === 'unknown' ? <b>Not enough data about {about} yet.</b> : null}
    </>
  );
}

/** A profile or coin without blockers holds a position, or waits for its buy price. */
function Waiting({ report: { coins }, about }: { report: Report; about: string }): ReactNode {
  const { data } = useRead(readDashboard, {}, { enabled: false });
  const held = new Set(data?.coins.filter((coin) => coinView(coin).held).map(({ symbol }) => symbol));
  const holds = coins.filter(({ symbol }) => held.has(symbol)).length;
  if (coins.length === 1) return holds === 1 ? `${about} is holding.` : `${about} waits for its buy price.`;
  return `${holds} of ${coins.length} coins ${holds === 1 ? 'is' : 'are'} held, the others wait for their buy price.`;
}

function ReportParts({ profile, report }: { profile: Profile; report: Report }): ReactNode {
  return (
    <div className="cols">
      <Section title="The profile" note="most important first" span={6}>
        <Checks checks={report.checks} />
      </Section>
      <div className="c6">
        {report.coins.map((coin) => (
          <Section
            key={coin.symbol}
            title={coin.symbol}
            note={
              <Link to="/profiles/$id/coins/$symbol" params={{ id: profile.id, symbol: coin.symbol }}>
                open the coin
              </Link>
            }
          >
            <p className="px-2 pb-2">
              <Prose text={coin.line} />
            </p>
            <Checks checks={coin.checks} />
          </Section>
        ))}
      </div>
    </div>
  );
}

const SHORT = {
  blocked: 'could not buy',
  waiting: 'had no blockers',
  unknown: 'had too little data',
} as const;

function Earlier({ profile, runs }: { profile: Profile; runs: readonly Run[] }): ReactNode {
  const reports = runs.flatMap((run) => (run.report === null ? [] : [{ ...run, report: run.report }]));
  if (reports.length === 0) return null;
  return (
    <Section title="Earlier diagnoses" note="the last 50 are kept">
      <ul className="block">
        {reports.slice(0, 12).map(({ id, report, startedAt }) => (
          <li key={id}>
            <Icon name={MARKS[report.verdict]} />
            <span>
              <Link
                to="/profiles/$id/diagnosis"
                params={{ id: profile.id }}
                search={(search) => ({ ...search, run: id })}
              >
                <When wall at={startedAt} />
              </Link>{' '}
              {report.coins.length === 1 ? report.coins[0]?.symbol : profile.name} {SHORT[report.verdict]}
              <span className="note block">
                <Prose text={report.headline} />
              </span>
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
