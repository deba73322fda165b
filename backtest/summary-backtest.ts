import { toNumber } from '#core/amount/decimal.ts';
import { againstOf } from './fills.ts';
import { capitalMetrics, exposure, feesPaid, totalReturn, winRate } from './metrics.ts';
import type { BacktestResult } from '#core/research/backtest-result.ts';
import { type BacktestInput, type BacktestOutcome, openKernel } from './run.ts';
import { bandOf, runCoin } from './run-coin.ts';

/** The metrics of a `BacktestResult` without its records. */
export interface SummaryBacktest {
  readonly metrics: Pick<BacktestResult['metrics'], 'totalReturn' | 'winRate' | 'fees' | 'exposure' | 'capital'>;
  readonly drawdown: Pick<BacktestResult['drawdown'], 'depth'>;
  readonly ambiguity: BacktestResult['ambiguity'];
  readonly dailyEquity: readonly number[];
  /** Sell fills. */
  readonly sales: number;
}

type SummaryOutcome =
  | { readonly kind: 'summary'; readonly summary: SummaryBacktest }
  | Extract<BacktestOutcome, { kind: 'refused' }>;

/** Like `runBacktest`, but only what a preview shows: without fingerprint, curve and splits. */
export function runSummaryBacktest(input: BacktestInput): SummaryOutcome {
  const opened = openKernel(input);
  if (opened.kind === 'refused') return opened;
  const made = runCoin(opened.kernel);
  const { traded, meter, coin, capitalUsed, meanExposure } = made;
  const { fills, cycles } = traded;
  const { terms } = input;
  const ends = { finalEquity: meter.last, balance: toNumber(terms.balance) };
  const charges = { feeRate: toNumber(terms.feeRate), slippage: againstOf(terms) };
  const metrics = {
    totalReturn: totalReturn(ends),
    capital: capitalMetrics({ ...ends, ...charges, coin, fills, capitalUsed, meanExposure }),
    winRate: winRate(cycles.net),
    fees: feesPaid(fills),
    exposure: exposure(made),
  };
  const { depth } = meter.drawdown;
  const sales = fills.buys.reduce((count, buy) => count - buy, fills.count);
  const dailyEquity = [...meter.days, meter.last];
  return {
    kind: 'summary',
    summary: { metrics, drawdown: { depth }, ambiguity: bandOf(made), dailyEquity, sales },
  };
}
