import { z } from 'zod';
import { type Account, venueOf } from '#core/account/account.ts';
import {
  type Decimal,
  floorToStep,
  formatDecimal,
  multiply,
  readDecimal,
  requireDecimal,
} from '#core/amount/decimal.ts';
import { FeeSums, isSameFee } from '#core/position/fee-check.ts';
import { type ExchangeFill, isThirdAssetFee } from '#core/order/fill.ts';
import type { ProfileId } from '#core/ids.ts';
import type { MarketPort, TradingPort } from '#core/ports/exchange.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { ExchangeError } from '#exchange/errors.ts';
import { endpointsOf } from '#exchange/endpoints.ts';
import { createTrading } from '#exchange/place.ts';
import {
  archiveFills,
  correctFee,
  lastArchived,
  moveRun,
  readRun,
  type RecordedFee,
  recordedFees,
  undecidedSince,
} from '#storage/history/account-history.ts';
import type { Database } from '#storage/postgres/database.ts';
import { tradedSymbols } from '#storage/history/trades.ts';
import { loadAccountsToRun } from '#storage/trading/worker-profiles.ts';
import type { WorkerContext } from '#worker/context.ts';

const NEVER: string | null = null;
/** Executions of a full page; a shorter page is the last one. */
const PAGE = 1000;
/** Differences that a report lists; all of them are counted. */
const SHOWN = 200;
const MINUTE_MS = 60_000;
const SMALLEST = requireDecimal('0.00000001');

/** Dependencies of a run; none of them writes to the exchange. */
export interface HistoryDeps {
  readonly database: Database;
  readonly account: Account;
  readonly profileId: ProfileId;
  readonly runId: string;
  readonly trading: Pick<TradingPort, 'tradesFrom'>;
  readonly market: Pick<MarketPort, 'rules' | 'candles'>;
  readonly signal: AbortSignal;
}

/** Executions of a coin, starting at a trade id, page by page. */
async function* pagesOf({ trading, signal }: HistoryDeps, symbol: string, fromId: bigint) {
  for (let next = fromId; ; ) {
    signal.throwIfAborted();
    const page = await trading.tradesFrom(symbol, String(next));
    if (page.length > 0) yield page;
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    next = BigInt(last.tradeId) + 1n;
  }
}

const keyOf = ({ tradeId, exchangeOrderId }: Pick<ExchangeFill, 'tradeId' | 'exchangeOrderId'>): string =>
  `${tradeId}:${exchangeOrderId}`;

/** Values a fee in quote at the close of its minute; null without such a candle. */
function createFeeValuer({ market }: HistoryDeps) {
  const closes = new Map<string, Promise<Decimal | null>>();
  const closeOf = async (symbol: string, minuteMs: number): Promise<Decimal | null> => {
    const [candle] = await market
      .candles({ symbol, interval: '1m', limit: 1, fromMs: minuteMs, beforeMs: minuteMs + MINUTE_MS })
      .catch((error: unknown) => {
        // An unlisted pair has no price; other errors give no answer.
        if (error instanceof ExchangeError && error.reason === 'bad-symbol') return [];
        throw error;
      });
    return candle?.openMs === minuteMs && candle.closed ? (readDecimal(candle.close.toFixed(8)) ?? null) : null;
  };
  return async (fill: ExchangeFill, quoteAsset: string): Promise<Decimal | null> => {
    const minuteMs = Math.floor(fill.at.getTime() / MINUTE_MS) * MINUTE_MS;
    const key = `${fill.feeAsset}${quoteAsset}:${minuteMs}`;
    const close = closes.get(key) ?? closeOf(`${fill.feeAsset}${quoteAsset}`, minuteMs);
    closes.set(key, close);
    const price = await close;
    return price === null ? null : floorToStep(multiply(fill.feeAmount, price), SMALLEST);
  };
}

