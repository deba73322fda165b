import { once } from 'node:events';
import { createServer } from 'node:http';
import { Agent, request } from 'undici';
import { openTestApi, ORIGIN } from '#test/api/test-api.ts';
import { addManyLogs } from '#test/api/test-records.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { report } from './report.ts';

/**
 * Answers of the api in a second, next to a bare node:http server that answers bytes of the same length to the same
 * client in the same process; and how flat the memory stays while half a million rows are exported.
 */
const ROWS = 1_000_000;
const EXPORTED = 500_000;
const CLIENTS = 16;
const SECONDS = 4;
const START = '2026-01-01T00:00:00Z';

interface Speed {
  readonly perSecond: number;
  readonly p99Ms: number;
  readonly bytes: number;
}

async function load(url: string, headers: Record<string, string>, seconds = SECONDS): Promise<Speed> {
  await using stack = new AsyncDisposableStack();
  const dispatcher = new Agent({ connections: CLIENTS, pipelining: 1 });
  stack.defer(() => dispatcher.close());
  const times: number[] = [];
  let bytes = 0;
  const until = performance.now() + seconds * 1000;
  const client = async (): Promise<void> => {
    while (performance.now() < until) {
      const startMs = performance.now();
      const reply = await request(url, { dispatcher, headers });
      const body = await reply.body.bytes();
      if (reply.statusCode !== 200) throw new Error(`${url} answered ${reply.statusCode}`);
      bytes = body.length;
      times.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
  const sorted = times.toSorted((a, b) => a - b);
  return { perSecond: times.length / seconds, p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? 0, bytes };
}

async function bare(bytes: number): Promise<Speed> {
  const body = Buffer.alloc(bytes, 'x');
  const server = createServer((_request, response) => response.end(body)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  try {
    return await load(`http://127.0.0.1:${port}/`, {});
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

const shown = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 1 });

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] ??= await provideDatabase(stack, new AbortController().signal);
const api = stack.use(await openTestApi());
await api.signUp();
const { id } = (await api.addProfile('Loaded')).profile;
await addManyLogs(api.database, id, { rows: ROWS, start: START });

const headers = { cookie: api.cookie ?? '', origin: ORIGIN };
const rows: Record<string, string>[] = [];
for (const [quantity, name, path] of [
  ['api.status', 'GET /status', '/api/status'],
  [
    'api.logs',
    `a page of 100 of ${shown(ROWS)} log rows`,
    `/api/profiles/${id}/logs?level=warn,error&symbol=ETHUSDT&limit=100`,
  ],
] as const) {
  await load(`${api.url}${path}`, headers, 1);
  const ours = await load(`${api.url}${path}`, headers);
  const theirs = await bare(ours.bytes);
  rows.push({
    request: name,
    'answers/s': shown(ours.perSecond),
    'p99 ms': shown(ours.p99Ms),
    'bare node:http /s': shown(theirs.perSecond),
    share: (ours.perSecond / theirs.perSecond).toFixed(2),
  });
  report({
    ...{ id: quantity, what: name, unit: 'a second', values: [ours.perSecond] },
    floor: { name: 'a bare HTTP server', values: [theirs.perSecond] },
  });
  report({ id: `${quantity}-p99`, what: `${name}, p99`, unit: 'ms', values: [ours.p99Ms] });
}
console.table(rows);

const to = new Date(Date.parse(START) + EXPORTED * 1000).toISOString();
const heap = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().rss / 1e6;
};
const before = heap();
const [startMs, cpu] = [performance.now(), process.cpuUsage()];
const reply = await request(`${api.url}/api/profiles/${id}/logs/export?to=${to}`, { headers });
let [lines, bytes, most] = [0, 0, before];
let looked = 0;
for await (const piece of reply.body) {
  const chunk: unknown = piece;
  if (!(chunk instanceof Uint8Array)) continue;
  bytes += chunk.length;
  for (const byte of chunk) if (byte === 10) lines += 1;
  if (++looked % 200 === 0) most = Math.max(most, heap());
}
const { user, system } = process.cpuUsage(cpu);
if (lines !== EXPORTED) throw new Error(`${lines} rows were exported, not ${EXPORTED}.`);
const seconds = (performance.now() - startMs) / 1000;
console.log(
  `Export of ${shown(lines)} rows: ${shown(bytes / 1e6)} MB in ${shown(seconds)} s, ` +
    `${shown((user + system) / 1e6)} s CPU; resident memory ${shown(before)} MB before, at most ${shown(most)} MB on the way.`,
);
report({ id: 'api.export', what: `export of ${shown(EXPORTED)} log rows`, unit: 's', values: [seconds] });
report({ id: 'api.export-memory', what: 'more memory during that export', unit: 'MB', values: [most - before] });
