import { mergePatch } from '#core/merge.ts';
import { type CycleRecord, type FillRecord, type StoredResult, storedResult } from '#core/research/backtest-result.ts';

const AT = '2024-01-02T00:00:00.000Z';
const PART = { from: AT, days: 7, totalReturn: 0, buyAndHold: 0, sharpe: null, drawdown: 0, closedCycles: 0, net: 0 };

const FLAT: StoredResult = {
  ...{ v: 1, strategy: 'momentum', symbol: 'BTCUSDT', quoteAsset: 'USDT', interval: '1h', detailInterval: '1m' },
  ...{ from: '2024-01-01T00:00:00.000Z', to: AT, balance: '1000', fingerprint: '' },
  ...{ feeBps: 10, makerFeeBps: 10, feeIn: 'received', slippageBps: 0, spreadBps: 0, volumePercent: 0 },
  ...{ fillRules: [], warnings: [], regimes: {}, decisions: {}, passedCandles: 0, openPosition: null },
  coverage: { candles: 1440, missing: 0, gaps: 0, longestGapMs: 0, offGrid: 0, warmUp: 0, warmUpWanted: 0 },
  metrics: {
    ...{ totalReturn: 0, cagr: null, buyAndHold: 0, costAveraging: 0, finalEquity: 1000, closedCycles: 0, net: 0 },
    ...{ profitFactor: null, expectancy: null, winRate: null, best: null, worst: null, exposure: 0, fees: 0 },
    ...{ turnover: 0, durations: null, sharpe: null, sortino: null, calmar: null, sqn: null, exits: {} },
  },
  drawdown: { depth: 0, peakAt: AT, troughAt: AT, recoveredAt: null },
  holdout: { inSample: PART, outOfSample: PART },
  ambiguity: { candles: 0, stops: 0, crossed: 0, worst: 1000, base: 1000, best: 1000 },
  ...{ dailyEquity: [], equityCurve: [], fills: [], cycles: [], rejections: [] },
};

/** The stored result of a run without trades, with changes as a JSON merge patch. It lacks the metrics of the capital. */
export const storedResultWith = (changes: object = {}): StoredResult => storedResult.parse(mergePatch(FLAT, changes));

const AMOUNTS = { price: '100', quantity: '1', quote: '100', fee: '0', feeAsset: 'USDT', cash: '900', position: '1' };

export const fillWith = (changes: Partial<FillRecord>): FillRecord => ({
  ...{ ...AMOUNTS, at: AT, side: 'buy', reason: 'entry', cycle: 1, realised: null },
  ...changes,
});

export const cycleWith = (changes: Partial<CycleRecord>): CycleRecord => ({
  ...{ cycle: 1, openedAt: AT, closedAt: AT, net: '0', exitReason: 'exit' },
  ...changes,
});
