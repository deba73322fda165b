import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Api, openApi } from '#api/boot.ts';
import { signUp } from '#api/contract/session.ts';
import { listAccounts } from '#api/contract/accounts.ts';
import { parseEnvironment } from '#core/installation/env.ts';
import type { AccountId } from '#core/ids.ts';
import { type AccountInput, parseAccounts } from '#paper/exchange/accounts.ts';
import type { PaperOptions } from '#paper/options.ts';
import { type PaperExchange, startPaper } from '#paper/server.ts';
import { openTestDatabase, type TestDatabase } from '#test/harness/test-database.ts';
import { openWorker, type WorkerSettings } from '#worker/worker.ts';
import { type ApiClient, createClient } from './client.ts';

interface StackOptions {
  readonly source: PaperOptions['source'];
  readonly fromMs?: number;
  readonly speed?: number;
  readonly clock?: PaperOptions['clock'];
  /** Of the account at the exchange. */
  readonly account?: Partial<AccountInput>;
  readonly cacheUrl?: string;
  readonly candleDir?: string;
  /** Folder of strategy files; by default one without files. */
  readonly strategyDir?: string;
  /** Where api and worker send traces. */
  readonly collectorUrl?: string;
  /** Whether the api may send to this machine. */
  readonly outgoingPrivate?: 'allow';
  readonly worker?: WorkerSettings;
  /** Receives the lines of the worker's log, from level warn. */
  readonly onWarning?: (line: string) => void;
}

/** Everything that npm start runs, in this process, on a separate database. */
export interface Stack extends ApiClient, AsyncDisposable {
  readonly paper: PaperExchange;
  readonly api: Api;
  readonly database: TestDatabase['database'];
  readonly databaseUrl: string;
  readonly accountId: AccountId;
  stopWorker(): Promise<void>;
  startWorker(): Promise<void>;
}

export const KEY = { apiKey: 'flow-test-key-0123456789', secret: 'flow-test-secret-0123456789' };

export const CREDENTIALS = { email: 'a@example.org', password: 'a long enough password' };

export async function openStack(options: StackOptions): Promise<Stack> {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'tradewind-flow-'));
  stack.defer(() => rm(folder, { recursive: true, force: true }));
  const test = stack.use(await openTestDatabase());
  const paper = stack.use(
    await startPaper({
      speed: 1,
      clock: { kind: 'real' },
      ...options,
      port: 0,
      controlPort: 0,
      accounts: parseAccounts(
        [{ name: 'a', ...KEY, balances: { USDT: '10000' }, ...options.account }],
        'The accounts of the test',
      ),
    }),
  );
  const env = parseEnvironment({
    DATABASE_URL: test.url,
    CACHE_URL: options.cacheUrl,
    CANDLE_DIR: options.candleDir,
    STRATEGY_DIR: options.strategyDir ?? join(folder, 'strategies'),
    PAPER_URL: paper.url,
    PAPER_API_KEY: KEY.apiKey,
    PAPER_API_SECRET: KEY.secret,
    PORT: '0',
    WORKER_SLOT: 'flow',
    OUTGOING_PRIVATE: options.outgoingPrivate,
    OTEL_EXPORTER_OTLP_ENDPOINT: options.collectorUrl,
    LOG_LEVEL: process.env['FLOW_LOG'] ?? 'silent',
  });
  const api = stack.use(await openApi(env));
  let worker: AsyncDisposable | null = null;
  const startWorker = async (): Promise<void> => {
    // Another one would be forgotten, and keep the process of the test alive forever.
    if (worker !== null) throw new Error('The worker of the stack runs already.');
    const { onWarning, worker: settings } = options;
    const warned = { ...env, LOG_LEVEL: 'warn' } as const;
    worker = await (onWarning
      ? openWorker(warned, { ...settings, logTo: { write: onWarning } })
      : openWorker(env, settings));
  };
  const stopWorker = async (): Promise<void> => {
    const stopping = worker;
    worker = null;
    await stopping?.[Symbol.asyncDispose]();
  };
  await startWorker();
  stack.defer(stopWorker);
  const client = createClient(`http://127.0.0.1:${api.port}/api`);
  await client.call(signUp, { body: CREDENTIALS });
  const { accounts } = await client.call(listAccounts, {});
  const [account] = accounts;
  if (account === undefined) throw new Error('Signing up made no account.');
  const resources = stack.move();
  return {
    paper,
    api,
    database: test.database,
    databaseUrl: test.url,
    accountId: account.id,
    ...client,
    startWorker,
    stopWorker,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  };
}
