import { sweepVerdict } from '#backtest/sweep/verdict.ts';
import type { StoredMetrics } from '#core/research/backtest-result.ts';
import { isBusy, type Run, type Sweep } from '#web/data/research.ts';
import { runStateText } from '#web/ui/research.ts';
import { resultCount } from '#web/ui/sharing.ts';

type Kind = 'Backtest' | 'Sweep' | 'Walk-forward';

/** One backtest or sweep of any profile. */
export interface HubRun {
  readonly kind: Kind;
  readonly id: string;
  readonly profileId: string;
  readonly profile: string;
  readonly strategyName: string;
  /** Coins of a backtest; the coin of a sweep. */
  readonly coins: readonly string[];
  /** Paths of the varied settings of a sweep. */
  readonly varied: readonly string[];
  /** The complete settings that a sweep starts from. */
  readonly config: unknown;
  /** Settings that a sweep runs. */
  readonly sets: number;
  readonly startedMs: number;
  readonly from: string;
  readonly to: string | undefined;
  readonly busy: boolean;
  /** Finished and all parts of running work. */
  readonly done: number;
  readonly all: number;
  /** Of a walk-forward: its return on unseen days. Null before the first result. */
  readonly best: number | null;
  readonly trades: number | null;
  readonly verdict: string;
}

/** The profile of a run. */
interface Owner {
  readonly id: string;
  readonly name: string;
}

type Named = Pick<Run, 'id' | 'state' | 'strategyName' | 'createdAt'>;
type JudgedMetrics = Pick<StoredMetrics, 'totalReturn' | 'buyAndHold' | 'closedCycles'>;
/** The parts of a backtest that a row needs. */
type TestedRun = Named & {
  readonly config: unknown;
  readonly request: Pick<Run['request'], 'from' | 'to' | 'purse' | 'scope'> & {
    readonly coins: readonly { readonly symbol: string }[];
  };
  readonly metrics: Readonly<Record<string, JudgedMetrics>>;
};
/** The parts of a sweep that a row needs. */
type SweptRun = Named &
  Pick<Sweep, 'sets' | 'units' | 'unitsDone' | 'result'> & {
    readonly request: Pick<Sweep['request'], 'from' | 'to' | 'knobs'> & {
      readonly coin: { readonly symbol: string; readonly config?: unknown };
      readonly walkForward?: unknown;
    };
  };

/** Fewer trades say nothing, or little. */
const [FEW, SOME] = [30, 100];

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

function verdictOf(all: readonly JudgedMetrics[]): string {
  const trades = all.reduce((sum, { closedCycles }) => sum + closedCycles, 0);
  const [made, held] = [mean(all.map(({ totalReturn }) => totalReturn)), mean(all.map(({ buyAndHold }) => buyAndHold))];
  if (trades === 0) return 'No trade was closed';
  if (trades < FEW) return 'Too few trades';
  if (made <= 0) return 'Lost money';
  const words = made > held ? 'Ahead of buy and hold' : 'Behind buy and hold';
  return trades < SOME ? `${words}, few trades` : words;
}

/** A backtest; with several results their mean return, and the sum of their trades. */
export function backtestRun(run: TestedRun, profile: Owner): HubRun {
  const { request } = run;
  const metrics = Object.values(run.metrics);
  return {
    ...{ kind: 'Backtest', id: run.id, profileId: profile.id, profile: profile.name, varied: [] },
    ...{ config: run.config, sets: 1 },
    ...{
      strategyName: run.strategyName,
      coins: request.coins.map(({ symbol }) => symbol),
      startedMs: Date.parse(run.createdAt),
    },
    ...{ from: request.from, to: request.to, busy: isBusy(run), done: metrics.length },
    all: resultCount(request),
    best: metrics.length === 0 ? null : mean(metrics.map(({ totalReturn }) => totalReturn)),
    trades: metrics.length === 0 ? null : metrics.reduce((sum, { closedCycles }) => sum + closedCycles, 0),
    verdict: run.state === 'done' && metrics.length > 0 ? verdictOf(metrics) : stateOf(run.state),
  };
}

/** A sweep with its best settings. */
export function sweepRun(sweep: SweptRun, profile: Owner): HubRun {
  const { request, result } = sweep;
  const [best] = result?.rows ?? [];
  return {
    kind: request.walkForward === undefined ? 'Sweep' : 'Walk-forward',
    ...{ id: sweep.id, profileId: profile.id, profile: profile.name, strategyName: sweep.strategyName },
    coins: [request.coin.symbol],
    varied: request.knobs.split(';').map((knob) => knob.split('=')[0]?.trim() ?? ''),
    config: request.coin.config,
    ...{ sets: sweep.sets, startedMs: Date.parse(sweep.createdAt), from: request.from, to: request.to },
    ...{ busy: isBusy(sweep), done: sweep.unitsDone, all: sweep.units },
    best: result?.walkForward?.totalReturn ?? best?.totalReturn ?? null,
    trades: best?.closedCycles ?? null,
    verdict: sweep.state === 'done' && result !== null ? sweepVerdict(result).title : stateOf(sweep.state),
  };
}

function stateOf(state: string): string {
  const words = runStateText(state);
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export type HubColumn = 'kind' | 'startedMs' | 'profile' | 'best' | 'trades' | 'verdict';

export interface HubSorting {
  readonly column: HubColumn;
  readonly descending: boolean;
}

const TEXTS: readonly HubColumn[] = ['kind', 'profile', 'verdict'];

/** The same column again turns the order; text starts with A, numbers with the largest. */
export const sortBy = (now: HubSorting, column: HubColumn): HubSorting =>
  now.column === column ? { column, descending: !now.descending } : { column, descending: !TEXTS.includes(column) };

/** Running work first, then in the chosen order; what has no value is the last, equal rows start with the newest. */
export function sortRuns(runs: readonly HubRun[], { column, descending }: HubSorting): HubRun[] {
  const sign = descending ? -1 : 1;
  const order = (a: HubRun, b: HubRun): number => {
    const [x, y] = [a[column], b[column]];
    if (x === null || y === null) return Number(x === null) - Number(y === null);
    return sign * (typeof x === 'string' ? x.localeCompare(String(y)) : x - Number(y));
  };
  return runs.toSorted((a, b) => Number(b.busy) - Number(a.busy) || order(a, b) || b.startedMs - a.startedMs);
}