/** Compares recorded fees with the fees of the exchange, and stores every correction next to the record. */
export async function checkFees(deps: HistoryDeps) {
  const { database, account, profileId, runId } = deps;
  const rules = new Map((await deps.market.rules()).map((coin) => [coin.symbol, coin]));
  const valueOf = createFeeValuer(deps);
  const sums = new FeeSums();
  const total = { checked: 0, differing: 0, valued: 0, unvalued: 0 };
  const notListed: { symbol: string; tradeId: string; at: string }[] = [];
  const differences: unknown[] = [];
  const compare = async (fill: ExchangeFill, recorded: RecordedFee, coin: SymbolRules | undefined) => {
    total.checked += 1;
    sums.add('recorded', recorded);
    sums.add('exchange', fill);
    const same = isSameFee(recorded, fill);
    const isThird = coin === undefined || isThirdAssetFee(fill, coin);
    const isOpen = isThird && (recorded.feeQuote === null || !same);
    const value = isOpen && coin !== undefined ? await valueOf(fill, coin.quoteAsset) : null;
    if (isOpen && fill.feeAmount > 0n) total[value === null ? 'unvalued' : 'valued'] += 1;
    if (same && value === null) return;
    const kept = recorded.feeQuote === null || !same ? value : requireDecimal(recorded.feeQuote);
    const correction = { account, profileId, runId, symbol: fill.symbol, recorded, fee: fill, feeQuote: kept };
    const adjusted = await correctFee(database, correction);
    if (same) return;
    total.differing += 1;
    if (differences.length < SHOWN) differences.push(differenceOf(fill, recorded, adjusted));
  };
  for (const symbol of await tradedSymbols(database.kysely, { profileId })) {
    const recorded = await recordedFees(database.kysely, account, { profileId, symbol });
    const open = new Map(recorded.map((row) => [keyOf(row), row]));
    const first = recorded[0];
    if (first === undefined) continue;
    for await (const page of pagesOf(deps, symbol, BigInt(first.tradeId))) {
      for (const fill of page) {
        const row = open.get(keyOf(fill));
        if (row === undefined) continue;
        open.delete(keyOf(fill));
        await compare(fill, row, rules.get(symbol));
      }
      if (open.size === 0) break;
    }
    notListed.push(...[...open.values()].map(({ tradeId, at }) => ({ symbol, tradeId, at: at.toISOString() })));
  }
  return { ...total, notListed, differences, byAsset: sums.view() };
}

const feeView = ({ feeAmount, feeAsset }: Pick<ExchangeFill, 'feeAmount' | 'feeAsset'>) => ({
  amount: formatDecimal(feeAmount),
  asset: feeAsset,
});

const differenceOf = (fill: ExchangeFill, recorded: RecordedFee, adjusted: boolean) => ({
  ...{ symbol: fill.symbol, tradeId: fill.tradeId, at: fill.at.toISOString(), adjusted },
  recorded: feeView(recorded),
  exchange: feeView(fill),
});

/** Archives executions of orders that this service did not place, starting where the last run ended. */
export async function archiveTrades(deps: HistoryDeps, symbols: readonly string[]) {
  const { database, account } = deps;
  const coins = [];
  for (const symbol of symbols) {
    const last = await lastArchived(database.kysely, account, symbol);
    const undecided = await undecidedSince(database.kysely, account.id, symbol);
    const coin = { symbol, listed: 0, known: 0, archived: 0, from: NEVER, to: NEVER };
    for await (const page of pagesOf(deps, symbol, last === null ? 0n : BigInt(last) + 1n)) {
      const certain = page.filter(({ at }) => undecided === null || at < undecided);
      const { known, archived } = await archiveFills(database, account, certain);
      coin.listed += page.length;
      coin.known += known + page.length - certain.length;
      coin.archived += archived;
      coin.from ??= page[0]?.at.toISOString() ?? null;
      coin.to = page.at(-1)?.at.toISOString() ?? null;
    }
    coins.push(coin);
  }
  return { coins };
}
const requestSchema = z.object({ symbols: z.array(z.string()).default([]) });

/** Executes a run that the operator requested; a failure is stored in the run, not in the queue. */
export async function runAccountHistory(context: WorkerContext, runId: string, signal: AbortSignal): Promise<void> {
  const { database, announcer, env, log } = context;
  const run = await readRun(database.kysely, runId);
  if (run === undefined || run.status === 'done' || run.status === 'error') return;
  await moveRun(database.kysely, runId, { status: 'running' });
  try {
    const found = (await loadAccountsToRun(database)).find(({ account }) => account.id === run.accountId);
    if (found === undefined || found.key === null)
      throw new Error('The account has no API key, and the exchange lists trades only for a key: add one.');
    const { account, key } = found;
    const { market, timing } = context.venues.of(venueOf(account));
    await market.clock.sync();
    const { restUrl } = endpointsOf(venueOf(account), env);
    const trading = createTrading({ restUrl, apiKey: key.apiKey, secret: key.secret, clock: market.clock, timing });
    const deps: HistoryDeps = { database, account, profileId: run.profileId, runId, trading, market, signal };
    const report =
      run.kind === 'fees' ? await checkFees(deps) : await archiveTrades(deps, requestSchema.parse(run.request).symbols);
    await moveRun(database.kysely, runId, { status: 'done', report });
  } catch (err) {
    // A worker that stops leaves the run unfinished: the next one resumes it.
    signal.throwIfAborted();
    log.warn({ event: 'account_history_failed', runId, err }, 'Trades of the account could not be compared');
    const error = err instanceof Error ? err.message : 'The exchange did not answer.';
    await moveRun(database.kysely, runId, { status: 'error', error });
  }
  announcer.announce({ topic: 'job', id: run.profileId, data: { runId, kind: run.kind } });
}
