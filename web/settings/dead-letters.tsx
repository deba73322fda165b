import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { deleteDeadLetter, listDeadLetters, listJobs, retryDeadLetter } from '#api/contract/jobs.ts';
import type { Answer } from '#api/contract/operation.ts';
import { call } from '#web/data/call.ts';
import { keys } from '#web/data/keys.ts';
import { useDemo } from '#web/data/session.tsx';
import { Confirm } from '#web/ui/confirm.tsx';
import { Context } from '#web/ui/feed.tsx';
import { Icon } from '#web/ui/icon.tsx';
import { Failure, Skeleton } from '#web/ui/say.tsx';
import { Section } from '#web/ui/section.tsx';
import { When } from '#web/ui/when.tsx';
import { jobWords } from './jobs.ts';

type Letter = Answer<typeof listDeadLetters>['deadLetters'][number];

export function DeadLettersPage(): ReactNode {
  const { data, error } = useQuery({
    queryKey: keys.deadLetters,
    queryFn: ({ signal }) => call(listDeadLetters, { query: {} }, signal),
    refetchInterval: 15_000,
  });
  const letters = data?.deadLetters ?? [];
  return (
    <>
      <title>Work that was given up · Tradewind</title>
      <nav className="crumb" aria-label="Breadcrumb">
        <Link to="/">Overview</Link>
        <Link to="/activity">Activity</Link>
        <span>Work that was given up</span>
      </nav>
      <div className="head">
        <h1 className="verdict">
          {data === undefined
            ? 'Work that was given up'
            : letters.length === 0
              ? 'No work was given up.'
              : `${letters.length} ${letters.length === 1 ? 'piece of work was' : 'pieces of work were'} given up.`}
        </h1>
        <p className="two">
          Work beside trading, such as checking a key or comparing the wallet, is tried several times. What still fails
          is kept here as a dead letter until you try it again or remove it.
        </p>
      </div>
      <Section title="Dead letters" note="newest first">
        {error === null ? null : <Failure what="The list could not be read." error={error} />}
        {data === undefined && error === null ? <Skeleton rows={3} height={52} /> : null}
        <ul className="block">
          {letters.map((letter) => (
            <OneLetter key={letter.id} letter={letter} />
          ))}
        </ul>
        {letters.length === 0 && data !== undefined ? <p className="p-2">The list is empty.</p> : null}
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
  const client = useQueryClient();
  const demo = useDemo();
  const refresh = (): Promise<void> => client.invalidateQueries({ queryKey: keys.deadLetters });
  const params = { id };
  const retry = useMutation({ mutationFn: () => call(retryDeadLetter, { params }), onSuccess: refresh });
  return (
    <li>
      <span className="care">
        <Icon name="x" />
      </span>
      <div>
        <b>{jobWords(job)}</b>: {errorMessage}
        <span className="note block">
          given up <When at={diedAt} /> after {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
        </span>
        <Context ctx={{ data, ...(stack === null ? {} : { stack: stack.split('\n') }) }} />
        {retry.isError ? <Failure what="Not tried again." error={retry.error} /> : null}
        <div className="flex flex-wrap gap-3 pt-2">
          {demo ? null : (
            <button type="button" className="btn small" disabled={retry.isPending} onClick={() => retry.mutate()}>
              Try again
            </button>
          )}
          <Confirm
            small
            words="Remove"
            title="Remove this from the list?"
            action={`Remove ${jobWords(job).toLowerCase()}`}
            failed="Not removed."
            run={async () => {
              await call(deleteDeadLetter, { params });
              await refresh();
            }}
          >
            It is not tried again, and its error message is gone.
          </Confirm>
        </div>
      </div>
    </li>
  );
}

/** What runs by itself, when it ran last and when it is due. */
function Schedules(): ReactNode {
  const { data, error } = useQuery({
    queryKey: ['jobs'],
    queryFn: ({ signal }) => call(listJobs, {}, signal),
    refetchInterval: 30_000,
  });
  return (
    <Section title="What runs by itself" note="again and again, in the background">
      {error === null ? null : <Failure what="The schedules could not be read." error={error} />}
      {data === undefined ? null : (
        <div className="tw">
          <table className="cards">
            <thead>
              <tr>
                <th>Work</th>
                <th>Last run</th>
                <th className="num">Took</th>
                <th>Due</th>
              </tr>
            </thead>
            <tbody>
              {data.jobs.map(({ name, lastRun, nextAt }) => (
                <tr key={name}>
                  <td>{jobWords(name)}</td>
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
    </Section>
  );
}
