import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { z } from 'zod';
import { usageOf } from '#test/bench/live-stage.ts';
import { until } from '#test/flow/until.ts';
import { clientOf } from '#test/paper/client.ts';
import { provideBaseImages } from './base-images.ts';
import { must } from './command.ts';
import { ENGINE_ENV, startEngine } from './engine.ts';
import { openScaled, type Replicas, type ScaledStack, settle, spreadOf, type Trader } from './scale-stage.ts';
import { sweep } from './scale-sweep.ts';
import { orderTimesAt } from './stack.ts';

/**
 * What more of each container brings and costs: six accounts on the paper exchange under Compose, once with one api, worker
 * and research worker, once with three, three and four. Needs root, and prints the table of docs/operator/scale.md.
 */
const STEPS: readonly Replicas[] = [
  { api: 1, worker: 1, research: 1 },
  { api: 3, worker: 3, research: 4 },
];
const ACCOUNTS = 6;
const MEASURE_MS = 20_000;
const LOAD = { clients: 16, ms: 10_000 } as const;
/** The coins of each step fall below what is bought, one after the other. */
const COINS = [
  ['BTCUSDT', 'ETHUSDT', 'BNBUSDT', 'SOLUSDT', 'XRPUSDT', 'ADAUSDT', 'DOGEUSDT', 'LTCUSDT', 'TRXUSDT', 'DOTUSDT'],
  ['LINKUSDT', 'AVAXUSDT', 'ATOMUSDT', 'UNIUSDT', 'NEARUSDT', 'APTUSDT', 'ARBUSDT', 'SUIUSDT', 'FILUSDT', 'AAVEUSDT'],
] as const;
/** Buys 3 % below the lowest price of half an hour, which only a fall reaches; no other price follows. */
const FALLEN = {
  candleInterval: '1m',
  buy: { candleLimit: 30, entrySizing: { mode: 'fixed', amount: '50' }, gridLevels: [{ triggerPercentage: '0.97' }] },
  sell: { stopLossPercentage: '0.8', triggerPercentage: '2', trailingStopPercentage: '0.95' },
} as const;
/** Of the last price, which may have risen since its lowest. */
const FALL = 0.93;
const SWEEP = { days: 100, knobs: 'buy.candleLimit=10..41;sell.triggerPercentage=1.01..1.04:0.001' } as const;
const FIRST_SWEEP = { ...SWEEP, knobs: 'buy.candleLimit=10,11' } as const;

const listings = z.object({
  symbols: z.array(z.looseObject({ symbol: z.string(), filters: z.array(z.looseObject({ filterType: z.string() })) })),
});
const traded = z.object({ marketTime: z.number() });

const ask = async ({ database }: ScaledStack, text: string): Promise<number> =>
  Number((await database.pool.query<{ n: string }>(text)).rows[0]?.n);

/** The process of each container of a service, as the machine knows it. */
async function pidsOf(scaled: ScaledStack, service: string): Promise<number[]> {
  const ids = await scaled.containers(service);
  const text = await must(['docker', 'inspect', '--format', '{{.State.Pid}}', ...ids], { env: ENGINE_ENV });
  return text.split('\n').map(Number);
}

/** Processor time, memory, commits and connections while the accounts trade and no page is open. */
async function restOf(scaled: ScaledStack): Promise<string> {
  const commits = 'select xact_commit as n from pg_stat_database where datname = current_database()';
  const before = await ask(scaled, commits);
  const services = ['api', 'worker', 'research', 'nginx', 'postgres', 'valkey'];
  const pids = await Promise.all(services.map((service) => pidsOf(scaled, service)));
  const used = pids.map((of) => of.map((pid) => usageOf(pid).cpuMs));
  await delay(MEASURE_MS);
  const cells = services.map((service, i) => {
    const each = (pids[i] ?? []).map((pid, j) => {
      const { cpuMs, rssMb } = usageOf(pid);
      return `${(((cpuMs - (used[i]?.[j] ?? 0)) / MEASURE_MS) * 100).toFixed(1)} % ${rssMb.toFixed(0)} MB`;
    });
    return `${service}: ${each.join(', ')}`;
  });
  const perSecond = ((await ask(scaled, commits)) - before) / (MEASURE_MS / 1000);
  const connections = await ask(
    scaled,
    "select count(*) as n from pg_stat_activity where datname = current_database() and application_name <> 'tradewind-test'",
  );
  const memory = await must(['docker', 'stats', '--no-stream', '--format', '{{.Name}} {{.MemUsage}}'], {
    env: ENGINE_ENV,
  });
  return `${cells.join('\n')}\n${perSecond.toFixed(0)} commits a second, ${connections} connections\n${memory}`;
}

