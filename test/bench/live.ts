import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { setKillSwitch } from '#api/contract/halts.ts';
import { abortSweep, launchSweep, readSweep } from '#api/contract/research.ts';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { until } from '#test/flow/until.ts';
import { provideDatabase } from '#test/harness/servers.ts';
import { type LiveStage, LOW, openLiveStage, REST, usageOf } from './live-stage.ts';
import { report } from './report.ts';

/**
 * From a price on the wire to the order on the wire, with everything else that the worker does: a real database with audits,
 * logs and cache, and all coins trading. Next to it, in turns in the same run, a bare program that commits one row and sends.
 */
const COINS = (process.env['BENCH_COINS'] ?? '1,100,500').split(',').map(Number);
const ROUNDS = Number(process.env['BENCH_ROUNDS'] ?? 200);
/** Only some of what is measured, such as `cost,closes`. */
const PARTS = new Set((process.env['BENCH_PARTS'] ?? 'orders,beside,cost,closes,switch').split(','));
const TRADES_A_SECOND = 2.5;
const [ARM, FALL] = ['30350.00000000', '30148.00000000'];
const [CLOSES, BURSTS, BURST] = [9, 15, 200];
const MEASURE_MS = 10_000;
/** The compilation of the first half minute would count as time of a price. */
const WARM_MS = 40_000;
const DECIDED_BY_MS = 1_000;
const ASK_EVERY_MS = 10_000;
const [BESIDE_COINS, MEMORY] = [100, '/dev/shm'];
/** Few orders are in the slowest percent: it takes many, in turns, to compare two of them. */
const BESIDE_TURNS = 4;
const audit = z.object({ id: z.string(), trigger: z.string(), symbol: z.string() });

const at = (list: readonly number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.floor(share * (list.length - 1))] ?? Number.NaN;
const round = (value: number, digits = 2): number => Number(value.toFixed(digits));

/** All coins but the one that is measured trade at rest, as evenly spread as timers allow. */
function tradeAll(stage: LiveStage): AsyncDisposable & { readonly spared: Set<string>; trades: number } {
  const { symbols } = stage;
  const state = { spared: new Set<string>(), trades: 0 };
  const beganMs = performance.now();
  let made = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - beganMs) / 1000) * TRADES_A_SECOND * symbols.length);
    for (; made < due; made++) {
      const symbol = symbols[made % symbols.length] ?? '';
      if (state.spared.has(symbol)) continue;
      state.trades += 1;
      stage.trade(symbol, REST);
    }
  }, 4);
  return Object.assign(state, { [Symbol.asyncDispose]: async () => clearInterval(timer) });
}

interface Made {
  readonly symbol: string;
  readonly price: string;
}

/** Makes one price and waits for the order that answers it; ms between the two on the wire. */
async function answered(stage: LiveStage, lane: 'ours' | 'bare', { symbol, price }: Made): Promise<number> {
  const seen = Promise.withResolvers<number>();
  let sentMs = Number.NaN;
  stage.watch[lane] = (piece, way) => {
    const text = piece.toString('latin1');
    if (way === 'back' && Number.isNaN(sentMs) && text.includes(`"s":"${symbol}"`) && text.includes(`"p":"${price}"`))
      sentMs = performance.now();
    if (way === 'out' && text.startsWith('POST /api/v3/order?') && text.includes(`symbol=${symbol}&`))
      seen.resolve(performance.now());
  };
  stage.trade(symbol, price);
  const lost = delay(5_000).then(() => Number.NaN);
  const seenMs = await Promise.race([seen.promise, lost]);
  stage.watch[lane] = () => undefined;
  return seenMs - sentMs;
}

interface Latencies {
  readonly ours: readonly number[];
  readonly bare: readonly number[];
  readonly lost: number;
}

