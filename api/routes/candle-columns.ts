import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { venueOf } from '#core/account/account.ts';
import { cacheKeys, candlesFetched, type CandleSpan } from '#core/installation/cache-keys.ts';
import { newId } from '#core/ids.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { EMPTY_COLUMNS } from '#core/market/candle-columns.ts';
import { encodePlanes, packColumns } from '#core/market/candle-planes.ts';
import { CandleStore } from '#storage/candles/store.ts';
import type { ApiContext } from '#api/frame/context.ts';
import { CANDLE_COLUMNS_TYPE, type ColumnsHead, MAX_COLUMN_ROWS, readCandleColumns } from '#api/contract/market.ts';
import { isVisitor } from '#api/guard/session.ts';
import { networkOf } from '#api/guard/client-ip.ts';
import { requireAllowance } from '#api/guard/throttle.ts';
import type { Routes } from '#api/handle.ts';
import { Memo } from '#api/frame/memo.ts';
import { invalidField } from '#api/frame/problem.ts';
import { requireAccount, requireProfile } from '#api/require.ts';
import { readCached } from '#api/frame/venues.ts';

const MAX_A_MINUTE = 30;
/** Requests per minute of all visitors of a live demo: each may make the worker fetch and store candles. */
const MAX_OF_VISITORS = 60;
const KEPT_MS = 60_000;
const KEPT = 4;
const compress = promisify(gzip);

interface Columns {
  readonly head: ColumnsHead;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Closed candles only, on the grid of their interval. */
function spanOf(
  query: { from: string; to?: string | undefined },
  span: Omit<CandleSpan, 'fromMs' | 'toMs'>,
  now: Date,
): CandleSpan {
  const stepMs = INTERVAL_MS[span.interval];
  const endMs = Math.min(Date.parse(query.to ?? now.toISOString()), now.getTime());
  const fromMs = Math.ceil(Date.parse(query.from) / stepMs) * stepMs;
  const toMs = Math.floor(endMs / stepMs) * stepMs;
  if (toMs <= fromMs) throw invalidField('from', 'leaves no closed candle before the end');
  if ((toMs - fromMs) / stepMs > MAX_COLUMN_ROWS)
    throw invalidField('from', `covers more than ${MAX_COLUMN_ROWS} candles: use a shorter time or a longer interval`);
  return { ...span, fromMs, toMs };
}

/** Enqueues a job in which the worker fetches missing candles, unless it has just tried. */
async function headOf({ cache, queue }: ApiContext, span: CandleSpan, missing: number): Promise<ColumnsHead> {
  if (missing === 0) return { state: 'complete', missing, problem: null };
  const tried = readCached(candlesFetched, await cache.get(cacheKeys.candlesFetched(span)));
  if (tried !== undefined) return { state: 'partial', missing, problem: tried.problem };
  await queue.enqueue('fetch-candles', span, { singletonKey: cacheKeys.candlesFetched(span) });
  return { state: 'fetching', missing, problem: null };
}

async function load(context: ApiContext, span: CandleSpan): Promise<Columns> {
  const { venue, symbol, interval, fromMs, toMs } = span;
  const store = new CandleStore(join(context.settings.candleDir, venue));
  const columns = store.load(symbol, interval, { fromMs, toMs }) ?? EMPTY_COLUMNS;
  const missing = (toMs - fromMs) / INTERVAL_MS[interval] - columns.openMs.length;
  const head = await headOf(context, span, missing);
  // Byte planes hardly shrink more at a higher compression level.
  const packed = await compress(packColumns(head, encodePlanes(interval, columns)), { level: 2 });
  return { head, bytes: new Uint8Array(packed) };
}

export function mountCandleColumns({ context, handle }: Routes): void {
  const { cache, database, now } = context;
  const kept = new Memo<Columns>({
    nowMs: () => now().getTime(),
    most: KEPT,
    keep: ({ head }) => head.state === 'complete',
  });
  handle(readCandleColumns, async ({ operator, caller, query }) => {
    const { profileId, symbol, interval } = query;
    if ((profileId === undefined) === (query.accountId === undefined))
      throw invalidField('accountId', 'is needed without profileId, and only then');
    const accountId =
      query.accountId ?? (await requireProfile(database.kysely, operator, profileId ?? newId())).accountId;
    const account = await requireAccount(database.kysely, operator, accountId);
    const span = spanOf(query, { venue: venueOf(account), symbol, interval }, now());
    const key = cacheKeys.columnsAsked(operator.session?.id ?? operator.token?.id ?? networkOf(caller.ip));
    const what = 'Candles in columns';
    await requireAllowance(cache, key, { most: MAX_A_MINUTE, what });
    if (isVisitor(operator))
      await requireAllowance(cache, cacheKeys.columnsAsked('visitors'), { most: MAX_OF_VISITORS, what });
    const { head, bytes } = await kept.get(JSON.stringify(span), KEPT_MS, () => load(context, span));
    const lasting = head.state === 'complete' && query.to !== undefined && Date.parse(query.to) <= now().getTime();
    return new Response(bytes, {
      headers: {
        'content-type': CANDLE_COLUMNS_TYPE,
        'content-encoding': 'gzip',
        'cache-control': lasting ? 'private, max-age=3600' : 'no-store',
        vary: 'cookie',
      },
    });
  });
}
