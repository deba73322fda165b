import { flushCompileCache } from 'node:module';
import { scrubError } from '#core/installation/scrub.ts';

/** Lets a supervised main report that it is ready. Does nothing when the process runs alone. */
interface Supervised {
  /** True when a supervisor holds the other end of the IPC channel. */
  readonly supervised: boolean;
  /** Reports to the supervisor that this process is ready, with `info`. */
  ready(info?: Readonly<Record<string, unknown>>): void;
  /** Sends a message to the supervisor. */
  send(message: Readonly<Record<string, unknown>>): void;
}

/** Upper bound of a clean stop; afterwards the process exits with code 1. */
const stopLimitMs = 4000;

/**
 * Connects a main (worker, api, paper) to the process that started it.
 * `stop` is called at most once: on SIGTERM, on the IPC message `{ stop: true }`, and when the supervisor is gone.
 * A process without a supervisor also stops on SIGINT and SIGHUP. A supervised one ignores them, because a terminal sends
 * them to the whole group. `onMessage` receives every other message of the supervisor.
 */
export function attachToSupervisor(
  stop: () => Promise<void>,
  onMessage: (message: unknown) => void = () => undefined,
): Supervised {
  const supervised = process.send !== undefined;
  let stopping = false;

  const finish = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), stopLimitMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        process.stderr.write(`Stopping failed: ${scrubError(error).message}\n`);
        process.exit(1);
      },
    );
  };
  const leaveToSupervisor = () => undefined;

  // Node prints uncaught errors in full, with the bind values of a query or the headers of a request.
  process.on('uncaughtException', (error) => {
    const { message, stack } = scrubError(error);
    process.stderr.write(`${stack ?? message}\n`);
    process.exit(1);
  });
  process.on('SIGTERM', finish);
  process.on('SIGINT', supervised ? leaveToSupervisor : finish);
  process.on('SIGHUP', supervised ? leaveToSupervisor : finish);
  if (supervised) {
    process.on('disconnect', finish);
    process.on('message', (message) => {
      if (isStop(message)) finish();
      else onMessage(message);
    });
    // The other end of stdout and stderr dies with the supervisor; writing must not throw before `stop` is done.
    process.stdout.on('error', leaveToSupervisor);
    process.stderr.on('error', leaveToSupervisor);
    if (!process.connected) finish();
  }

  const send = (message: Readonly<Record<string, unknown>>): void => {
    if (supervised && process.connected) process.send?.(message);
  };
  return {
    supervised,
    send,
    ready: (info = {}) => {
      send({ ...info, ready: true });
      // Otherwise it is written at exit, and a killed process never writes it.
      flushCompileCache();
    },
  };
}

function isStop(message: unknown): boolean {
  return typeof message === 'object' && message !== null && 'stop' in message && message.stop === true;
}
