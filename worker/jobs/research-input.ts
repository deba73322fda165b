import { join } from 'node:path';
import { cacheKeys } from '#core/installation/cache-keys.ts';
import { INTERVAL_MS } from '#core/market/candle.ts';
import { requireDecimal } from '#core/amount/decimal.ts';
import { gateNeeds } from '#core/decision/gates.ts';
import { chargesOf } from '#core/research/costs.ts';
import type { Costs, RunRequest } from '#core/research/research.ts';
import type { ProfileId } from '#core/ids.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { readRules } from '#core/market/symbol-codec.ts';
import type { Series } from '#backtest/columns.ts';
import { type BacktestInput, historyIntervals } from '#backtest/run.ts';
import { CandleStore } from '#storage/candles/store.ts';
import { recordedSignals } from '#storage/trading/signals.ts';
import type { AnyStrategy, BoundStrategy, StrategyFile } from '#strategies/strategy.ts';
import { tryBackfill } from '#worker/backfill.ts';
import { findStrategy } from '#worker/strategy/find.ts';
import type { WorkerContext } from '#worker/context.ts';
import { type Prepared, ResearchRefused } from './prepared.ts';

interface Question {
  readonly profileId: ProfileId;
  readonly strategyName: string;
  readonly request: Pick<RunRequest, 'from' | 'to' | 'detailInterval' | 'balance' | 'venue'> & Costs;
  readonly symbol: string;
  readonly config: unknown;
}

/** Prepares the input of a run and fetches missing candles. Throws ResearchRefused. */
export async function prepareResearch(
  context: WorkerContext,
  question: Question,
  signal: AbortSignal,
): Promise<Prepared> {
  const { strategyName, request, symbol, config, profileId } = question;
  const strategy = requireStrategy(strategyName);
  await strategy.prepare?.(config);
  const bound = strategy.bind(config);
  const rules = await readSymbolRules(context, question);
  const interval = request.detailInterval;
  const fromMs = Date.parse(request.from);
  const toMs = request.to === undefined ? Date.now() : Date.parse(request.to);
  const needs = [bound.needs, ...(bound.shared.gates === undefined ? [] : gateNeeds(bound.shared.gates))];
  const warmUpMs = Math.max(...needs.map((need) => (need.want + 1) * INTERVAL_MS[need.interval]));
  const folder = join(context.env.CANDLE_DIR, request.venue);
  const stored = { folder, symbol, interval, fromMs: fromMs - warmUpMs, toMs };
  const { market } = context.venues.of(request.venue);
  const source = { market, store: new CandleStore(folder), log: context.log };
  // Stored candles may be enough; the result says how much of the window they cover.
  await tryBackfill(source, { ...stored, signal });
  const longer = (bound.needs.also ?? []).map(({ interval: each, want }) => ({
    interval: each,
    fromMs: stored.fromMs - (want + 1) * INTERVAL_MS[each],
  }));
  for (const each of longer) await tryBackfill(source, { ...stored, ...each, signal });
  const terms = { balance: requireDecimal(request.balance), ...chargesOf(request) };
  const { file } = strategy;
  const span = { profileId, symbol, from: new Date(fromMs), to: new Date(toMs) };
  const signals = strategy.takesSignals === true ? await recordedSignals(context.database.kysely, span) : undefined;
  return {
    ...(signals && { signals }),
    strategyName,
    config,
    rules,
    terms,
    stored,
    fromMs,
    toMs,
    longer,
    ...(file && { file }),
  };
}

/**
 * Loads the candles. A year of minutes takes a tenth of a second: call it in a thread. Throws ResearchRefused.
 */
export async function loadPrepared(input: Prepared): Promise<BacktestInput> {
  const { strategyName, config, stored, file, longer = [], ...prepared } = input;
  const { folder, symbol, interval, ...window } = stored;
  const bound = requireStrategy(strategyName, file).bind(config);
  const columns = await new CandleStore(folder).loadInTurns(symbol, interval, window);
  if (columns === undefined) {
    throw new ResearchRefused(
      `There are no ${interval} candles of ${symbol} for that time, stored or on the exchange.`,
    );
  }
  const before = longer.flatMap((each): Series[] => {
    const found = new CandleStore(folder).load(symbol, each.interval, { ...window, fromMs: each.fromMs });
    return found === undefined ? [] : [{ interval: each.interval, columns: found }];
  });
  return { ...prepared, bound, candles: { interval, columns }, history: [...before, ...loadHistory(bound, stored)] };
}

/** Coarser candles of the window and before it; there are far fewer of them. */
const loadHistory = (bound: BoundStrategy, { folder, symbol, interval, ...window }: Prepared['stored']): Series[] =>
  historyIntervals(bound, interval).flatMap((coarser) => {
    const columns = new CandleStore(folder).load(symbol, coarser, window);
    return columns === undefined ? [] : [{ interval: coarser, columns }];
  });

/** The strategy of a run; in a thread, that of its file. */
export function requireStrategy(name: string, file?: StrategyFile): AnyStrategy {
  const strategy = findStrategy(name, file);
  if (strategy === undefined) throw new ResearchRefused(`The strategy "${name}" no longer exists.`);
  return strategy;
}

/** The trading rules of a coin. Throws ResearchRefused. */
export async function readSymbolRules(
  context: WorkerContext,
  { request, symbol }: { readonly request: Pick<RunRequest, 'venue'>; readonly symbol: string },
): Promise<SymbolRules> {
  const { venue } = request;
  const cached = await context.cache.get(cacheKeys.rules(venue));
  const list =
    (cached === undefined ? undefined : readRules(cached)) ?? (await context.venues.of(venue).market.rules());
  const rules = list.find((one) => one.symbol === symbol);
  if (rules === undefined) throw new ResearchRefused(`The exchange does not list ${symbol}.`);
  return rules;
}
