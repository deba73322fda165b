import { join } from 'node:path';
import { cacheKeys } from '#core/cache-keys.ts';
import { INTERVAL_MS } from '#core/candle.ts';
import { divide, requireDecimal } from '#core/decimal.ts';
import { gateNeeds } from '#core/gates.ts';
import type { RunRequest } from '#core/research.ts';
import type { SymbolRules } from '#core/symbol.ts';
import { readRules } from '#core/symbol-codec.ts';
import type { BacktestInput } from '#backtest/run.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { AnyStrategy } from '#strategies/strategy.ts';
import { backfillCandles } from '../backfill.ts';
import type { WorkerContext } from '../context.ts';

/** What cannot be run: a sentence for the operator, and no reason to try again. */
export class ResearchRefused extends Error {}

const BPS = requireDecimal('10000');

export interface Question {
  readonly strategyName: string;
  readonly request: Pick<RunRequest, 'from' | 'to' | 'detailInterval' | 'balance' | 'feeBps' | 'slippageBps' | 'venue'>;
  readonly symbol: string;
  readonly config: unknown;
}

export interface Prepared {
  readonly strategy: AnyStrategy;
  readonly input: BacktestInput;
}

/** Loads everything a run needs; fetches the candles that are missing first. Throws ResearchRefused. */
export async function prepareResearch(
  context: WorkerContext,
  question: Question,
  signal: AbortSignal,
): Promise<Prepared> {
  const { strategyName, request, symbol, config } = question;
  const strategy = STRATEGIES.get(strategyName);
  if (strategy === undefined) throw new ResearchRefused(`There is no strategy "${strategyName}" any more.`);
  const bound = strategy.bind(config);
  const rules = await readSymbolRules(context, question);
  const interval = request.detailInterval;
  const fromMs = Date.parse(request.from);
  const toMs = request.to === undefined ? Date.now() : Date.parse(request.to);
  const needs = [bound.needs, ...(bound.shared.gates === undefined ? [] : gateNeeds(bound.shared.gates))];
  const warmUpMs = Math.max(...needs.map((need) => (need.want + 1) * INTERVAL_MS[need.interval]));
  const store = new CandleStore(join(context.env.CANDLE_DIR, request.venue));
  const window = { fromMs: fromMs - warmUpMs, toMs };
  const { market } = context.venues.of(request.venue);
  await backfillCandles(market, store, { symbol, interval, ...window, signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    // What is stored may do; the result says how much of the window it covers.
    context.log.warn({ event: 'backfill_failed', symbol, interval, err: error }, 'Candles could not be fetched');
  });
  const columns = await store.loadInTurns(symbol, interval, window);
  if (columns === undefined) {
    throw new ResearchRefused(
      `There are no ${interval} candles of ${symbol} for that time, stored or on the exchange.`,
    );
  }
  const terms = {
    balance: requireDecimal(request.balance),
    feeRate: divide(requireDecimal(request.feeBps), BPS),
    slippage: divide(requireDecimal(request.slippageBps), BPS),
  };
  return { strategy, input: { bound, rules, terms, candles: { interval, columns }, fromMs, toMs } };
}

async function readSymbolRules(context: WorkerContext, { request, symbol }: Question): Promise<SymbolRules> {
  const { venue } = request;
  const cached = await context.cache.get(cacheKeys.rules(venue));
  const list =
    (cached === undefined ? undefined : readRules(cached)) ?? (await context.venues.of(venue).market.rules());
  const rules = list.find((one) => one.symbol === symbol);
  if (rules === undefined) throw new ResearchRefused(`The exchange does not list ${symbol}.`);
  return rules;
}
