import type { ChildProcess } from 'node:child_process';
import { startLimited } from './limited-process.ts';
import { isReply, type Reply } from './messages.ts';

const PROGRAM = new URL('./program.ts', import.meta.url);
const MOST_MEMORY_MB = 64;
/** Time for the process to start and to load its file; and for one answer, also on a machine that is very busy. */
const START_LIMIT_MS = 15_000;
const ANSWER_LIMIT_MS = 3_000;

/** A file did not answer in time, or its process ended. */
export class NoAnswer extends Error {}
/** The process ended before the question was sent: another process can take it. */
export class NotAsked extends Error {}

/** A process for one strategy file, without environment, files, child processes and threads. */
export class FileProcess {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, { resolve: (reply: Reply) => void; reject: (error: Error) => void }>();
  #number = 0;
  #ended = false;
  /** The end of the last question: they are sent one at a time, so that none waits within its limit for another. */
  #last: Promise<unknown> = Promise.resolve();

  constructor() {
    this.#child = startLimited(PROGRAM, MOST_MEMORY_MB);
    this.#child.on('message', (reply: unknown) => {
      if (!isReply(reply)) return;
      this.#open.get(reply.number)?.resolve(reply);
      this.#open.delete(reply.number);
      // The state of the file is uncertain.
      if (reply.hung === true) this.#end('it hung');
    });
    // The worker ends without waiting for it.
    this.#child.unref();
    this.#child.channel?.unref();
    const end = (): void => this.#end('its process ended');
    this.#child.on('error', end).on('exit', end);
  }

  get ended(): boolean {
    return this.#ended;
  }

  /** Sends a question when it is its turn. Rejects with NoAnswer after the limit; the process is then ended. */
  ask(question: object, first = false): Promise<Reply> {
    const answer = this.#last.then(() => this.#askNow(question, first));
    this.#last = answer.catch(() => {});
    return answer;
  }

  async #askNow(question: object, first: boolean): Promise<Reply> {
    if (this.#ended) throw new NotAsked('its process ended');
    this.#number += 1;
    const number = this.#number;
    const { promise, resolve: answered, reject } = Promise.withResolvers<Reply>();
    this.#open.set(number, { resolve: answered, reject });
    const limitMs = first ? START_LIMIT_MS : ANSWER_LIMIT_MS;
    const timer = setTimeout(() => this.#end(`no answer within ${limitMs} ms`), limitMs);
    this.#child.send({ ...question, number }, (error) => {
      if (error !== null) this.#end('its process ended');
    });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  close(): void {
    this.#end('the worker has closed it');
  }

  #end(why: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#child.kill('SIGKILL');
    for (const { reject } of this.#open.values()) reject(new NoAnswer(why));
    this.#open.clear();
  }
}
