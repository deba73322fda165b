import type { Status } from '#web/data/answers.ts';

interface Trouble {
  readonly tone: 'loss' | 'care';
  readonly title: string;
  readonly detail: string;
}

const short = (sha: string): string => sha.slice(0, 7);

/** Problems of the processes, worst first; empty when there are none. */
export function troublesOf(status: Status | undefined, failed: boolean): Trouble[] {
  if (failed) {
    const detail = 'The values shown may be old. This page retries every 5 s.';
    return [{ tone: 'loss', title: 'The service does not answer.', detail }];
  }
  if (status === undefined) return [];
  const { api, worker, db } = status;
  if (worker === null) {
    const detail =
      'It is down or has not written status since its last restart. No decisions are made until it is back; open orders stay active on the exchange.';
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
