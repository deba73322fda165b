import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { until } from '#test/flow/until.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { openRelay } from '#test/harness/test-outage.ts';

/** A takeover should take 8 s; a busy machine may take longer. */
export const PATIENCE_MS = 60_000;
/** A request that places an order. */
export const PLACES = /^POST \/api\/v3\/order/;

interface OwnerOptions {
  readonly databaseUrl: string;
  readonly paperUrl: string;
}

type Act = () => Promise<void> | void;

/** A separate worker process, with a view of its traffic. */
export interface Owner extends AsyncDisposable {
  readonly slot: string;
  readonly process: ChildProcess;
  /**
   * Calls `act` once, when pieces of one connection matched the patterns in turn, before the last is passed on; a
   * promise that `act` returns holds that piece. Disposing the answer forgets an `act` that was not called yet.
   */
  onNext(patterns: readonly RegExp[], act: Act): Disposable & { isDone(): boolean };
  /** As `onNext`, and waits until `act` was called. */
  atNext(patterns: readonly RegExp[], act: Act): Promise<void>;
  /** Orders sent so far. */
  placed(): number;
  said(event: string): boolean;
}

export async function openOwner(slot: string, { databaseUrl, paperUrl }: OwnerOptions): Promise<Owner> {
  await using stack = new AsyncDisposableStack();
  let waiting: { readonly patterns: readonly RegExp[]; readonly act: Act } | undefined;
  const fitted = new Map<string, number>();
  let placed = 0;
  let output = '';
  const look =
    (place: string) =>
    (piece: Buffer, direction: 'out' | 'back', connection: number): Promise<void> | void => {
      const text = piece.toString('latin1');
      if (direction === 'out' && PLACES.test(text)) placed += 1;
      if (direction === 'back' || waiting === undefined) return;
      const key = `${place} ${connection}`;
      let count = fitted.get(key) ?? 0;
      while (waiting.patterns[count]?.test(text) === true) count += 1;
      fitted.set(key, count);
      if (count < waiting.patterns.length) return;
      const { act } = waiting;
      waiting = undefined;
      return act();
    };
  const database = stack.use(await openRelay(new URL(databaseUrl), look('database')));
  const exchange = stack.use(await openRelay(new URL(paperUrl), look('exchange')));
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    PAPER_URL: exchange.url,
    WORKER_SLOT: slot,
    LOG_LEVEL: 'info',
  };
  const child = spawn(process.execPath, ['worker/main.ts'], { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'inherit'] });
  child.stdout.on('data', (chunk) => (output += String(chunk)));
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  await until(`worker ${slot} to start`, () => output.includes('"worker_started"'), PATIENCE_MS);
  const kept = stack.move();
  const onNext: Owner['onNext'] = (patterns, act) => {
    fitted.clear();
    const own = { patterns, act };
    waiting = own;
    const isDone = (): boolean => waiting !== own;
    const forget = (): void => {
      if (!isDone()) waiting = undefined;
    };
    return { isDone, [Symbol.dispose]: forget };
  };
  return {
    ...{ slot, process: child, onNext },
    async atNext(patterns, act) {
      const next = onNext(patterns, act);
      await until(`worker ${slot} to send ${patterns.join(', ')}`, next.isDone, PATIENCE_MS);
    },
    placed: () => placed,
    said: (event) => output.includes(`"event":"${event}"`),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}