async function measureOrders(stage: LiveStage): Promise<Latencies> {
  await using market = tradeAll(stage);
  const times: Record<'ours' | 'bare', number[]> = { ours: [], bare: [] };
  const held = new Set<string>();
  let lost = 0;
  const warmUp = Math.ceil(ROUNDS / 5);
  for (let turn = 0; turn < warmUp + ROUNDS; turn++) {
    // Bought in one turn of its coin, sold in the next.
    const symbol = stage.symbols[Math.floor(turn / 2) % stage.symbols.length] ?? '';
    const bareSymbol = stage.bareSymbols[turn % stage.bareSymbols.length] ?? '';
    market.spared.add(symbol);
    const bareMs = await answered(stage, 'bare', { symbol: bareSymbol, price: LOW });
    const sells = held.delete(symbol);
    if (!sells) held.add(symbol);
    if (sells) {
      stage.trade(symbol, ARM);
      await delay(150);
    }
    const oursMs = await answered(stage, 'ours', { symbol, price: sells ? FALL : LOW });
    await delay(60);
    market.spared.delete(symbol);
    if (turn < warmUp) continue;
    lost += Number(Number.isNaN(oursMs)) + Number(Number.isNaN(bareMs));
    if (!Number.isNaN(oursMs)) times.ours.push(oursMs);
    if (!Number.isNaN(bareMs)) times.bare.push(bareMs);
  }
  return { ...times, lost };
}

function rowOf(what: string, { ours, bare, lost }: Latencies): Record<string, unknown> {
  const [p50, p99, floor50, floor99] = [at(ours, 0.5), at(ours, 0.99), at(bare, 0.5), at(bare, 0.99)];
  return {
    what,
    ...{ 'p50 ms': round(p50), 'bare p50': round(floor50), 'ratio p50': round(p50 / floor50) },
    ...{ 'p99 ms': round(p99), 'bare p99': round(floor99), 'ratio p99': round(p99 / floor99) },
    ...{ orders: ours.length, lost },
  };
}

/** Prints and reports what the orders of so many coins took: the median of each quarter of them, and the slowest percent of all. */
function reportOrders(coins: number, latencies: Latencies): void {
  console.table([rowOf(`price to order, ${coins} coins`, latencies)]);
  const floor = 'a program that only commits a row and sends';
  const what = `price on the wire to order on the wire, ${coins} ${coins === 1 ? 'coin' : 'coins that trade'}`;
  const medians = (list: readonly number[]): number[] =>
    [0, 1, 2, 3].map((nth) => at(list.slice((nth * list.length) / 4, ((nth + 1) * list.length) / 4), 0.5));
  report({
    ...{ id: `live.${coins}-p50`, what: `${what}, p50`, unit: 'ms', values: medians(latencies.ours) },
    floor: { name: floor, values: medians(latencies.bare) },
  });
  report({
    ...{ id: `live.${coins}-p99`, what: `${what}, p99`, unit: 'ms', values: [at(latencies.ours, 0.99)] },
    floor: { name: floor, values: [at(latencies.bare, 0.99)] },
  });
}

/** All candles close in the same instant; ms from the first of them on the wire to the last decision, and how many decided. */
async function measureCloses(stage: LiveStage, [id, what]: readonly [string, string], gapMs: number): Promise<void> {
  const took: number[] = [];
  const wire: number[] = [];
  for (let nth = 0; nth < CLOSES; nth++) {
    let [first, last] = [Number.POSITIVE_INFINITY, 0];
    stage.watch.ours = (piece, way) => {
      if (way === 'out' || !piece.toString('latin1').includes('"x":true')) return;
      last = Date.now();
      first = Math.min(first, last);
    };
    await stage.closeCandles(gapMs);
    // Looking is work too, on the same cores.
    await delay(DECIDED_BY_MS);
    const decidedMs = new Map<string, number>();
    await until('all candles to be decided', async () => {
      for (const id of stage.profiles)
        for (const text of await stage.cache.newest(cacheKeys.tickTrace(id), 2_000)) {
          const { id: auditId, trigger, symbol } = audit.parse(JSON.parse(text));
          const ms = Number.parseInt(auditId.replaceAll('-', '').slice(0, 12), 16);
          if (trigger === 'candle' && ms >= first) decidedMs.set(symbol, ms);
        }
      return decidedMs.size === stage.symbols.length;
    });
    took.push(Math.max(...decidedMs.values()) - first);
    wire.push(last - first);
  }
  stage.watch.ours = () => undefined;
  console.table([
    {
      what: `${what}, ${CLOSES} times: all decided, none dropped`,
      ...{ 'median ms': at(took, 0.5), 'worst ms': Math.max(...took) },
      'on the wire for, median ms': at(wire, 0.5),
    },
  ]);
  report({ id, what: `${what}, all decided, median`, unit: 'ms', values: [at(took, 0.5)] });
  report({ id: `${id}-worst`, what: `${what}, at worst`, unit: 'ms', values: [Math.max(...took)] });
}

