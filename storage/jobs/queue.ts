import { randomUUID } from 'node:crypto';
import { fromKysely, type Job, PgBoss, type QueueOptions, type SendOptions } from 'pg-boss';
import type { Venue } from '#core/account/account.ts';
import type { CandleSpan } from '#core/installation/cache-keys.ts';
import type { AccountId, ProfileId } from '#core/ids.ts';
import type { Notification, NotifierName } from '#core/installation/notify.ts';
import { scrubError } from '#core/installation/scrub.ts';
import { connect } from '#storage/postgres/connect.ts';
import type { Question } from '#storage/research/advisor.ts';
import type { Transaction } from '#storage/postgres/database.ts';
import type { Unit } from '#storage/research/research.ts';
import { DEAD_LETTERS, type DeadLetter } from './dead-letters.ts';

/** Data of each job. */
export interface JobData {
  readonly 'verify-api-key': { readonly accountId: AccountId };
  readonly 'refresh-rules': Readonly<Record<string, never>>;
  readonly prune: Readonly<Record<string, never>>;
  /** Sends a message to the notifiers of a profile and its account, of an account, or, without either, of all accounts. */
  readonly notify: {
    readonly profileId?: ProfileId;
    readonly accountId?: AccountId;
    readonly notification: Notification;
  };
  readonly 'notify-send': { readonly notification: Notification } & (
    | { readonly profileId: ProfileId; readonly provider: NotifierName }
    | { readonly notifierId: string }
  );
  readonly backup: Readonly<Record<string, never>>;
  readonly digest: Readonly<Record<string, never>>;
  readonly 'apply-avg-entry-price': { readonly profileId: ProfileId; readonly symbol: string };
  /** Without an account: for every account. */
  readonly 'reconcile-positions': { readonly accountId?: AccountId };
  readonly 'run-backtest': { readonly runId: string };
  readonly 'run-sweep-unit': Unit;
  readonly 'test-robustness': { readonly runId: string };
  /** Without a profile: enqueues one for each enabled profile. */
  readonly 'compare-live': { readonly profileId?: ProfileId };
  readonly advise: Question;
  readonly 'detect-orphans': { readonly accountId?: AccountId };
  readonly 'identity-check': { readonly accountId?: AccountId };
  readonly 'fetch-candles': CandleSpan;
  /** Fee reconciliation and backfill of the trade archive. */
  readonly 'account-history': { readonly runId: string };
  readonly discover: Readonly<Record<string, never>>;
  /** Checks a version of a strategy file. */
  readonly 'check-strategy': { readonly hash: string };
  /** Runs a version of a strategy file on a coin; from and to are ISO times. */
  readonly 'preview-strategy': {
    readonly hash: string;
    readonly venue: Venue;
    readonly symbol: string;
    readonly from: string;
    readonly to: string;
  };
  /** Computes a running dry run up to now, and enqueues itself again until it has ended. */
  readonly 'evaluate-dry-run': { readonly dryRunId: string };
}
export type JobName = keyof JobData;
const JOB_NAMES: readonly JobName[] = [
  'verify-api-key',
  'refresh-rules',
  'prune',
  'notify',
  'notify-send',
  'digest',
  'backup',
  'apply-avg-entry-price',
  'reconcile-positions',
  'run-backtest',
  'run-sweep-unit',
  'test-robustness',
  'compare-live',
  'advise',
  'detect-orphans',
  'identity-check',
  'fetch-candles',
  'account-history',
  'discover',
  'check-strategy',
  'preview-strategy',
  'evaluate-dry-run',
];
/** Jobs of earlier versions, which nothing takes any more. */
const FORMER_JOBS = ['shadow-replay', 'snapshot-equity', 'watch-drift'];
/** Jobs that take minutes. When a worker dies, another worker must not wait until such a job would time out. */
const LONG_JOBS: readonly JobName[] = [
  'run-backtest',
  'run-sweep-unit',
  'test-robustness',
  'compare-live',
  'fetch-candles',
  'account-history',
  'check-strategy',
  'preview-strategy',
  'evaluate-dry-run',
];
const LONG = { expireInSeconds: 3600, heartbeatSeconds: 10 } as const;

