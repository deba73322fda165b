import { newId, type ProfileId } from '#core/ids.ts';
import { type CandleColumns, type Interval, INTERVAL_MS } from '#core/market/candle.ts';
import { toNumber } from '#core/amount/decimal.ts';
import { valueAt } from '#core/config-path.ts';
import type { SymbolRules } from '#core/market/symbol.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { BoundStrategy, Finding } from '#strategies/strategy.ts';
import { aggregateSeries, type Series } from '#backtest/columns.ts';
import type { Terms } from '#backtest/fills.ts';
import { runKernel } from '#backtest/kernel.ts';
import { feesPaid } from '#backtest/metrics.ts';
import { fillColumns } from '#backtest/fill-columns.ts';
import { openPortfolio } from '#backtest/portfolio-backtest.ts';
import { runPortfolio } from '#backtest/portfolio-run.ts';
import { type BacktestInput, openKernel } from '#backtest/run.ts';

/** Finer candles decide for a strategy that acts on ticks: minutes for a fast one, else these, which are faster. */
const COARSE_DETAIL: Interval = '5m';

/** Candles of one coin with its trading rules. */
export interface ReplayCoin {
  readonly rules: SymbolRules;
  readonly interval: Interval;
  readonly columns: CandleColumns;
}

export interface ReplayRequest {
  readonly strategy: string;
  readonly config: Readonly<Record<string, unknown>>;
  readonly coins: readonly string[];
}

/** The result of a strategy, or of buy and hold, on the past of several coins. */
interface Outcome {
  /** Shares of the balance: 0.1 for 10 %. */
  readonly totalReturn: number;
  readonly drawdown: number;
  /** Equity at the end of each UTC day. */
  readonly days: readonly number[];
  readonly fees: number;
}

/** The part of one coin in the result. */
interface CoinOutcome {
  readonly symbol: string;
  /** Share of the balance: 0.1 for 10 %. */
  readonly totalReturn: number;
  readonly trades: number;
}

export type ReplayAnswer =
  | {
      readonly kind: 'replayed';
      readonly tookMs: number;
      readonly balance: number;
      readonly fromMs: number;
      readonly toMs: number;
      readonly strategy: Outcome & {
        readonly trades: number;
        /** Null without a closed trade. */
        readonly winRate: number | null;
        /** Null without a losing trade. */
        readonly profitFactor: number | null;
      };
      readonly hold: Outcome;
      /** Empty for a strategy that plans over all coins. */
      readonly coins: readonly CoinOutcome[];
    }
  | { readonly kind: 'refused'; readonly sentence: string };

/** The judgement of the strategy about a config. */
export interface ConfigCheck {
  /** Each with a dotted path. */
  readonly errors: readonly { readonly path: string; readonly message: string }[];
  readonly findings: readonly Finding[];
  /** Most that one coin may cost, in quote units; null when it depends on the equity, or for an invalid config. */
  readonly perCoin: number | null;
}

export interface WizardAnswer {
  readonly request: ReplayRequest;
  readonly check: ConfigCheck;
  /** Undefined before the first coin has its candles. */
  readonly replay: ReplayAnswer | undefined;
}

/** Fee of an order, as exchanges usually charge it. */
const TAKER_FEE = 0.001;

function checkConfig({ strategy: name, config, coins }: ReplayRequest): ConfigCheck {
  const strategy = STRATEGIES.get(name);
  if (strategy === undefined) return { errors: [], findings: [], perCoin: null };
  const parsed = strategy.config.safeParse(config);
  if (!parsed.success) {
    const errors = parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message }));
    return { errors, findings: [], perCoin: null };
  }
  const bound = strategy.bind(config);
  return { errors: [], findings: bound.lint(TAKER_FEE, coins), perCoin: spendOf(bound, config, coins.length) };
}

function spendOf(bound: BoundStrategy, config: unknown, coins: number): number | null {
  const { shared, planner } = bound;
  if (planner !== undefined) {
    // All coins share one budget.
    const budget = Number(valueAt(config, 'basketBudgetQuote') ?? 0);
    return budget > 0 && coins > 0 ? budget / coins : null;
  }
  if (shared.equityShare !== undefined) return null;
  if (shared.levels === undefined) return toNumber(shared.entryBudget);
  return shared.levels.reduce((sum, { spend }) => sum + (spend === null ? 0 : toNumber(spend)), 0);
}

interface RunResult {
  readonly days: readonly number[];
  readonly nets: readonly number[];
  readonly fees: number;
  readonly coins: readonly CoinOutcome[];
}

/** Replays strategies over the past of several coins; keeps candles aggregated to longer intervals. */
export class CoinReplayer {
  private readonly coins = new Map<string, ReplayCoin>();
  private readonly sums = new Map<string, Series>();
  private readonly terms: Terms;

  constructor(terms: Terms) {
    this.terms = terms;
  }

  add(coin: ReplayCoin): void {
    const { symbol } = coin.rules;
    this.coins.set(symbol, coin);
    for (const key of this.sums.keys()) if (key.startsWith(`${symbol} `)) this.sums.delete(key);
  }

  /** Checks the config, and replays it over the coins whose candles are loaded. */
  answer(request: ReplayRequest): WizardAnswer {
    const isLoaded = request.coins.some((symbol) => this.coins.has(symbol));
    return { request, check: checkConfig(request), replay: isLoaded ? this.run(request) : undefined };
  }