const usages = ({ workerPid, barePid }: LiveStage) => [usageOf(workerPid), usageOf(barePid)] as const;

async function measureCost(stage: LiveStage): Promise<void> {
  await using market = tradeAll(stage);
  await delay(WARM_MS);
  const counts = async (): Promise<number[]> => {
    const { rows } = await stage.database.pool.query<Record<string, string>>(
      `select tup_inserted + tup_updated + tup_deleted as rows, xact_commit as commits from pg_stat_database
         where datname = current_database()`,
    );
    return [Number(rows[0]?.['rows']), Number(rows[0]?.['commits'])];
  };
  const [before, usage, bare, trades] = [await counts(), ...usages(stage), market.trades];
  await delay(MEASURE_MS);
  const [after, now, bareNow] = [await counts(), ...usages(stage)];
  const messages = market.trades - trades;
  const perSecond = (index: number): number =>
    Math.round((((after[index] ?? 0) - (before[index] ?? 0)) / MEASURE_MS) * 1000);
  const [ownUs, bareUs] = [now.cpuMs - usage.cpuMs, bareNow.cpuMs - bare.cpuMs].map((ms) => (ms * 1000) / messages);
  console.table([
    {
      what: `the worker with ${stage.symbols.length} coins`,
      'prices a second': Math.round((messages / MEASURE_MS) * 1000),
      'CPU us a price, all in': round(ownUs ?? Number.NaN, 1),
      'of the bare program, which reads them': round(bareUs ?? Number.NaN, 1),
      'RSS MB': round(now.rssMb, 0),
      'rows written a second': perSecond(0),
      'commits a second': perSecond(1),
    },
  ]);
  report({
    ...{ id: 'live.cpu', what: 'processor time of a price (two messages), 500 coins, everything on, once compiled' },
    ...{ unit: 'us', values: [ownUs ?? Number.NaN], floor: { name: 'reading it', values: [bareUs ?? Number.NaN] } },
  });
}

/** Many coins want to buy in the same instant, and the operator stops everything meanwhile. */
async function measureKillSwitch(stage: LiveStage): Promise<void> {
  const calls: number[] = [];
  const effects: number[] = [];
  let sentBefore = 0;
  for (let nth = 0; nth < BURSTS; nth++) {
    const refusal = { code: -2010, msg: `Drill ${nth}.` };
    const match = { method: 'POST', path: '/api/v3/order', text: 'side=BUY' };
    await stage.control('/faults', [{ match, kind: 'fail-before', status: 400, body: refusal, times: BURST }]);
    let lastMs = 0;
    stage.watch.ours = (piece, way) => {
      if (way === 'back' || !piece.toString('latin1').startsWith('POST /api/v3/order?')) return;
      lastMs = performance.now();
      if (!engaged) sentBefore += 1;
    };
    let engaged = false;
    const first = (nth * BURST) % stage.symbols.length;
    for (let index = first; index < first + BURST; index++)
      stage.trade(stage.symbols[index % stage.symbols.length] ?? '', LOW);
    await delay(nth * 3);
    const calledMs = performance.now();
    await stage.api.call(setKillSwitch, { body: { engaged: true } });
    const doneMs = performance.now();
    engaged = true;
    calls.push(doneMs - calledMs);
    await delay(1_000);
    effects.push(Math.max(0, lastMs - doneMs));
    for (const symbol of stage.symbols) stage.trade(symbol, REST);
    await delay(1_000);
    await stage.api.call(setKillSwitch, { body: { engaged: false } });
    await delay(500);
  }
  stage.watch.ours = () => undefined;
  console.table([
    {
      what: `kill switch amid ${BURST} buys at once, ${BURSTS} times (${sentBefore} orders had left before)`,
      ...{ 'call p50 ms': round(at(calls, 0.5), 1), 'call worst ms': round(Math.max(...calls), 1) },
      'last buy on the wire after the call, worst ms': round(Math.max(...effects), 1),
    },
  ]);
  const amid = `kill switch amid ${BURST} buys at once`;
  report({ id: 'live.halt-call', what: `${amid}: its call`, unit: 'ms', values: calls });
  const effect = `${amid}: from the end of the call to the last buy on the wire`;
  report({ id: 'live.halt-effect', what: effect, unit: 'ms', values: effects });
}

