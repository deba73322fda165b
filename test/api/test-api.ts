import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readDayTickers } from '#exchange/day-tickers.ts';
import { createMarketReader } from '#exchange/read.ts';
import { createLog } from '#integrations/log.ts';
import type { CacheStore } from '#core/ports/cache.ts';
import type { MarketPort } from '#core/ports/exchange.ts';
import { openCache } from '#storage/cache/open-cache.ts';
import { openQueue } from '#storage/jobs/queue.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import type { Database } from '#storage/postgres/database.ts';
import { readOperator } from '#storage/operator/users.ts';
import { openReserved } from '#api/boot.ts';
import type { ApiSettings, ServerContext } from '#api/frame/context.ts';
import type { Answer, Call, Operation } from '#api/contract/operation.ts';
import { createAccount } from '#api/contract/accounts.ts';
import { createProfile } from '#api/contract/profiles.ts';
import { type Problem, problemSchema } from '#api/contract/problem.ts';
import { signUp } from '#api/contract/session.ts';
import { readAnswer } from '#api/client.ts';
import { serveApi } from '#api/serve.ts';
import { NO_PAPER, type Paper } from '#api/frame/paper.ts';
import { Venues } from '#api/frame/venues.ts';

export const ORIGIN = 'http://app.test:8080';
export const SECURE_ORIGIN = 'https://trade.example.org';
export const EMAIL = 'operator@example.org';
export const PASSWORD = 'correct horse battery';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

interface CallOptions {
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookie?: string | null;
}

interface TestApiOptions
  extends Partial<
    Pick<ApiSettings, 'liveDemo' | 'webDir' | 'outgoingPrivate' | 'backupDir' | 'candleDir' | 'paperKey'>
  > {
  /** True for a browser that opens the pages at the address of the api itself. */
  readonly ownOrigin?: boolean;
  /** REST interface of the exchange. */
  readonly exchange?: RequestListener;
  /** The market of every venue, instead of `exchange`. */
  readonly openMarket?: () => MarketPort;
  readonly paper?: Paper;
  /** Receives every line of the log. */
  readonly logTo?: { write(line: string): void };
  /** Prepares the database before the api boots. */
  readonly before?: (database: Database) => Promise<void>;
}

const pathOf = (operation: Operation, params: Readonly<Record<string, string>>): string =>
  operation.path.replaceAll(/:(\w+)/g, (_place, name: string) => encodeURIComponent(params[name] ?? ''));

/** The real api on a free port, with its own database and a clock that tests set. */
export class TestApi implements AsyncDisposable {
  readonly url: string;
  readonly databaseUrl: string;
  readonly context: ServerContext;
  readonly cache: CacheStore;
  readonly database: Database;
  readonly #clock: { ms: number };
  readonly #stack: AsyncDisposableStack;
  /** Cookie of the session that calls use. */
  cookie: string | null = null;

  constructor(parts: {
    url: string;
    databaseUrl: string;
    context: ServerContext;
    clock: { ms: number };
    stack: AsyncDisposableStack;
  }) {
    this.url = parts.url;
    this.databaseUrl = parts.databaseUrl;
    this.context = parts.context;
    this.cache = parts.context.cache;
    this.database = parts.context.database;
    this.#clock = parts.clock;
    this.#stack = parts.stack;
  }

  advance(ms: number): void {
    this.#clock.ms += ms;
  }

