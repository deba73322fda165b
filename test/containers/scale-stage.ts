import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Database, openDatabase } from '#storage/postgres/database.ts';
import { until } from '#test/flow/until.ts';
import { ROOT } from '#test/harness/source-files.ts';
import { must } from './command.ts';
import { ENGINE_ENV } from './engine.ts';
import { addAccount, type Operator, signUpAt, type Traded } from './operator.ts';
import { checkOut, type ComposeStack, openStack, PAPER_KEY } from './stack.ts';

const PASSWORD = 'password-of-the-database';
const PAPER_COMMAND = 'command: [paper, --host, 0.0.0.0, --data-dir, /data/paper]';
const OWN_ACCOUNTS =
  "command: [paper, --host, 0.0.0.0, --data-dir, /data/paper, --accounts, /accounts.json]\n    volumes: ['data:/data', './accounts.json:/accounts.json:ro']";
/** Sends a request to the control port of the paper exchange, which only its container reaches. */
const CONTROL = `
const [request, body] = process.argv.slice(1);
const [method, path] = request.split(' ');
const token = require('node:fs').readFileSync('/data/paper/control-token', 'utf8').trim();
const headers = { authorization: 'Bearer ' + token, 'content-type': 'application/json' };
fetch('http://127.0.0.1:18081' + path, { method, headers, body: body || undefined }).then(async (answer) => {
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  process.stdout.write(text);
});`;

type PaperAccount = typeof PAPER_KEY & { readonly name: string };
/** An operator of one account, with its key on the paper exchange. */
export type Trader = Operator & { readonly key: PaperAccount };

export interface Replicas {
  readonly api: number;
  readonly worker: number;
  /** 0: the workers do research as well. */
  readonly research: number;
}

/** deploy/compose.yaml with several accounts on its paper exchange. */
export interface ScaledStack extends ComposeStack {
  readonly accounts: readonly PaperAccount[];
  readonly database: Database;
  /** Ids of the containers of a service. */
  containers(service: string): Promise<string[]>;
  /** Brings it to this many containers of each service. */
  scaleTo(replicas: Replicas): Promise<void>;
  /** A request to the control port of the paper exchange, such as `GET /log`. */
  control(request: string, body?: unknown): Promise<unknown>;
}

const variables = ({ api, worker, research }: Replicas): Record<string, string> => ({
  API_REPLICAS: String(api),
  WORKER_REPLICAS: String(worker),
  ...(research > 0 && { RESEARCH_REPLICAS: String(research) }),
});

/** A checkout of HEAD under Compose, started with so many containers and accounts on its paper exchange. */
export async function openScaled(replicas: Replicas, accountCount: number): Promise<ScaledStack> {
  await using resources = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-scale-'));
  resources.defer(() => rmSync(folder, { recursive: true, force: true }));
  const checkout = join(folder, 'tradewind');
  await checkOut('HEAD', checkout);
  const accounts = Array.from({ length: accountCount }, (_, i): PaperAccount => {
    const name = `account ${i + 1}`;
    return {
      name,
      ...(i === 0 ? PAPER_KEY : { apiKey: `api-key-of-account-${i + 1}`, secret: `secret-of-account-${i + 1}` }),
    };
  });
  giveAccounts(checkout, accounts);
  const settings = { POSTGRES_PASSWORD: PASSWORD, WEB_ORIGIN: 'http://127.0.0.1' };
  const stack = resources.use(await openStack(checkout, { ...settings, ...variables(replicas) }));
  await stack.compose(['up', '-d', '--build'], { GIT_SHA: await must(['git', 'rev-parse', 'HEAD'], { cwd: ROOT }) });
  const address = await stack.addressOf('postgres');
  const url = `postgres://tradewind:${PASSWORD}@${address}:5432/tradewind`;
  const database = resources.use(openDatabase(url, { max: 2, applicationName: 'tradewind-test' }));
  const all = resources.move();
  return {
    ...stack,
    accounts,
    database,
    async containers(service) {
      return (await stack.compose(['ps', '--quiet', service])).split('\n').filter(Boolean);
    },
    async scaleTo(wanted) {
      // Compose starts nginx after every api is healthy.
      await stack.compose(['up', '-d', '--no-build'], variables(wanted));
    },
    async control(request, body) {
      const sent = body === undefined ? '' : JSON.stringify(body);
      const answer = await stack.compose(['exec', '-T', 'paper', 'node', '-e', CONTROL, request, sent]);
      const parsed: unknown = JSON.parse(answer);
      return parsed;
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  };
}

/** Lets the paper exchange of this checkout have these accounts instead of the one of the file. */
function giveAccounts(checkout: string, accounts: readonly PaperAccount[]): void {
  const path = join(checkout, 'deploy', 'compose.yaml');
  const text = readFileSync(path, 'utf8');
  if (!text.includes(PAPER_COMMAND)) throw new Error('deploy/compose.yaml starts the paper exchange in another way');
  writeFileSync(path, text.replace(PAPER_COMMAND, OWN_ACCOUNTS));
  const file = join(checkout, 'deploy', 'accounts.json');
  writeFileSync(file, JSON.stringify(accounts.map((one) => ({ ...one, balances: { USDT: '10000' } }))));
  chmodSync(file, 0o644);
}

/** Signs up and adds the other accounts, each with such a profile; waits until a worker has each. */
export async function settle(scaled: ScaledStack, traded: Traded): Promise<Trader[]> {
  const [own, ...others] = scaled.accounts;
  if (own === undefined) throw new Error('the paper exchange has no account');
  const first = await signUpAt(scaled.url, traded);
  const traders: Trader[] = [{ ...first, key: own }];
  for (const key of others) traders.push({ ...(await addAccount(first, key, traded)), key });
  await until('every account to have a worker', async () => {
    const held = await holders(scaled.database);
    return held.size === traders.length;
  });
  return traders;
}

/** The worker of each account that has one now. */
async function holders({ pool }: Database): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ account_id: string; holder: string }>(
    'select account_id, holder from account_leases where expires_at > clock_timestamp()',
  );
  return new Map(rows.map(({ account_id, holder }) => [account_id, holder]));
}

/** How many accounts each worker has, most first. */
export async function spreadOf(database: Database): Promise<number[]> {
  const counts = Map.groupBy((await holders(database)).values(), (holder) => holder);
  return [...counts.values()].map(({ length }) => length).toSorted((a, b) => b - a);
}

/** Ends containers at once, as a crash of the machine under them would. */
export const killContainer = (id: string): Promise<string> => must(['docker', 'kill', id], { env: ENGINE_ENV });
