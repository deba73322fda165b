/**
 * Runs jobs one at a time in order of arrival. The coalesced job waits until the queue is empty; it is queued only
 * once.
 */
export interface Mailbox {
  push(job: () => Promise<void> | undefined): void;
  /** Queues `job`; the promise settles as the job does. */
  enqueue(job: () => Promise<void>): Promise<void>;
  /** For external callers: rejects when the mailbox is closed before `work`, which its jobs perform, has ended. */
  until<Value>(work: Promise<Value>): Promise<Value>;
  /** Requests one more run of the coalesced job. */
  coalesce(): void;
  /** Accepts no more jobs and waits for the job in flight. */
  close(): Promise<void>;
}

interface MailboxInput {
  readonly coalesced: () => Promise<void> | undefined;
  readonly fail: (error: unknown) => void;
  readonly signal: AbortSignal;
}

export function createMailbox({ coalesced, fail, signal }: MailboxInput): Mailbox {
  const jobs: (() => Promise<void> | undefined)[] = [];
  let pumping: Promise<void> | null = null;
  let running = false;
  let pending = false;
  let closed = false;

  /** Most jobs run synchronously, without a promise. Returns the promise of the first job that is asynchronous. */
  const run = (): Promise<void> | undefined => {
    while (!closed && !signal.aborted) {
      const job = jobs.shift();
      if (job === undefined && !pending) return undefined;
      if (job === undefined) pending = false;
      const waited = (job ?? coalesced)();
      if (waited !== undefined) return waited;
    }
    return undefined;
  };
  const pump = async (first: Promise<void>): Promise<void> => {
    for (let waited: Promise<void> | undefined = first; waited !== undefined; waited = run()) await waited;
  };
  const kick = (): void => {
    if (running || pumping !== null || closed || signal.aborted) return;
    running = true;
    try {
      const waited = run();
      if (waited !== undefined) pumping = pump(waited).catch(fail).finally(ended);
    } catch (error) {
      fail(error);
    } finally {
      running = false;
    }
  };
  const ended = (): void => {
    pumping = null;
    if (jobs.length > 0 || pending) kick();
  };
  const push = (job: () => Promise<void> | undefined): void => {
    jobs.push(job);
    kick();
  };

  const closing = Promise.withResolvers<never>();
  closing.promise.catch(() => {});

  return {
    push,
    enqueue: (job) => settling(push, job),
    until: (work) => Promise.race([work, closing.promise]),
    coalesce() {
      pending = true;
      kick();
    },
    async close() {
      closed = true;
      closing.reject(new Error('The coin was closed before the change could be made.'));
      while (pumping !== null) await pumping;
    },
  };
}

/** Pushes a job; the promise settles as the job does. */
function settling(push: Mailbox['push'], job: () => Promise<void>): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  push(async () => {
    try {
      await job();
      resolve();
    } catch (error) {
      reject(error);
      throw error;
    }
  });
  return promise;
}
