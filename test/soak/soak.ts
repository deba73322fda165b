import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { listAccounts } from '#api/contract/accounts.ts';
import { listProfiles } from '#api/contract/profiles.ts';
import { signUp } from '#api/contract/session.ts';
import { parseAccounts } from '#paper/exchange/accounts.ts';
import { startPaper } from '#paper/server.ts';
import { openTestDatabase } from '#test/harness/test-database.ts';
import { createClient } from '#test/flow/client.ts';
import { LIVELY, startProfile } from '#test/flow/profile.ts';
import { KEY } from '#test/flow/stack.ts';
import { until } from '#test/flow/until.ts';
import { freePort, provideDatabase } from '#test/harness/servers.ts';
import { ROOT } from '#test/harness/source-files.ts';

/**
 * A day of market in a quarter of an hour: worker and api as separate programs that trade and answer requests all the
 * time. Their memory must not grow after the warm-up: npm run soak
 */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 14.4);
const SPEED = 100;
const SYMBOLS = ['BTCUSDT', 'ETHUSDT', 'BNBUSDT', 'SOLUSDT', 'XRPUSDT', 'ADAUSDT', 'DOGEUSDT', 'LTCUSDT'];
/** Caches fill and code is compiled in the first part. */
const WARM_UP = 0.35;
/** Of the heap, from the end of the warm-up to the end; handles come and go with requests. */
const [MOST_GROWTH, MOST_HANDLES] = [0.1, 5];

const sample = z.object({ heapMb: z.number(), rssMb: z.number(), handles: z.number() });
type Sample = z.infer<typeof sample>;

interface Program {
  readonly name: string;
  readonly samples: Sample[];
}

function startProgram(stack: AsyncDisposableStack, name: string, variables: Readonly<Record<string, string>>): Program {
  const child: ChildProcess = fork(join(ROOT, name, 'main.ts'), {
    execArgv: ['--import', join(ROOT, 'test', 'soak', 'probe.ts')],
    env: { ...process.env, ...variables },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const samples: Sample[] = [];
  child.on('message', (message) => {
    const parsed = sample.safeParse(message);
    if (parsed.success) samples.push(parsed.data);
  });
  stack.defer(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'exit');
  });
  return { name, samples };
}

/** Growth over the samples by the line of least squares, and where it begins. */
function growthOf(values: readonly number[]): { readonly from: number; readonly by: number } {
  const middle = (values.length - 1) / 2;
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  const slope =
    values.reduce((sum, value, index) => sum + (index - middle) * (value - mean), 0) /
    values.reduce((sum, _value, index) => sum + (index - middle) ** 2, 0);
  return { from: mean - slope * middle, by: slope * (values.length - 1) };
}

function report({ name, samples }: Program): boolean {
  const warm = samples.slice(Math.ceil(samples.length * WARM_UP));
  const heap = growthOf(warm.map(({ heapMb }) => heapMb));
  const handles = growthOf(warm.map(({ handles: count }) => count));
  const steady = heap.by <= MOST_GROWTH * heap.from && handles.by <= MOST_HANDLES;
  console.table([
    {
      ...{ name, samples: warm.length, 'heap MB': heap.from.toFixed(1), 'heap grows by MB': heap.by.toFixed(2) },
      ...{ 'a market day': `${((heap.by / warm.length) * samples.length).toFixed(2)} MB` },
      ...{ handles: handles.from.toFixed(1), 'handles grow by': handles.by.toFixed(1) },
      ...{ 'RSS MB at last': warm.at(-1)?.rssMb.toFixed(0), verdict: steady ? 'steady' : 'GROWS' },
    },
  ]);
  return steady;
}

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
const test = stack.use(await openTestDatabase());
const accounts = parseAccounts([{ name: 'a', ...KEY, balances: { USDT: '100000' } }], 'The accounts');
const paper = stack.use(
  await startPaper({
    source: { kind: 'synthetic' },
    clock: { kind: 'real' },
    ...{ speed: SPEED, accounts, port: 0, controlPort: 0, seed: 7 },
  }),
);
const port = String(await freePort());
const variables = {
  ...{ DATABASE_URL: test.url, PAPER_URL: paper.url, PORT: port, WORKER_SLOT: 'soak', LOG_LEVEL: 'warn' },
  ...{ PAPER_API_KEY: KEY.apiKey, PAPER_API_SECRET: KEY.secret },
};
const programs = ['api', 'worker'].map((name) => startProgram(stack, name, variables));
const client = createClient(`http://127.0.0.1:${port}/api`);
await until('the api', () =>
  client.fetch('/session').then(
    () => true,
    () => false,
  ),
);
await client.call(signUp, { body: { email: 'a@example.org', password: 'a long enough password' } });
const [account] = (await client.call(listAccounts, {})).accounts;
if (account === undefined) throw new Error('Signing up made no account.');
const profileId = await startProfile({ ...client, accountId: account.id }, SYMBOLS, { config: LIVELY });
const endMs = performance.now() + MINUTES * 60_000;
while (performance.now() < endMs) {
  await client.call(listProfiles, {});
  for (const path of [`/profiles/${profileId}`, `/profiles/${profileId}/tick-trace?limit=50`, '/status'])
    await (await client.fetch(path)).text();
  await delay(500);
}
const { fills } = await test.database.kysely
  .selectFrom('fills')
  .select((row) => row.fn.countAll<string>().as('fills'))
  .executeTakeFirstOrThrow();
console.log(`${MINUTES} minutes, ${((MINUTES * SPEED) / 60).toFixed(1)} hours of market, ${fills} fills`);
if (!programs.map(report).every(Boolean)) process.exitCode = 1;