const KNOBS = 'sell.triggerPercentage=1.005..1.03:0.0002; sell.trailingStopPercentage=0.99..0.998:0.0004';

/** Sweeps over a year of minutes one after the other, computed by the worker that trades. */
async function sweepLoop({ api, profiles, symbols }: LiveStage): Promise<AsyncDisposable> {
  const [id = '', symbol = ''] = [profiles[0], symbols[0]];
  const body = { from: '2020-01-10T00:00:00Z', to: '2020-12-20T00:00:00Z', knobs: KNOBS, symbol };
  let stopped = false;
  const launch = async (): Promise<string> => (await api.call(launchSweep, { params: { id }, body })).sweepId;
  let sweepId = await launch();
  const now = () => api.call(readSweep, { params: { id, sweepId } });
  const running = (async () => {
    while (!stopped) {
      // A request is work for the process of the paper exchange, too.
      await delay(ASK_EVERY_MS);
      const { state } = await now();
      if (state === 'failed') throw new Error('The sweep failed.');
      if (state !== 'running' && state !== 'queued' && !stopped) sweepId = await launch();
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      stopped = true;
      await running;
      const { state, unitsDone } = await now();
      console.log(`  units of the last sweep that were done meanwhile: ${unitsDone}`);
      if (state === 'running' || state === 'queued') await api.call(abortSweep, { params: { id, sweepId } });
    },
  };
}

/**
 * The delay of one order in a hundred by the disk differs more from minute to minute than the effect to measure: the database lies in
 * memory where the system has such a folder.
 */
async function measureBeside(coins: number): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const usual = { ...process.env };
  stack.defer(() => void Object.assign(process.env, { TMPDIR: '', ...usual }));
  if (existsSync(MEMORY)) process.env['TMPDIR'] = MEMORY;
  delete process.env['TEST_DATABASE_URL'];
  process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
  const stage = stack.use(await openLiveStage(coins));
  const quiet: Latencies[] = [];
  const busy: Latencies[] = [];
  await measureOrders(stage);
  for (let nth = 0; nth < BESIDE_TURNS; nth++) {
    quiet.push(await measureOrders(stage));
    await using _loop = await sweepLoop(stage);
    busy.push(await measureOrders(stage));
  }
  const all = (list: readonly Latencies[]): Latencies => ({
    ours: list.flatMap(({ ours }) => ours),
    bare: list.flatMap(({ bare }) => bare),
    lost: list.reduce((sum, { lost }) => sum + lost, 0),
  });
  console.table([rowOf('nothing beside', all(quiet)), rowOf('sweeps beside it', all(busy))]);
  const rise = (lane: 'ours' | 'bare', share: number): number =>
    (at(all(busy)[lane], share) / at(all(quiet)[lane], share) - 1) * 100;
  const [ours, bare] = [rise('ours', 0.99), rise('bare', 0.99)].map((percent) => `${round(percent, 0)} %`);
  console.log(`  p99 beside sweeps: ${ours} (about +31 % is accepted), of the bare program ${bare}`);
  const what = `what a running sweep adds to ${coins} coins, the database in memory`;
  report({ id: 'live.beside-p50', what: `${what}, p50`, unit: '%', values: [rise('ours', 0.5)] });
  report({ id: 'live.beside-p99', what: `${what}, p99`, unit: '%', values: [rise('ours', 0.99)] });
  report({
    id: 'live.beside-bare',
    what: 'the same of the bare program, p99',
    unit: '%',
    values: [rise('bare', 0.99)],
  });
}

await using stack = new AsyncDisposableStack();
process.env['TEST_DATABASE_URL'] = await provideDatabase(stack, new AbortController().signal);
if (PARTS.has('beside')) await measureBeside(BESIDE_COINS);
for (const coins of COINS) {
  await using stage = await openLiveStage(coins);
  if (PARTS.has('orders')) reportOrders(coins, await measureOrders(stage));
  if (coins < 500) continue;
  if (PARTS.has('cost')) await measureCost(stage);
  if (PARTS.has('closes')) {
    const closes = `${coins} candles that close at once`;
    await measureCloses(stage, ['live.closes', closes], 500);
    await measureCloses(stage, ['live.closes-prices', `${closes}, after all prices of their minute`], 0);
  }
  if (PARTS.has('switch')) await measureKillSwitch(stage);
}
