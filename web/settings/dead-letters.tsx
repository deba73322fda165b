import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Answer } from '#api/contract/operation.ts';
import { deleteDeadLetter, listDeadLetters, listJobs, retryDeadLetter } from '#api/contract/jobs.ts';
import { call } from '#web/data/call.ts';
import { useDemo } from '#web/data/session.tsx';
import { useAct, useRead } from '#web/data/read.ts';
import { count } from '#web/ui/numbers.ts';
import { Confirm } from '#web/ui/confirm.tsx';
import { Context } from '#web/ui/feed.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure } from '#web/ui/notice.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { jobLabel } from './jobs.ts';
import { Read } from '#web/ui/read.tsx';

const LETTERS_EVERY_MS = 15_000;
const JOBS_EVERY_MS = 30_000;

type Letter = Answer<typeof listDeadLetters>['deadLetters'][number];

export function DeadLettersPage(): ReactNode {
  const failed = useRead(listDeadLetters, {}, { every: LETTERS_EVERY_MS });
  const letters = failed.data?.deadLetters ?? [];
  return (
    <>
      <title>Failed jobs · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/activity">Activity</Link>
        <span>Failed jobs</span>
      </nav>
      <div className="head">
        <h1 className="verdict">
          {failed.data === undefined
            ? 'Failed jobs'
            : letters.length === 0
              ? 'No failed jobs.'
              : `${count(letters.length, 'failed job')}.`}
        </h1>
        <p className="two">
          Background jobs, such as checking a key or comparing the wallet, are retried several times. A job that still
          fails is listed here until you retry or remove it.
        </p>
      </div>
      <Section title="Failed jobs" note="newest first">
        <Read of={failed} what="the failed jobs" rows={1}>
          {() =>
            letters.length === 0 ? (
              <p className="p-2">No failed jobs.</p>
            ) : (
              <ul className="block">
                {letters.map((letter) => (
                  <OneLetter key={letter.id} letter={letter} />
                ))}
              </ul>
            )
          }
        </Read>
      </Section>
      <Schedules />
    </>
  );
}

function OneLetter({
  letter: { id, job, data, errorMessage, stack, attempts, diedAt },
}: {
  letter: Letter;
}): ReactNode {
  const demo = useDemo();
  const params = { id };
  const retry = useAct(retryDeadLetter);
  return (
    <li>
      <span className="care">
        <Icon name="x" />
      </span>
      <div>
        <b>{jobLabel(job)}</b>: {errorMessage}
        <span className="note block">
          failed <When at={diedAt} /> after {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
        </span>
        <Context ctx={{ data, ...(stack === null ? {} : { stack: stack.split('\n') }) }} />
        <Failure what="Retry failed." error={retry.error} />
        <div className="flex flex-wrap gap-3 pt-2">
          {demo ? null : (
            <button
              type="button"
              className="btn small"
              disabled={retry.isPending}
              onClick={() => retry.mutate({ params })}
            >
              Retry
            </button>
          )}
          <Confirm
            small
            words="Remove"
            title="Remove this job?"
            action={`Remove ${jobLabel(job).toLowerCase()}`}
            failed="Not removed."
            run={() => call(deleteDeadLetter, { params })}
          >
            The job is not retried and its error message is deleted.
          </Confirm>
        </div>
      </div>
    </li>
  );
}

/** Scheduled jobs with their last run and next due time. */
function Schedules(): ReactNode {
  const schedules = useRead(listJobs, {}, { every: JOBS_EVERY_MS });
  return (
    <Section title="Scheduled jobs">
      <Read of={schedules} what="the schedules" rows={12}>
        {(data) => (
          <div className="tw">
            <table className="cards">
              <thead>
                <tr>
                  <th>Job</th>
                  <th>Last run</th>
                  <th className="num">Took</th>
                  <th>Due</th>
                </tr>
              </thead>
              <tbody>
                {data.jobs.map(({ name, lastRun, nextAt }) => (
                  <tr key={name}>
                    <td>{jobLabel(name)}</td>
                    <td className="rt">
                      {lastRun === null ? (
                        <span className="note">not yet</span>
                      ) : (
                        <span className={lastRun.outcome === 'failed' ? 'care' : ''}>
                          <Icon name={lastRun.outcome === 'failed' ? 'x' : 'ok'} /> <When at={lastRun.startedAt} />
                          {lastRun.errorMessage === null ? null : <span className="note">{lastRun.errorMessage}</span>}
                        </span>
                      )}
                    </td>
                    <td className="num" data-l="Took">
                      {lastRun === null ? '–' : `${(lastRun.durationMs / 1000).toFixed(1)} s`}
                    </td>
                    <td className="rt" data-l="Due">
                      {nextAt === null ? '–' : <When at={nextAt} />}
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          </div>
        )}
      </Read>
    </Section>
  );
}
