import { createHmac, randomUUID } from 'node:crypto';
import pg from 'pg';
import { Agent, request as sendRequest } from 'undici';
import { WebSocket } from 'ws';
import { z } from 'zod';

/**
 * The floor that the worker is measured against: reads the same frames, commits one row and sends one order, with nothing
 * that decides, checks, records or remembers. A program of its own (npm run bench starts it).
 */
const orders = z.object({
  ws: z.string(),
  rest: z.string(),
  database: z.string(),
  followed: z.array(z.string()),
  /** Coins that it buys at this price. */
  own: z.array(z.string()),
  price: z.string(),
  key: z.object({ apiKey: z.string(), secret: z.string() }),
});
const trade = z.object({ data: z.object({ e: z.literal('trade'), s: z.string(), p: z.string() }) });

const { ws, rest, database, followed, own, price, key } = orders.parse(JSON.parse(process.argv[2] ?? ''));
const client = new pg.Client({ connectionString: database });
await client.connect();
await client.query('create table bare_intents (id uuid primary key, body jsonb not null)');
const agent = new Agent({ pipelining: 1, connections: 32 });
const wanted = new Set(own);

async function buy(symbol: string): Promise<void> {
  const id = randomUUID();
  const order = `symbol=${symbol}&side=BUY&quantity=0.001&newClientOrderId=${id}&newOrderRespType=FULL&type=MARKET`;
  const text = 'insert into bare_intents values ($1, $2)';
  await client.query({ name: 'intent', text, values: [id, JSON.stringify({ order })] });
  const params = `${order}&recvWindow=5000&timestamp=${Date.now()}`;
  const signature = createHmac('sha256', key.secret).update(params).digest('hex');
  const reply = await sendRequest(`${rest}/api/v3/order?${params}&signature=${signature}`, {
    method: 'POST',
    headers: { 'x-mbx-apikey': key.apiKey },
    dispatcher: agent,
  });
  const answer = await reply.body.text();
  if (reply.statusCode !== 200) throw new Error(`${symbol}: ${answer}`);
}

const socket = new WebSocket(`${ws}/stream`, { perMessageDeflate: false });
socket.on('open', () => {
  const params = [...followed, ...own].flatMap((symbol) => [
    `${symbol.toLowerCase()}@trade`,
    `${symbol.toLowerCase()}@kline_1m`,
  ]);
  for (let first = 0; first < params.length; first += 500)
    socket.send(JSON.stringify({ method: 'SUBSCRIBE', params: params.slice(first, first + 500), id: first }));
  process.stdout.write('ready\n');
});
socket.on('message', (data) => {
  const frame: unknown = JSON.parse(String(data));
  const seen = trade.safeParse(frame);
  if (seen.success && wanted.has(seen.data.data.s) && seen.data.data.p === price) void buy(seen.data.data.s);
});
