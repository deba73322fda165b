import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { readAction } from '#api/contract/actions.ts';
import { cancelOrder, placeOrder } from '#api/contract/manual.ts';
import { isObject } from '#core/merge.ts';
import { until } from '#test/flow/until.ts';
import type { Trader } from './scale-stage.ts';
import { openOrdersAt, priceAt } from './stack.ts';

/** The coin in which the load places and cancels orders that do not fill. */
export const LOADED = 'ETHUSDT';
const READERS = 4;
const ANSWERED_WITHIN_MS = 30_000;
/** The exchange limits requests: a list of open orders counts six of the 6,000 of a minute. */
const LOOK_EVERY_MS = 600;

/** Answers and orders of clients while some work was done. */
interface Load {
  /** Answers to reads, by kind of connection. */
  readonly answers: { readonly kept: number; readonly fresh: number };
  /** Reads without a 200, with the reason. */
  readonly lost: readonly string[];
  /** The longest time between two answers of all readers, and the slowest answer, in ms. */
  readonly longestGapMs: number;
  readonly slowestMs: number;
  /** Writes that were sent again, with the reason. */
  readonly repeated: readonly string[];
  /** Orders that were placed and cancelled, by account. */
  readonly orders: ReadonlyMap<Trader, number>;
  readonly refused: readonly string[];
  /** Lists of open orders that the exchange answered, and those without the stop of the position. */
  readonly lists: number;
  readonly withoutStop: readonly string[];
}

interface LoadInput {
  readonly url: string;
  /** The address of the paper exchange. */
  readonly exchange: string;
  /** Each holds BTCUSDT. */
  readonly traders: readonly Trader[];
}

type Counted = { -readonly [Name in keyof Load]: Load[Name] extends readonly string[] ? string[] : Load[Name] } & {
  readonly orders: Map<Trader, number>;
};

/** Reads, writes and looks at the exchange without pause while `work` runs. */
export async function underLoad(work: () => Promise<unknown>, input: LoadInput): Promise<Load> {
  let over = false;
  const orders = new Map(input.traders.map((trader) => [trader, 0]));
  const answers = { kept: 0, fresh: 0 };
  const seen: Counted = {
    ...{ answers, orders, longestGapMs: 0, slowestMs: 0, lists: 0 },
    ...{ lost: [], repeated: [], refused: [], withoutStop: [] },
  };
  const repeat = async (task: () => Promise<void>, pauseMs: number): Promise<void> => {
    while (!over) {
      await task();
      await delay(pauseMs);
    }
  };
  let answeredMs = performance.now();
  const kept = new Agent({ keepAlive: true });
  const read = (kind: keyof typeof answers, path: string) => async (): Promise<void> => {
    const startMs = performance.now();
    const agent = kind === 'kept' ? kept : false;
    const reason = await ask(`${input.url}${path}`, { agent, cookie: input.traders[0]?.cookie() ?? '' });
    const nowMs = performance.now();
    if (reason !== undefined) return void seen.lost.push(`${path}: ${reason} after ${Math.round(nowMs - startMs)} ms`);
    answers[kind] += 1;
    seen.slowestMs = Math.max(seen.slowestMs, nowMs - startMs);
    seen.longestGapMs = Math.max(seen.longestGapMs, nowMs - answeredMs);
    answeredMs = nowMs;
  };
  const price = String(Math.round((await priceAt(input.exchange, LOADED)) * 0.9));
  const tasks = input.traders.flatMap((trader) => [
    repeat(() => writeOnce(trader, price, seen), 50),
    repeat(() => lookAtStop(trader, input.exchange, seen), LOOK_EVERY_MS),
  ]);
  const paths = ['/api/accounts', `/api/profiles/${input.traders[0]?.profileId ?? ''}`, '/api/status'];
  for (let i = 0; i < READERS; i++)
    for (const kind of ['kept', 'fresh'] as const) tasks.push(repeat(read(kind, paths[i % paths.length] ?? ''), 20));
  const loading = Promise.all(tasks);
  try {
    await Promise.race([work(), loading]);
  } finally {
    over = true;
    await loading;
    kept.destroy();
  }
  return seen;
}

/** Undefined after a complete answer with status 200, else why not. */
function ask(
  url: string,
  { agent, cookie }: { readonly agent: Agent | false; readonly cookie: string },
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>();
  const sent = request(url, { agent, headers: { cookie }, timeout: ANSWERED_WITHIN_MS }, (answer) => {
    answer.on('error', ({ message }) => resolve(message)).on('close', () => resolve('the answer was cut off'));
    answer.on('end', () => resolve(answer.statusCode === 200 ? undefined : `${answer.statusCode}`)).resume();
  });
  sent
    .on('error', ({ message }) => resolve(message))
    .on('timeout', () => resolve('no answer'))
    .end();
  return promise;
}

/** Sends a change until it is answered. Its id makes a repetition harmless. */
const sent = <Value>(send: () => Promise<Value>, seen: Counted): Promise<Value> =>
  until('a change to be answered', () =>
    send().catch((error: unknown) => void seen.repeated.push(error instanceof Error ? error.message : String(error))),
  );

/** Places an order far below the price, and cancels it. */
async function writeOnce(trader: Trader, price: string, seen: Counted): Promise<void> {
  const of = { id: trader.profileId, symbol: LOADED };
  const order = { side: 'buy', type: 'limit', quoteAmount: '20', price } as const;
  const body = { order, requestId: randomUUID() };
  const placed = await outcome(trader, await sent(() => trader.call(placeOrder, { params: of, body }), seen));
  const orderId = isObject(placed.detail) ? placed.detail['orderId'] : undefined;
  if (placed.state !== 'done' || typeof orderId !== 'string') {
    seen.refused.push(`order of ${trader.key.name}: ${placed.state}, ${placed.reason}`);
    return;
  }
  seen.orders.set(trader, (seen.orders.get(trader) ?? 0) + 1);
  const cancelled = await outcome(
    trader,
    await sent(() => trader.call(cancelOrder, { params: { ...of, orderId } }), seen),
  );
  if (cancelled.state !== 'done')
    seen.refused.push(`cancel of ${trader.key.name}: ${cancelled.state}, ${cancelled.reason}`);
}

/** The action, once a worker has finished it. */
const outcome = (trader: Trader, { actionId }: { readonly actionId: string }) =>
  until('a worker to do it', async () => {
    const params = { id: trader.accountId, actionId };
    const action = await trader.call(readAction, { params }).catch(() => undefined);
    return action !== undefined && action.finishedAt !== null ? action : undefined;
  });

async function lookAtStop({ key }: Trader, exchange: string, seen: Counted): Promise<void> {
  const open = await openOrdersAt(exchange, { key });
  if (open === undefined) return;
  seen.lists += 1;
  if (!open.some(({ side, type }) => side === 'SELL' && type === 'STOP_LOSS_LIMIT'))
    seen.withoutStop.push(`${key.name}: ${open.map(({ side, type }) => `${side} ${type}`).join(', ')}`);
}
