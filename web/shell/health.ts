import type { Status } from '#web/data/queries.ts';

interface Trouble {
  readonly tone: 'loss' | 'care';
  readonly title: string;
  readonly detail: string;
}

const short = (sha: string): string => sha.slice(0, 7);

/** What is wrong with the processes, worst first; empty when status has nothing to complain about. */
export function troublesOf(status: Status | undefined, failed: boolean): Trouble[] {
  if (failed) {
    const detail = 'What you see may be old. This page keeps asking every 5 s.';
    return [{ tone: 'loss', title: 'The service does not answer.', detail }];
  }
  if (status === undefined) return [];
  const { api, worker, db } = status;
  if (worker === null) {
    const detail =
      'It is down or has not written status since its last restart. Nothing is decided until it is back; orders that rest on the exchange keep working.';
    return [{ tone: 'loss', title: 'Worker down.', detail }];
  }
  const troubles: Trouble[] = [];
  if (worker.sha !== api.sha) {
    const detail = `it runs ${short(worker.sha)}, this page is ${short(api.sha)}.`;
    troubles.push({ tone: 'care', title: 'Restart the worker:', detail });
  }
  if (Date.parse(worker.bootedAt) < Date.parse(db.latestMigrationAppliedAt)) {
    const detail = 'it started before the latest change of the database.';
    troubles.push({ tone: 'care', title: 'Restart the worker:', detail });
  }
  return troubles;
}
