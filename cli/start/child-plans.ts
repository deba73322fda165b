import { join } from 'node:path';
import type { Environment } from '#core/installation/env.ts';
import type { ChildPlan } from './child.ts';
import type { KeyPair } from './paper-accounts.ts';

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ServiceFacts {
  readonly root: string;
  readonly dataDir: string;
  /** Unchanged environment of the operator. */
  readonly inherited: Variables;
  readonly env: Environment;
  /** Port of the api, after 0 was resolved. */
  readonly port: number;
  readonly webDir: string;
  readonly databaseUrl: string;
  readonly paper: PaperFacts | undefined;
  readonly gitSha: string | undefined;
}

/** The paper exchange of this start; undefined in ServiceFacts when PAPER_URL names another. */
export interface PaperFacts {
  readonly port: number;
  readonly controlPort: number;
  readonly accountsPath: string;
  readonly operator: KeyPair;
}

/** Start plan of the paper exchange. It gets no database, because it plays the exchange. */
export function planPaper(
  facts: Omit<ServiceFacts, 'webDir' | 'databaseUrl'>,
  paper: PaperFacts,
  market: readonly (readonly [string, string])[],
): ChildPlan {
  const flags = [
    ['--port', String(paper.port)],
    ['--control-port', String(paper.controlPort)],
    ['--control-token-file', join(facts.dataDir, 'paper-control-token')],
    ['--accounts', paper.accountsPath],
    ...market,
    ['--data-dir', join(facts.dataDir, 'paper')],
  ];
  return {
    name: 'paper',
    main: join(facts.root, 'paper', 'main.ts'),
    args: flags.flat(),
    environment: onlyDefined({ ...facts.inherited, DATABASE_URL: undefined, CACHE_URL: undefined }),
    logPath: join(facts.dataDir, 'logs', 'paper.log'),
    stopLimitMs: 700,
  };
}

export function planApi(facts: ServiceFacts): ChildPlan {
  return {
    name: 'api',
    main: join(facts.root, 'api', 'main.ts'),
    args: [],
    environment: serviceVariables(facts),
    logPath: join(facts.dataDir, 'logs', 'api.log'),
    stopLimitMs: 700,
  };
}

export function planWorker(facts: ServiceFacts): ChildPlan {
  return {
    name: 'worker',
    main: join(facts.root, 'worker', 'main.ts'),
    args: [],
    environment: { ...serviceVariables(facts), ...workerMetrics(facts) },
    logPath: join(facts.dataDir, 'logs', 'worker.log'),
    stopLimitMs: 2200,
  };
}

/** Both processes share a machine: the worker's metrics port is next to that of the api. */
const workerMetrics = ({ env }: ServiceFacts): Record<string, string> =>
  env.METRICS_PORT === undefined || env.METRICS_PORT === 0 ? {} : { METRICS_PORT: String(env.METRICS_PORT + 1) };

/** Environment for api and worker. Values of the operator stay, missing ones get a default. */
function serviceVariables(facts: ServiceFacts): Record<string, string> {
  const { inherited, port, paper } = facts;
  const origins = [`http://127.0.0.1:${port}`, `http://localhost:${port}`].join(',');
  return onlyDefined({
    ...inherited,
    DATABASE_URL: facts.databaseUrl,
    PORT: String(port),
    WEB_DIR: given(inherited['WEB_DIR']) ?? facts.webDir,
    WEB_ORIGIN: given(inherited['WEB_ORIGIN']) ?? origins,
    CANDLE_DIR: given(inherited['CANDLE_DIR']) ?? join(facts.dataDir, 'candles'),
    STRATEGY_DIR: given(inherited['STRATEGY_DIR']) ?? join(facts.dataDir, 'strategies'),
    BACKUP_DIR: given(inherited['BACKUP_DIR']) ?? join(facts.dataDir, 'backups'),
    WORKER_SLOT: given(inherited['WORKER_SLOT']) ?? 'worker-1',
    GIT_SHA: facts.gitSha,
    // With compiled code, a killed process restarts in a third of the time.
    NODE_COMPILE_CACHE: given(inherited['NODE_COMPILE_CACHE']) ?? join(facts.dataDir, 'compiled'),
    ...(paper === undefined
      ? {}
      : {
          PAPER_URL: `http://127.0.0.1:${paper.port}`,
          PAPER_API_KEY: paper.operator.apiKey,
          PAPER_API_SECRET: paper.operator.secret,
        }),
  });
}

/** core/env counts an empty value as absent. */
function given(value: string | undefined): string | undefined {
  return value === '' ? undefined : value;
}

function onlyDefined(variables: Variables): Record<string, string> {
  const result: Record<string, string> = {};
  for (const [name, value] of Object.entries(variables)) if (value !== undefined) result[name] = value;
  return result;
}