export interface JobRun {
  readonly id: string;
  /** 1 for the first attempt. */
  readonly attempt: number;
  /** Aborted when the job takes too long or the process stops. */
  readonly signal: AbortSignal;
}

interface EnqueueOptions {
  /** While a job with this key waits for its first attempt, a second job with this key is not added. */
  readonly singletonKey?: string;
  readonly startAfter?: Date;
}

export interface QueueLog {
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

interface OpenQueueOptions {
  readonly log: QueueLog;
  /** False in a process that only enqueues: workers do maintenance and schedules. */
  readonly works?: boolean;
  readonly retry?: { readonly limit: number; readonly delaySeconds: number; readonly maxDelaySeconds: number };
}

/** Poll interval of a queue while the connection that receives notifications is lost. */
const POLL_SECONDS = 0.5;
/** Poll interval of a queue otherwise: a notification, or the read of due jobs, wakes its workers. */
const NOTIFIED_POLL_SECONDS = 300;
/** One read finds the due jobs of all queues: delayed and repeated ones, and those whose notification was lost. */
const DUE_EVERY_MS = 4_000;
const DUE = `select distinct name from pgboss.job_common where state < 'active' and not blocked and start_after <= now()`;
const POLLING = {
  pollingIntervalSeconds: POLL_SECONDS,
  notifyPollingIntervalSeconds: NOTIFIED_POLL_SECONDS,
  batchSize: 1,
} as const;
const EXPIRE_SECONDS = 300;
/** Interval of the check for jobs of dead workers. pg-boss does it together with its counts of each queue, and only when both are due. */
const SUPERVISE_SECONDS = 15;
/** Schedules are written per minute; no job of ours waits for another one (flows). */
const [CRON_SECONDS, FLOW_SECONDS] = [15, 60];
/** Interval of the check that the connection still receives notifications; the read of due jobs replaces lost ones. */
const LISTEN_CHECK_MS = 30_000;
const STOP_MS = 3_000;
const RETRY = { limit: 5, delaySeconds: 2, maxDelaySeconds: 300 } as const;
/** During an outage every poll of every queue fails with the same error; this is the interval between log lines. */
const SAME_ERROR_MS = 10_000;
/** pg-boss appends the name of the queue to the message of a failed poll. */
const POLLED_BY = / \(Queue: [^)]*\)$/;
const MAX_ERROR_CHARS = 20_000;
/** Dead letters stay until the operator has dealt with them: ten years. */
const KEPT_SECONDS = 315_360_000;

/** Jobs in PostgreSQL: at least once, retried with backoff, exhausted ones kept as dead letters. */
export class Queue implements AsyncDisposable {
  readonly #boss: PgBoss;
  /** Ids of the workers of each queue. */
  readonly #workers = new Map<string, string[]>();
  #waking: NodeJS.Timeout | undefined;

  constructor(boss: PgBoss) {
    this.#boss = boss;
  }

