import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { after, before } from 'node:test';
import { z } from 'zod';
import { MARKET_START, writeSwingingCandles } from '#test/flow/candles.ts';
import { until } from '#test/flow/until.ts';
import { findProgram } from '#test/harness/programs.ts';
import { ROOT, type Start, Trial } from './trial.ts';

/** The README's path on an account that has nothing but Node, npm and git: every step is a command or a request. */
const NAME = `tradewind-${process.pid}`;
export const FIRST_START_MS = 300_000;
export const TRADE_MS = 120_000;
export const OPERATOR = { email: 'stranger@example.org', password: 'a long enough password' };
const CONFIG = {
  candleInterval: '1m',
  buy: { entrySizing: { amount: '150' }, candleLimit: 30, gridLevels: [{ triggerPercentage: '1.001' }] },
  sell: { stopLossPercentage: '0.97', triggerPercentage: '1.008', trailingStopPercentage: '0.997' },
};

const npm = findProgram(['npm']);
export const git = (...args: readonly string[]): string =>
  execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();

async function reasonToSkip(): Promise<string | false> {
  if (process.getuid?.() !== 0 || findProgram(['useradd']) === undefined || findProgram(['runuser']) === undefined)
    return 'only root of a Linux machine can make an account';
  if (!existsSync(join(ROOT, '.git'))) return 'this is no checkout that can be cloned';
  if (npm === undefined) return 'npm is not on this machine';
  const registry = execFileSync('npm', ['config', 'get', 'registry'], { encoding: 'utf8' }).trim();
  const reached = await fetch(registry, { signal: AbortSignal.timeout(10_000) }).catch(() => undefined);
  return reached === undefined ? `the registry ${registry} is out of reach` : false;
}

export const skip = await reasonToSkip();
if (skip !== false) console.log(`﹣ the stranger's path: ${skip}, so it is not walked here`);

export let trial: Trial;
let home = '';
let candles = '';

/** Variables with which the npm that runs the tests points to the files of its own user. The registry stays set. */
const isOfOurNpm = (name: string): boolean =>
  /^(npm_|INIT_CWD$|HOME$|NODE_(COMPILE_CACHE|OPTIONS|TEST_CONTEXT)$)/i.test(name) &&
  !/^npm_config_(registry|cafile|proxy|https_proxy)$/i.test(name);

/** A command as the stranger types it, in a shell of that account. */
function type(command: string): Start {
  const tools = `PATH=${dirname(npm ?? '')}:/usr/bin:/bin`;
  const clean = Object.keys(process.env)
    .filter(isOfOurNpm)
    .map((name) => `--unset=${name}`);
  const words = ['-u', NAME, '--', 'env', ...clean, `HOME=${home}`, tools, 'bash', '-c', `cd "$HOME" && ${command}`];
  return trial.run('runuser', words);
}

export async function typed(command: string): Promise<string> {
  const { code, output } = await type(command).ended();
  assert.equal(code, 0, `${command}: ${output}`);
  return output;
}

/** `npm start` on the recorded market of the README's second example. */
export function startService(data: string): Start {
  const from = new Date(MARKET_START + 6 * 3_600_000).toISOString();
  const flags = `--port 0 --no-open --data-dir "$HOME/${data}" --replay ${candles} --from ${from} --speed 600`;
  return type(`cd tradewind && npm start -- ${flags}`);
}

export async function stopService(start: Start): Promise<void> {
  start.signalGroup('SIGINT');
  await start.ended();
  await trial.nothingLives();
}

/** One visitor of the service with the cookie of a session. */
export class Visitor {
  readonly #api: string;
  #cookie = '';

  constructor(url: string) {
    this.#api = `${url}/api`;
  }

  async send(method: string, path: string, body?: unknown): Promise<Response> {
    const binary = body instanceof Uint8Array;
    const headers = {
      ...{ cookie: this.#cookie, 'x-tradewind-client': '1' },
      'content-type': binary ? 'application/octet-stream' : 'application/json',
    };
    const sent = body === undefined ? {} : { body: binary ? new Uint8Array(body) : JSON.stringify(body) };
    const answer = await fetch(`${this.#api}${path}`, { method, headers, ...sent });
    this.#cookie = answer.headers.getSetCookie()[0]?.split(';')[0] ?? this.#cookie;
    assert.ok(answer.ok, `${method} ${path} answered ${answer.status}: ${answer.ok ? '' : await answer.text()}`);
    return answer;
  }

  async ask(method: string, path: string, body?: unknown): Promise<unknown> {
    return (await this.send(method, path, body)).json();
  }
}

const ids = z.array(z.object({ id: z.string() }));

/** The operator signs up, starts a profile on the paper account, and waits for its first buy. Returns the profile. */
export async function onboard(visitor: Visitor): Promise<string> {
  await visitor.send('POST', '/auth/sign-up', OPERATOR);
  const { accounts } = z.object({ accounts: ids }).parse(await visitor.ask('GET', '/accounts'));
  const body = { accountId: accounts[0]?.id, name: 'Dip ladder', strategyName: 'trailing-trade', enabled: true };
  const made = await visitor.ask('POST', '/profiles', { ...body, symbols: ['BTCUSDT'], config: CONFIG });
  const { id } = z.object({ profile: z.object({ id: z.string() }) }).parse(made).profile;
  await until('the first trade', async () => (await fills(visitor, id)) > 0, TRADE_MS);
  return id;
}

export async function fills(visitor: Visitor, profileId: string): Promise<number> {
  const answer = await visitor.send('GET', `/profiles/${profileId}/fills/export`);
  return (await answer.text()).trim().split('\n').length - 1;
}

/** The commits of api and worker, and when the newest migration was applied. */
export async function statusOf(visitor: Visitor): Promise<{ shas: unknown[]; migratedMs: number }> {
  const part = z.object({ sha: z.string() });
  const shape = z.object({
    api: part,
    worker: part.nullable(),
    db: z.object({ latestMigrationAppliedAt: z.string() }),
  });
  const { api, worker, db } = shape.parse(await visitor.ask('GET', '/status'));
  return { shas: [api.sha, worker?.sha], migratedMs: Date.parse(db.latestMigrationAppliedAt) };
}

/** A fresh account for the tests of this file, with a repository to clone from; gone with its processes afterwards. */
export function useStranger(): void {
  if (skip !== false) return;
  before(() => {
    trial = new Trial();
    chmodSync(trial.folder, 0o755);
    home = join(trial.folder, 'home');
    execFileSync('useradd', ['--create-home', '--home-dir', home, '--shell', '/bin/bash', NAME]);
    const { uid, gid } = statSync(home);
    candles = join(trial.folder, 'candles');
    mkdirSync(candles);
    writeSwingingCandles(candles, 60 * 24 * 30);
    // Like a hosting site for a new user: a repository that another account may read.
    const hosted = join(trial.folder, 'hosted.git');
    git('clone', '--quiet', '--bare', '--no-hardlinks', ROOT, hosted);
    for (const name of ['.', ...readdirSync(hosted, { recursive: true, encoding: 'utf8' })])
      chownSync(join(hosted, name), uid, gid);
  });
  after(async () => {
    await trial[Symbol.asyncDispose]();
    execFileSync('userdel', [NAME]);
  });
}

/** The first lines of the README: clone it, at the commit that is tested. */
export async function cloneIt(commit: string): Promise<void> {
  await typed(`git clone --quiet ${join(trial.folder, 'hosted.git')} tradewind`);
  await typed(`cd tradewind && git checkout --quiet ${commit}`);
}
