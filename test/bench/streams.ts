import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { WebSocket, WebSocketServer } from 'ws';
import { z } from 'zod';
import { type Program, startPaperProgram, startProgram, temporaryFolder } from './program.ts';
import { report } from './report.ts';

/**
 * How long a trade of one of 500 coins takes from its instant to a client's socket, next to a bare server that only sends
 * as many frames of that kind. Each coin trades 2.5 times a second; its best prices and candle are followed too.
 */
const COINS = 500;
const TRADES_A_SECOND = COINS * 2.5;
const [WARM_UP_MS, MEASURE_MS] = [5000, 15_000];
const START_MS = Date.UTC(2026, 0, 1);
const ROWS = 120;

const symbols = Array.from({ length: COINS }, (_, at) => `C${String(at).padStart(3, '0')}USDT`);
const times = z.object({ serverTime: z.number(), marketTime: z.number() });
const frame = z.object({ data: z.object({ e: z.literal('trade'), E: z.number() }) });

if (process.argv[2] === 'bare') serveBare();
else await main();

async function main(): Promise<void> {
  const rows = [
    { what: `paper exchange, ${COINS} coins`, ...(await measure(await startPaper())) },
    { what: 'bare server, the same frames', ...(await measure(await startProgram(import.meta.filename, ['bare']))) },
  ];
  console.table(
    rows.map(({ what, sorted, frames }) => ({
      what,
      'frames a second': Math.round((frames / MEASURE_MS) * 1000),
      'p50 ms': at(sorted, 0.5),
      'p99 ms': at(sorted, 0.99),
    })),
  );
  const [ours = 0, bare = 0] = rows.map(({ sorted }) => at(sorted, 0.99));
  console.log(`  p99 is ${(ours - bare).toFixed(1)} ms above that of the bare server in the same run`);
  report({
    ...{ id: 'streams.p99', what: 'paper exchange, a trade of one of 500 coins to a client, p99', unit: 'ms' },
    ...{ values: [ours], floor: { name: 'a bare server that sends the same frames', values: [bare] } },
  });
}

function at(sorted: readonly number[], share: number): number {
  return Number((sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(1));
}

/** The paper exchange with candles of all coins to replay. */
function startPaper(): Promise<Program> {
  const folder = temporaryFolder();
  const lines = Array.from({ length: ROWS }, (_, row) => `${START_MS + row * 60_000},100,101,99,100.5,5000`);
  for (const symbol of symbols)
    writeFileSync(join(folder, `${symbol}-1m.csv`), `openTime,open,high,low,close,volume\n${lines.join('\n')}\n`);
  return startPaperProgram({ name: 'bench', apiKey: 'bench-key', secret: 'bench-secret' }, [
    '--source',
    `replay:${folder}`,
  ]);
}

/** Follows all coins over two connections and says how late trades were, sorted; ends the program. */
async function measure(program: Program): Promise<{ sorted: number[]; frames: number }> {
  await using server = program;
  const aheadMs = server.rest === '' ? 0 : await marketAhead(server.rest);
  const late: number[] = [];
  let frames = 0;
  const untilMs = Date.now() + WARM_UP_MS + MEASURE_MS;
  for (const some of [symbols.slice(0, COINS / 2), symbols.slice(COINS / 2)]) {
    const socket = new WebSocket(`${server.ws}/stream`);
    const params = some.flatMap((one) =>
      ['trade', 'bookTicker', 'kline_1m'].map((kind) => `${one.toLowerCase()}@${kind}`),
    );
    socket.on('open', () => socket.send(JSON.stringify({ method: 'SUBSCRIBE', params, id: 1 })));
    socket.on('message', (data: Buffer) => {
      const nowMs = Date.now();
      if (nowMs < untilMs - MEASURE_MS || nowMs > untilMs) return;
      frames += 1;
      const trade = frame.safeParse(JSON.parse(data.toString('utf8')));
      if (trade.success) late.push(nowMs + aheadMs - trade.data.data.E);
    });
  }
  await new Promise((resolve) => setTimeout(resolve, WARM_UP_MS + MEASURE_MS));
  return { sorted: late.toSorted((a, b) => a - b), frames };
}

/** How far the market's clock is ahead of the wall clock; the mean of many whole milliseconds. */
async function marketAhead(rest: string): Promise<number> {
  let sum = 0;
  for (let nth = 0; nth < 200; nth++) {
    const { serverTime, marketTime } = times.parse(await (await fetch(`${rest}/api/v3/time`)).json());
    sum += marketTime - serverTime;
  }
  return sum / 200;
}

/** The floor: sends as many trades and best prices as the exchange would, and does nothing else. */
function serveBare(): void {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' }, () => {
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    console.log(JSON.stringify({ rest: '', ws: `ws://127.0.0.1:${port}` }));
  });
  const beganMs = Date.now();
  let sent = 0;
  const send = (): void => {
    for (; beganMs + (sent / TRADES_A_SECOND) * 1000 <= Date.now(); sent++) {
      const [s, E] = [symbols[sent % COINS] ?? '', Math.floor(beganMs + (sent / TRADES_A_SECOND) * 1000)];
      const socket = [...server.clients][sent % 2];
      const trade = { e: 'trade', E, s, t: sent, p: '100.00000000', q: '1.00000000', T: E, m: true, M: true };
      socket?.send(JSON.stringify({ stream: `${s.toLowerCase()}@trade`, data: trade }));
      const best = { u: sent, s, b: '100.00000000', B: '1.00000000', a: '100.01000000', A: '1.00000000' };
      socket?.send(JSON.stringify({ stream: `${s.toLowerCase()}@bookTicker`, data: best }));
    }
    setTimeout(send, 1);
  };
  send();
}
