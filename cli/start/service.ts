import { join } from 'node:path';
import type { Environment } from '#core/installation/env.ts';
import { changeMarketMessage, type PaperMarket } from '#core/installation/paper-market.ts';
import { readGitSha } from '#integrations/git-sha.ts';
import { readOrChoosePort } from '#storage/embedded/port.ts';
import { migrateDatabase } from '#storage/postgres/migrate.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { abortable } from './abortable.ts';
import { type ChildPlan, SupervisedChild } from './child.ts';
import { type PaperFacts, planApi, planPaper, planWorker, type ServiceFacts, type Variables } from './child-plans.ts';
import { EmbeddedDatabase } from './database.ts';
import type { StartOptions } from './options.ts';
import { readOrMakePaperAccount } from './paper-accounts.ts';
import { PaperExchange } from './paper-exchange.ts';
import { chooseMarket, type ChosenMarket, forgetCandles, keepMarket, marketFlags, marketText } from './paper-market.ts';
import { type PortClaim, startOnFreePorts } from './port-check.ts';
import type { Terminal } from './terminal.ts';
import { buildWebApp } from './web-build.ts';

interface ServicePlan {
  readonly root: string;
  readonly options: StartOptions;
  readonly inherited: Variables;
  readonly env: Environment;
  readonly claim: PortClaim;
  /** True when DATABASE_URL was not given. */
  readonly embedded: boolean;
  readonly terminal: Terminal;
  /** Aborts when the operator stops the service. */
  readonly stop: AbortSignal;
}

interface Users {
  readonly api: SupervisedChild;
  readonly worker: SupervisedChild;
  readonly candleDir: string;
}

/** Time for a starting database server before its address counts as wrong. */
const externalPatienceMs = 6000;
const databaseStopMs = 1000;

/** All running processes in start order. Disposing stops them in reverse order. */
export class Service implements AsyncDisposable {
  readonly #plan: ServicePlan;
  readonly #running = new AsyncDisposableStack();
  readonly #killable: { kill(): void }[] = [];
  readonly #giveUp = new AbortController();
  readonly #signal: AbortSignal;
  #paper: PaperExchange | undefined;
  #changing = Promise.resolve();
  #restartUsers: (databaseUrl: string) => void = () => undefined;

  constructor(plan: ServicePlan) {
    this.#plan = plan;
    this.#signal = AbortSignal.any([plan.stop, this.#giveUp.signal]);
  }