  private run({ strategy: name, config, coins: symbols }: ReplayRequest): ReplayAnswer {
    const startedMs = performance.now();
    const strategy = STRATEGIES.get(name);
    const coins = symbols.flatMap((symbol) => this.coins.get(symbol) ?? []);
    if (strategy === undefined) return refuse('This version does not have the strategy.');
    if (!strategy.config.safeParse(config).success) return refuse('A setting is invalid.');
    const bound = strategy.bind(config);
    const tooCoarse = coins.find(({ interval }) => INTERVAL_MS[bound.needs.interval] % INTERVAL_MS[interval] !== 0);
    if (tooCoarse !== undefined)
      return refuse(
        `The strategy uses ${bound.needs.interval} candles; this market has only ${tooCoarse.interval} candles.`,
      );
    const inputs = coins.map((coin): BacktestInput => {
      const candles = this.series(coin, bound.needs.interval);
      const detail = bound.actsOnTicks === true ? { detail: this.series(coin, detailOf(bound.needs.interval)) } : {};
      return { bound, rules: coin.rules, terms: this.terms, candles, ...detail };
    });
    const result = bound.planner === undefined ? this.eachAlone(inputs) : allTogether(inputs);
    if (typeof result === 'string') return refuse(result);
    const balance = toNumber(this.terms.balance);
    const hold = this.holding(coins, balance);
    const [first] = coins;
    const { openMs } = first?.columns ?? { openMs: new Float64Array() };
    return {
      kind: 'replayed',
      tookMs: performance.now() - startedMs,
      balance,
      fromMs: openMs[0] ?? 0,
      toMs: openMs.at(-1) ?? 0,
      strategy: { ...outcomeOf(result.days, balance), fees: result.fees, ...tradesOf(result.nets) },
      hold,
      coins: result.coins,
    };
  }

  /** Coins without a common plan do not touch each other: each spends far less than the balance. */
  private eachAlone(inputs: readonly BacktestInput[]): RunResult | string {
    const balance = toNumber(this.terms.balance);
    const runs: Omit<RunResult, 'coins'>[] = [];
    const coins: CoinOutcome[] = [];
    for (const input of inputs) {
      const opened = openKernel(input);
      if (opened.kind === 'refused') return `${input.rules.symbol}: ${opened.sentence}`;
      const { book, meter } = runKernel(opened.kernel);
      const days = [...meter.days, meter.last];
      const { symbol } = input.rules;
      runs.push({ days, nets: book.cycles.map(({ net }) => toNumber(net)), fees: feesPaid(fillColumns(book.fills)) });
      coins.push({ symbol, totalReturn: meter.last / balance - 1, trades: book.cycles.length });
    }
    const length = Math.max(...runs.map(({ days }) => days.length));
    const at = (days: readonly number[], day: number): number => days[Math.min(day, days.length - 1)] ?? balance;
    return {
      days: Array.from({ length }, (_, day) => runs.reduce((sum, { days }) => sum + at(days, day) - balance, balance)),
      nets: runs.flatMap(({ nets }) => nets),
      fees: runs.reduce((sum, { fees }) => sum + fees, 0),
      coins,
    };
  }

  /** Buy and hold in equal parts, with one fee at the start. */
  private holding(coins: readonly ReplayCoin[], balance: number): Outcome {
    const fee = toNumber(this.terms.feeRate);
    const closes = coins.map((coin) => {
      const { open, close } = this.series(coin, '1d').columns;
      return Array.from(close, (price) => price / (open[0] ?? price));
    });
    const length = Math.max(...closes.map((days) => days.length));
    const days = Array.from({ length }, (_, day) =>
      closes.reduce(
        (sum, own) => sum + ((1 - fee) * balance * (own[Math.min(day, own.length - 1)] ?? 1)) / closes.length,
        0,
      ),
    );
    return { ...outcomeOf(days, balance), fees: fee * balance };
  }

  private series({ rules, interval, columns }: ReplayCoin, wanted: Interval): Series {
    const finer = { interval, columns };
    if (INTERVAL_MS[wanted] % INTERVAL_MS[interval] !== 0) return finer;
    const key = `${rules.symbol} ${wanted}`;
    const known = this.sums.get(key) ?? aggregateSeries(finer, wanted);
    this.sums.set(key, known);
    return known;
  }
}

const refuse = (sentence: string): ReplayAnswer => ({ kind: 'refused', sentence });

const detailOf = (interval: Interval): Interval =>
  INTERVAL_MS[interval] > INTERVAL_MS[COARSE_DETAIL] ? COARSE_DETAIL : '1m';

function allTogether(coins: readonly BacktestInput[]): RunResult | string {
  const opened = openPortfolio({ profiles: [{ id: newId<ProfileId>(), coins }] });
  if (opened.kind === 'refused') return opened.sentence;
  const { meter, runs, fills } = runPortfolio(opened.portfolio);
  const days = [...meter.days, meter.last];
  const nets = runs.flatMap(({ book }) => book.cycles.map(({ net }) => toNumber(net)));
  return { days, nets, fees: feesPaid(fillColumns(fills)), coins: [] };
}

function outcomeOf(days: readonly number[], balance: number): Pick<Outcome, 'totalReturn' | 'drawdown' | 'days'> {
  let [peak, drawdown] = [balance, 0];
  for (const equity of days) {
    peak = Math.max(peak, equity);
    drawdown = Math.max(drawdown, 1 - equity / peak);
  }
  return { days, drawdown, totalReturn: (days.at(-1) ?? balance) / balance - 1 };
}

function tradesOf(nets: readonly number[]) {
  const sumOf = (part: readonly number[]): number => part.reduce((sum, net) => sum + net, 0);
  const [wins, losses] = [nets.filter((net) => net > 0), nets.filter((net) => net <= 0)];
  const lost = -sumOf(losses);
  return {
    trades: nets.length,
    winRate: nets.length === 0 ? null : wins.length / nets.length,
    profitFactor: lost > 0 ? sumOf(wins) / lost : null,
  };
}
