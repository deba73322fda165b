/** Runs jobs one at a time in order of arrival; a coalesced job waits until the queue is empty and replaces itself. */
export interface Mailbox {
  push(job: () => Promise<void> | undefined): void;
  /** Runs `job` in its turn and answers with how it ended. */
  enqueue(job: () => Promise<void>): Promise<void>;
  /** For callers from outside: rejects when the mailbox is closed before `work`, which its jobs do, has ended. */
  until<Value>(work: Promise<Value>): Promise<Value>;
  /** Asks for the coalesced job to run once more. */
  coalesce(): void;
  /** Takes nothing more and waits for the job in flight. */
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

  /** Most jobs wait for nothing: they are done at once, without a promise. Returns what the first other one waits for. */
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

/** The promise of a job that is pushed: it ends as the job does. */
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