  /** Starts all processes and resolves when the api serves. Rejects with a sentence, or with the signal's reason. */
  async start(): Promise<void> {
    const database = this.#startDatabase();
    // The embedded database starts in parallel. A wrong DATABASE_URL must be reported before anything else runs.
    if (!this.#plan.embedded) await database;
    const [databaseUrl, webDir, paper] = await Promise.all([database, this.#buildWeb(), this.#startPaper()]);
    await this.#startUsers({ ...this.#facts(paper), databaseUrl, webDir, paper });
  }

  /** Kills every process without waiting, right before this process ends. */
  kill(): void {
    for (const thing of this.#killable) thing.kill();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#giveUp.abort();
    await this.#running.disposeAsync();
  }

  async #startDatabase(): Promise<string> {
    const { env, embedded, terminal } = this.#plan;
    const { url, place } = embedded
      ? await this.#startEmbedded()
      : { url: env.DATABASE_URL, place: 'PostgreSQL of DATABASE_URL' };
    const patience = embedded ? {} : { patienceMs: externalPatienceMs };
    const { applied } = await abortable(migrateDatabase(url, patience), this.#signal);
    const migrated =
      applied.length === 0
        ? 'up to date'
        : `${applied.length} ${applied.length === 1 ? 'migration' : 'migrations'} applied`;
    terminal.step('database', `${place}, ${migrated}`);
    if (env.CACHE_URL !== undefined) {
      const cache = await abortable(openCache({ cacheUrl: env.CACHE_URL, databaseUrl: url }), this.#signal);
      await cache[Symbol.asyncDispose]();
      terminal.step('cache', 'Redis or Valkey of CACHE_URL');
    }
    return url;
  }

  async #startEmbedded(): Promise<{ url: string; place: string }> {
    const { dataDir } = this.#plan.options;
    const database = new EmbeddedDatabase(
      {
        dataDir,
        logPath: join(dataDir, 'logs', 'postgres.log'),
        stopLimitMs: databaseStopMs,
        onMoved: (url) => this.#restartUsers(url),
        signal: this.#signal,
      },
      this.#plan.terminal,
    );
    this.#keep(database);
    const { url, version, folder } = await database.start();
    return { url, place: `PostgreSQL ${version.split('.')[0]} in ${folder}` };
  }

  async #buildWeb(): Promise<string> {
    const { root, options, inherited, env, terminal } = this.#plan;
    if (env.WEB_DIR !== undefined) return env.WEB_DIR;
    const order = { root, dataDir: options.dataDir, inherited, signal: this.#signal };
    const { folder, built } = await abortable(buildWebApp(order), this.#signal);
    terminal.step('web app', built ? 'built' : 'built earlier');
    return folder;
  }

  async #startPaper(): Promise<PaperFacts | undefined> {
    const { root, env, options, terminal } = this.#plan;
    if (env.PAPER_URL !== undefined) return undefined;
    const accountsPath = join(options.dataDir, 'paper-accounts.json');
    const operator = readOrMakePaperAccount(accountsPath);
    const choose = async (): Promise<readonly [number, number]> => {
      this.#signal.throwIfAborted();
      const port = await readOrChoosePort(join(options.dataDir, 'paper-port'));
      return [port, await readOrChoosePort(join(options.dataDir, 'paper-control-port'), port)];
    };
    const paperOn = ([port, controlPort]: readonly [number, number]): PaperFacts => ({
      port,
      controlPort,
      accountsPath,
      operator,
    });
    const place = { root, options, liveUrl: env.LIVE_REST_URL };
    const ports = await startOnFreePorts(choose, async (chosen) => {
      const facts = paperOn(chosen);
      await this.#paper?.[Symbol.asyncDispose]();
      const planOf = (market: ChosenMarket): ChildPlan =>
        planPaper(this.#facts(facts), facts, marketFlags(market, place));
      this.#paper = new PaperExchange({ terminal, planOf }, chooseMarket(options));
      this.#keep(this.#paper);
      await abortable(this.#paper.start(), this.#signal);
    });
    const paper = paperOn(ports);
    terminal.step('paper', marketText(this.#paper?.state.market ?? 'invented', options));
    return paper;
  }

  /** The api and the worker start again: they hold prices and times of the other market. */
  async #changeMarket(market: PaperMarket, users: Users): Promise<void> {
    const { options, terminal } = this.#plan;
    const paper = this.#paper;
    if (paper === undefined) return;
    users.worker.restartWith();
    if (await paper.switchTo(market)) {
      keepMarket(options.dataDir, market);
      forgetCandles(users.candleDir);
      terminal.step('paper', marketText(market, options));
      users.api.restartWith();
    }
    users.api.greet({ paper: paper.state });
  }

  async #startUsers(facts: ServiceFacts): Promise<void> {
    this.#signal.throwIfAborted();
    await this.#plan.claim.release();
    const onMessage = (message: unknown): void => {
      const wanted = changeMarketMessage.safeParse(message).data?.changeMarket;
      if (wanted !== undefined)
        this.#changing = this.#changing.then(() => this.#changeMarket(wanted, { api, worker, candleDir }));
    };
    const apiPlan = planApi(facts);
    const candleDir = apiPlan.environment['CANDLE_DIR'] ?? '';
    const api = this.#addChild({ ...apiPlan, onMessage });
    const worker = this.#addChild(planWorker(facts));
    if (this.#paper !== undefined) api.greet({ paper: this.#paper.state });
    const children = [api, worker];
    this.#restartUsers = (databaseUrl) => {
      const moved = { ...facts, databaseUrl };
      const plans = [planApi(moved), planWorker(moved)];
      for (const [index, child] of children.entries()) child.restartWith(plans[index]?.environment ?? {});
    };
    await abortable(Promise.all(children.map((child) => child.ready())), this.#signal);
    this.#plan.terminal.step('api', 'serves');
    this.#plan.terminal.step('worker', 'works');
  }

  #facts(paper: PaperFacts | undefined): Omit<ServiceFacts, 'webDir' | 'databaseUrl'> {
    const { root, options, inherited, env, claim } = this.#plan;
    return {
      root,
      dataDir: options.dataDir,
      inherited,
      env,
      port: claim.port,
      paper,
      gitSha: env.GIT_SHA ?? readGitSha(root),
    };
  }

  #addChild(plan: ChildPlan): SupervisedChild {
    this.#signal.throwIfAborted();
    const child = new SupervisedChild(plan, this.#plan.terminal);
    this.#keep(child);
    return child;
  }

  #keep(thing: AsyncDisposable & { kill(): void }): void {
    this.#running.use(thing);
    this.#killable.push(thing);
  }
}