  now(): Date {
    return new Date(this.#clock.ms);
  }

  async request(method: string, path: string, options: CallOptions & { body?: BodyInit } = {}): Promise<Reply> {
    const cookie = options.cookie === undefined ? this.cookie : options.cookie;
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { origin: ORIGIN, ...(cookie === null ? {} : { cookie }), ...options.headers },
      ...(options.body === undefined ? {} : { body: options.body, duplex: 'half' }),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** One operation of the contract; the body travels as JSON. */
  send<Op extends Operation>(operation: Op, call: Call<Op>, options: CallOptions = {}): Promise<Reply> {
    const { params = {}, query = {}, body } = loose(call);
    const search = new URLSearchParams(query).toString();
    const path = `/api${pathOf(operation, params)}${search === '' ? '' : `?${search}`}`;
    if (body === undefined) return this.request(operation.method, path, options);
    const headers = { 'content-type': 'application/json', ...options.headers };
    return this.request(operation.method, path, { ...options, headers, body: JSON.stringify(body) });
  }

  /** The answer of an operation, checked against its contract. */
  async call<Op extends Operation>(operation: Op, call: Call<Op>, options: CallOptions = {}): Promise<Answer<Op>> {
    const reply = await this.send(operation, call, options);
    if (reply.status !== operation.status) throw new Error(`${operation.path} answered ${reply.status}: ${reply.text}`);
    return readAnswer(operation, reply.text);
  }

  /** The problem an operation answers with. */
  async refusal<Op extends Operation>(operation: Op, call: Call<Op>, options: CallOptions = {}): Promise<Problem> {
    return problemOf(await this.send(operation, call, options));
  }

  /** Creates the operator and keeps the session. */
  async signUp(): Promise<void> {
    const reply = await this.send(signUp, { body: { email: EMAIL, password: PASSWORD } });
    if (reply.status !== 201) throw new Error(`sign-up answered ${reply.status}: ${reply.text}`);
    this.cookie = cookieOf(reply);
  }

  async addProfile(name: string, more: { config?: Record<string, unknown>; symbols?: string[] } = {}) {
    const account = await this.call(createAccount, { body: { name: `${name} account`, exchangeMode: 'testnet' } });
    const body = { accountId: account.id, name, strategyName: 'trailing-trade', ...more };
    return { account, ...(await this.call(createProfile, { body })) };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stack.disposeAsync();
  }
}

interface LooseCall {
  readonly params?: Record<string, string>;
  readonly query?: Record<string, string>;
  readonly body?: unknown;
}

/** The parts of a call without their generic type. */
const loose = (call: unknown): LooseCall => call as LooseCall;

export const problemOf = (reply: Reply): Problem => {
  const type = reply.headers.get('content-type');
  if (type !== 'application/problem+json') throw new Error(`no problem but ${reply.status} ${type}: ${reply.text}`);
  const problem = problemSchema.parse(JSON.parse(reply.text));
  if (problem.status !== reply.status) throw new Error(`the body says ${problem.status}, the status ${reply.status}`);
  return problem;
};

/** `name=value` of the cookie a reply sets, or null. */
export const cookieOf = (reply: Reply): string | null => reply.headers.getSetCookie()[0]?.split(';')[0] ?? null;

async function openExchange(listener: RequestListener, stack: AsyncDisposableStack): Promise<string> {
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  stack.defer(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${portOf(server.address())}`;
}

const portOf = (address: AddressInfo | string | null): number =>
  typeof address === 'object' && address !== null ? address.port : 0;

export async function openTestApi(options: TestApiOptions = {}): Promise<TestApi> {
  await using stack = new AsyncDisposableStack();
  const { url, database } = stack.use(await openTestDatabase());
  await options.before?.(database);
  const clock = { ms: Date.now() };
  const { logTo } = options;
  const log = createLog({ name: 'api', level: logTo === undefined ? 'silent' : 'trace' }, logTo);
  const cache = stack.use(await openCache({ databaseUrl: url }));
  const queue = stack.use(await openQueue(url, { log, works: false }));
  const restUrl = await openExchange(
    options.exchange ?? ((_request, response) => response.writeHead(500).end()),
    stack,
  );
  const liveDemo = options.liveDemo ?? false;
  const origins = [ORIGIN, SECURE_ORIGIN];
  const context: ServerContext = {
    settings: {
      origins,
      liveDemo,
      sha: 'test-sha',
      bootedAt: new Date(clock.ms),
      backupDir: options.backupDir,
      candleDir: options.candleDir ?? join(tmpdir(), 'no-candles'),
      webDir: options.webDir,
      // Test receivers are on this machine.
      outgoingPrivate: options.outgoingPrivate ?? 'allow',
      paperKey: options.paperKey ?? null,
    },
    database,
    reserved: stack.use(openReserved(url, liveDemo)),
    cache,
    queue,
    paper: options.paper ?? NO_PAPER,
    venues: new Venues({
      cache,
      openMarket: options.openMarket ?? (() => createMarketReader({ restUrl })),
      dayTickers: () => readDayTickers(restUrl),
      nowMs: () => clock.ms,
    }),
    log,
    now: () => new Date(clock.ms),
    demoUserId: liveDemo ? ((await readOperator(database.kysely))?.id ?? null) : null,
  };
  const server = stack.use(await serveApi(context, { host: '127.0.0.1', port: 0 }));
  const address = `http://127.0.0.1:${server.port}`;
  if (options.ownOrigin === true) origins.push(address);
  return new TestApi({ url: address, databaseUrl: url, context, clock, stack: stack.move() });
}
