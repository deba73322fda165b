import { createHmac } from 'node:crypto';
import { Pool } from 'undici';
import { startPaperProgram } from './program.ts';
import { report } from './report.ts';

/** How many signed orders a second the paper exchange takes over loopback, from clients that keep their connections. */
const LANES = 16;
const WARM_UP = 500;
const ORDERS = 8000;
const account = { name: 'bench', apiKey: 'bench-key', secret: 'bench-secret' };

await using paper = await startPaperProgram({ ...account, balances: { USDT: '1000000000', BTC: '10000' } });
const pool = new Pool(paper.rest, { connections: LANES });
await place(pool, WARM_UP);
const latencies = await place(pool, ORDERS);
await pool.close();
print(latencies);

/** Places market orders in every lane at once, buys and sells in turn; milliseconds of each, and of all together. */
async function place(pool: Pool, count: number): Promise<{ readonly eachMs: number[]; readonly allMs: number }> {
  const eachMs: number[] = [];
  let placed = 0;
  const lane = async (): Promise<void> => {
    while (placed < count) {
      placed += 1;
      const side = placed % 2 === 0 ? 'BUY' : 'SELL';
      const startedMs = performance.now();
      const text = `symbol=BTCUSDT&side=${side}&type=MARKET&quantity=0.001&timestamp=${Date.now()}`;
      const signature = createHmac('sha256', account.secret).update(text).digest('hex');
      const { statusCode, body } = await pool.request({
        method: 'POST',
        path: `/api/v3/order?${text}&signature=${signature}`,
        headers: { 'X-MBX-APIKEY': account.apiKey },
      });
      const answer = await body.text();
      if (statusCode !== 200) throw new Error(`An order was refused with ${statusCode}: ${answer}`);
      eachMs.push(performance.now() - startedMs);
    }
  };
  const startedMs = performance.now();
  await Promise.all(Array.from({ length: LANES }, lane));
  return { eachMs, allMs: performance.now() - startedMs };
}

function print({ eachMs, allMs }: { readonly eachMs: readonly number[]; readonly allMs: number }): void {
  const sorted = eachMs.toSorted((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(2);
  console.table([
    {
      what: `signed market orders over loopback, ${LANES} connections`,
      'a second': Math.round((eachMs.length / allMs) * 1000),
      'p50 ms': at(0.5),
      'p99 ms': at(0.99),
    },
  ]);
  report({
    ...{ id: 'paper.orders', what: 'paper exchange, signed market orders over loopback, 16 connections' },
    ...{ unit: 'a second', values: [(eachMs.length / allMs) * 1000] },
  });
}