  /** The job's id; undefined when a job with the same singleton key already waits. */
  async enqueue<Name extends JobName>(
    name: Name,
    data: JobData[Name],
    options: EnqueueOptions = {},
  ): Promise<string | undefined> {
    return (await this.#boss.send(name, data, sendOptions(options))) ?? undefined;
  }

  /**
   * The job exists if and only if the transaction commits. Not for transactions that write orders or fills: the commit
   * notifies, and commits that notify wait for each other.
   */
  async enqueueIn<Name extends JobName>(
    transaction: Transaction,
    job: { readonly name: Name; readonly data: JobData[Name] } & EnqueueOptions,
  ): Promise<string | undefined> {
    const db = fromKysely(transaction);
    return (await this.#boss.send(job.name, job.data, { ...sendOptions(job), db })) ?? undefined;
  }

  /** Enqueues many jobs of one name in one statement. */
  async enqueueAllIn<Name extends JobName>(
    transaction: Transaction,
    name: Name,
    jobs: readonly JobData[Name][],
  ): Promise<void> {
    const rows = jobs.map((data) => ({ data, singletonKey: randomUUID() }));
    await this.#boss.insert(name, rows, { db: fromKysely(transaction) });
  }

  /** Runs jobs of a name, `lanes` at a time (default one). A throwing handler is retried; its error is scrubbed before it is stored. */
  async work<Name extends JobName>(
    name: Name,
    handler: (data: JobData[Name], run: JobRun) => Promise<void>,
    lanes = 1,
  ): Promise<void> {
    const run = async (jobs: Job<JobData[Name]>[]): Promise<void> => {
      for (const job of jobs)
        await runScrubbed(() => handler(job.data, { id: job.id, attempt: job.retryCount + 1, signal: job.signal }));
    };
    for (let lane = 0; lane < lanes; lane++) await this.#add(name, run);
  }

  /** Enqueues a job at the times of a cron line (five fields, UTC), in one process only. A second call replaces the schedule. */
  async schedule<Name extends JobName>(name: Name, cron: string, data: JobData[Name]): Promise<void> {
    await this.#boss.schedule(name, cron, data, { tz: 'UTC', singletonKey: `schedule:${name}` });
  }

  /** The next time of a cron line after `from`. */
  nextRun(cron: string, from: Date): Date | undefined {
    return this.#boss.previewSchedule(cron, { tz: 'UTC', count: 1, from })[0];
  }

  /** Reports each failed job once, in one process only. A report that throws is retried. The job stays listed. */
  async watchDeadLetters(report: (id: string) => Promise<void>): Promise<void> {
    await this.#add(DEAD_LETTERS, async (jobs: Job[]) => {
      for (const job of jobs) await runScrubbed(() => report(job.id));
    });
  }

  /** Enqueues a failed job again as a new job with all attempts; undefined for a job name that no longer exists. */
  async enqueueAgain(transaction: Transaction, { job, data }: DeadLetter): Promise<string | undefined> {
    if (!JOB_NAMES.some((name) => name === job) || typeof data !== 'object') return undefined;
    const db = fromKysely(transaction);
    return (await this.#boss.send(job, data, { ...sendOptions({}), db })) ?? undefined;
  }

  /** One notification announces many jobs, so a worker that has done one looks for the next without another notification. */
  async #add<Data extends object>(name: string, run: (jobs: Job<Data>[]) => Promise<void>): Promise<void> {
    let id = '';
    const work = (jobs: Job<Data>[]) => run(jobs).finally(() => this.#boss.notifyWorker(id));
    id = await this.#boss.work<Data>(name, POLLING, work);
    this.#workers.set(name, [...(this.#workers.get(name) ?? []), id]);
    this.#waking ??= setInterval(() => void this.#wakeDue(), DUE_EVERY_MS);
  }

  /** A failed read is not reported: the poll of each queue reports the same outage. */
  async #wakeDue(): Promise<void> {
    const found = await this.#boss
      .getDb()
      .executeSql(DUE)
      .catch(() => undefined);
    for (const { name } of found?.rows ?? [])
      for (const id of this.#workers.get(String(name)) ?? []) this.#boss.notifyWorker(id);
  }

  /** Stops fetching jobs and waits up to three seconds for running ones. A job that still runs then is retried later. */
  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#waking);
    await this.#boss.stop({ graceful: true, timeout: STOP_MS });
  }
}