/** Requests a second through nginx. */
async function requestsASecond({ url }: ScaledStack, trader: Trader): Promise<string> {
  const dispatcher = new Agent({ connections: LOAD.clients, pipelining: 1 });
  const times: number[] = [];
  const endMs = performance.now() + LOAD.ms;
  const client = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const startMs = performance.now();
      const answer = await request(`${url}/api/accounts`, { dispatcher, headers: { cookie: trader.cookie() } });
      await answer.body.dump();
      if (answer.statusCode !== 200) throw new Error(`/api/accounts answered ${answer.statusCode}`);
      times.push(performance.now() - startMs);
    }
  };
  await Promise.all(Array.from({ length: LOAD.clients }, client));
  await dispatcher.close();
  const [median, late] = [0.5, 0.99].map((share) => quantile(times, share).toFixed(0));
  return `${((times.length / LOAD.ms) * 1000).toFixed(0)} requests a second, p50 ${median} ms, p99 ${late} ms`;
}

const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * share)] ?? 0;

/** Lets each coin fall once. The time from that trade to the order of each account, on the clock of the exchange. */
async function priceToOrder(
  scaled: ScaledStack,
  traders: readonly Trader[],
  symbols: readonly string[],
): Promise<string> {
  const exchange = await scaled.addressOf('paper');
  const all: number[] = [];
  const last: number[] = [];
  for (const symbol of symbols) {
    const trade = await fallOf(exchange, symbol);
    const { marketTime } = traded.parse(await scaled.control('POST /trade', trade));
    // The exchange limits requests: a list of orders counts twenty of the 6,000 of a minute.
    await delay(2000);
    const bought: number[] = [];
    for (const { key } of traders) {
      // The stop follows the purchase.
      const [purchase] = (await orderTimesAt(exchange, { key, symbol })).filter((time) => time >= marketTime);
      if (purchase === undefined) throw new Error(`${key.name} did not buy ${symbol}`);
      bought.push(purchase);
    }
    const tookMs = bought.map((time) => time - marketTime);
    all.push(...tookMs);
    last.push(Math.max(...tookMs));
  }
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(all, share));
  return `price to order of ${all.length} orders: p50 ${p50} ms, p99 ${p99} ms; the last of ${traders.length} accounts: p50 ${quantile(last, 0.5)} ms`;
}

/** A trade of the smallest quantity below the price. */
async function fallOf(exchange: string, symbol: string): Promise<object> {
  const client = clientOf(`http://${exchange}:18080`);
  const { symbols } = listings.parse((await client('GET /api/v3/exchangeInfo', { symbol })).body);
  const filter = (type: string, name: string): string =>
    String(symbols[0]?.filters.find(({ filterType }) => filterType === type)?.[name]);
  const tick = filter('PRICE_FILTER', 'tickSize');
  const { price } = z.object({ price: z.string() }).parse((await client('GET /api/v3/ticker/price', { symbol })).body);
  const ticks = Math.floor((Number(price) * FALL) / Number(tick));
  return { symbol, price: (ticks * Number(tick)).toFixed(8), quantity: filter('LOT_SIZE', 'stepSize') };
}

await using resources = new AsyncDisposableStack();
resources.use(await startEngine());
await provideBaseImages();
const [first] = STEPS;
if (first === undefined) throw new Error('there is nothing to measure');
const scaled = resources.use(await openScaled(first, ACCOUNTS));
const traders = await settle(scaled, { symbols: COINS.flat(), config: FALLEN });
const [trader] = traders;
if (trader === undefined) throw new Error('there is no account');
await sweep(scaled, trader, FIRST_SWEEP);
for (const [i, step] of STEPS.entries()) {
  if (i > 0) await scaled.scaleTo(step);
  const even = Array.from({ length: step.worker }, () => ACCOUNTS / step.worker).join();
  await until('accounts to spread', async () => (await spreadOf(scaled.database)).join() === even, 180_000);
  await delay(10_000);
  console.log(`\n${step.api} api, ${step.worker} workers with ${even} accounts, ${step.research} research workers`);
  console.log(await restOf(scaled));
  console.log(await requestsASecond(scaled, trader));
  console.log(await priceToOrder(scaled, traders, COINS[i] ?? []));
  for (let turn = 0; turn < 3; turn++) {
    const { seconds, evaluated, units } = await sweep(scaled, trader, SWEEP);
    console.log(
      `${evaluated} sets over ${SWEEP.days} days in ${seconds.toFixed(1)} s, units of each: ${units.join(', ')}`,
    );
  }
}