/** Opens the queue in schema `pgboss`, which it creates on first use. Throws DatabaseUnreachable when PostgreSQL does not answer. */
export async function openQueue(databaseUrl: string, options: OpenQueueOptions): Promise<Queue> {
  await (await connect(databaseUrl)).end();
  const works = options.works ?? true;
  const boss = new PgBoss({
    connectionString: databaseUrl,
    application_name: 'tradewind-queue',
    max: works ? 4 : 2,
    schema: 'pgboss',
    useListenNotify: works,
    supervise: works,
    schedule: works,
    connectionTimeoutMillis: 5_000,
    superviseIntervalSeconds: SUPERVISE_SECONDS,
    monitorIntervalSeconds: SUPERVISE_SECONDS,
    cronWorkerIntervalSeconds: CRON_SECONDS,
    flowIntervalSeconds: FLOW_SECONDS,
    notifyHeartbeatIntervalMs: LISTEN_CHECK_MS,
  });
  reportTo(options.log, boss);
  try {
    await boss.start();
    await createQueues(boss, options.retry ?? RETRY);
  } catch (error) {
    await boss.stop({ graceful: false }).catch(() => {});
    throw error;
  }
  return new Queue(boss);
}

/** Skips queues that already have the right options: a restarted process is ready sooner. */
async function createQueues(boss: PgBoss, retry: typeof RETRY | NonNullable<OpenQueueOptions['retry']>): Promise<void> {
  const known = new Map((await boss.getQueues()).map((queue) => [queue.name, new Map(Object.entries(queue))]));
  const ensure = async (name: string, policy: 'short' | 'standard', settings: QueueOptions): Promise<void> => {
    const queue = known.get(name);
    if (queue === undefined) await boss.createQueue(name, { ...settings, policy });
    else if (Object.entries(settings).some(([setting, value]) => queue.get(setting) !== value))
      await boss.updateQueue(name, settings);
  };
  const kept = { deleteAfterSeconds: 0, retentionSeconds: KEPT_SECONDS, retryBackoff: true, notify: true };
  await ensure(DEAD_LETTERS, 'standard', kept);
  const settings: QueueOptions & { deadLetter: string; notify: boolean } = {
    retryLimit: retry.limit,
    retryDelay: retry.delaySeconds,
    retryBackoff: true,
    retryDelayMax: retry.maxDelaySeconds,
    expireInSeconds: EXPIRE_SECONDS,
    deadLetter: DEAD_LETTERS,
    notify: true,
  };
  for (const name of FORMER_JOBS) await boss.deleteQueue(name);
  for (const name of JOB_NAMES)
    await ensure(name, 'short', LONG_JOBS.includes(name) ? { ...settings, ...LONG } : settings);
}

/** Without an error listener a lost connection would end the process. */
function reportTo(log: QueueLog, boss: PgBoss): void {
  let last = { reason: '', atMs: 0 };
  boss.on('error', (error) => {
    const scrubbed = scrubError(error);
    const reason = scrubbed.message.replace(POLLED_BY, '');
    const atMs = performance.now();
    if (reason === last.reason && atMs - last.atMs < SAME_ERROR_MS) return;
    last = { reason, atMs };
    log.error({ event: 'queue_error', err: scrubbed }, `The job queue reports: ${reason}. It retries automatically.`);
  });
  boss.on('warning', ({ message }) => log.warn({ event: 'queue_warning' }, `The job queue warns: ${message}`));
}

/** pg-boss stores the whole error object, so a handler's error is reduced to a scrubbed message and stack. */
async function runScrubbed(work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const { message, stack } = scrubError(thrown);
    const error = new Error(storable(message));
    error.stack = storable(stack ?? message);
    throw error;
  }
}

/** jsonb refuses NUL and unpaired surrogates; a refused error would leave its job running until it expires. */
const storable = (text: string): string => text.slice(0, MAX_ERROR_CHARS).toWellFormed().replaceAll('\0', '\ufffd');

/** Every job has a key, because a queue of policy `short` admits one waiting job per key. */
function sendOptions(options: EnqueueOptions): SendOptions {
  return {
    singletonKey: options.singletonKey ?? randomUUID(),
    ...(options.startAfter === undefined ? {} : { startAfter: options.startAfter }),
  };
}
