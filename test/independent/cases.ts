/** Settings of both strategies, each with a name; everything they leave out is at its default. */
export interface Case {
  readonly name: string;
  readonly strategy: 'trailing-trade' | 'momentum';
  readonly config: Readonly<Record<string, unknown>>;
}

const level = (triggerPercentage: string, more: Readonly<Record<string, string>> = {}) => ({
  triggerPercentage,
  ...more,
});
const LADDER = [level('1.01'), level('0.97'), level('0.94', { maxPurchaseAmount: '80' })];
const HUNDRED = { entrySizing: { amount: '100' } };
const NO_STOP = { protectiveStop: { enabled: false } };

const trailing = (name: string, config: Case['config']): Case => ({ name, strategy: 'trailing-trade', config });
const momentum = (name: string, config: Case['config']): Case => ({ name, strategy: 'momentum', config });

export const CASES: readonly Case[] = [
  trailing('default', {}),
  trailing('tight trail', {
    buy: { ...HUNDRED, candleLimit: 12, gridLevels: [level('1.01')] },
    sell: { stopLossPercentage: '0.985', triggerPercentage: '1.01', trailingStopPercentage: '0.995' },
  }),
  trailing('tight trail, no stop on the exchange', {
    buy: { ...HUNDRED, candleLimit: 12, gridLevels: [level('1.01')] },
    sell: { stopLossPercentage: '0.985', triggerPercentage: '1.01', trailingStopPercentage: '0.995', ...NO_STOP },
  }),
  trailing('levels with adds', {
    buy: { ...HUNDRED, candleLimit: 24, gridLevels: LADDER },
    sell: { stopLossPercentage: '0.9', triggerPercentage: '1.02', trailingStopPercentage: '0.99' },
  }),
  trailing('at once, a long pause after a loss', {
    buy: { ...HUNDRED, firstBuyTriggerBasis: 'immediate', lossCooldownMinutes: 1445 },
    sell: { stopLossPercentage: '0.98', triggerPercentage: '1.02', trailingStopPercentage: '0.99' },
  }),
  trailing('floor, time, no pause', {
    buy: { ...HUNDRED, candleLimit: 6, lossCooldownMinutes: 0, gridLevels: [level('1.02')] },
    sell: {
      ...{ stopLossPercentage: '0.95', triggerPercentage: '1.06', timeStopBars: 40 },
      breakEven: { armAtPercentage: '1.015', floorPercentage: '1.004' },
    },
  }),
  trailing('partial sales', {
    buy: {
      entrySizing: { mode: 'percent-of-equity', percent: '0.3' },
      candleLimit: 12,
      gridLevels: LADDER.slice(0, 2),
    },
    sell: {
      ...{ stopLossPercentage: '0.94', triggerPercentage: '1.04', trailingStopPercentage: '0.985' },
      takeProfits: [
        { triggerPercentage: '1.01', fraction: '0.3' },
        { triggerPercentage: '1.02', fraction: '0.3' },
      ],
    },
  }),
  trailing('a target for everything that rests next to the stop', {
    buy: { ...HUNDRED, candleLimit: 12, gridLevels: LADDER.slice(0, 2) },
    sell: {
      ...{ stopLossPercentage: '0.96', triggerPercentage: '1.05', restTarget: true },
      takeProfits: [{ triggerPercentage: '1.012', fraction: '1' }],
    },
  }),
  trailing('a partial sale, then a target for the rest', {
    buy: {
      entrySizing: { mode: 'percent-of-equity', percent: '0.3' },
      candleLimit: 12,
      gridLevels: LADDER.slice(0, 1),
    },
    sell: {
      ...{ stopLossPercentage: '0.97', triggerPercentage: '1.04', restTarget: true },
      breakEven: { armAtPercentage: '1.008', floorPercentage: '1.002' },
      takeProfits: [
        { triggerPercentage: '1.006', fraction: '0.4' },
        { triggerPercentage: '1.015', fraction: '0.6' },
      ],
    },
  }),
  trailing('trail by true ranges from the entry, RSI', {
    buy: {
      ...{ entrySizing: { mode: 'risk-at-stop', percent: '0.01' }, firstBuyTriggerBasis: 'immediate' },
      indicatorGate: { rsiMaxBuy: '35' },
    },
    sell: { stopLossPercentage: '0.96', atrTrailing: { multiplier: '2.5', period: 14, fromEntry: true } },
  }),
  trailing('buys that follow the price down', {
    buy: {
      ...{ ...HUNDRED, candleLimit: 12, maxSymbolExposureQuote: '150' },
      gridLevels: [
        level('1.01', { stopPricePercentage: '1.004', limitPricePercentage: '1.006' }),
        level('0.97', { stopPricePercentage: '1.004', limitPricePercentage: '1.006', minPurchaseAmount: '20' }),
      ],
    },
    sell: { stopLossPercentage: '0.95', triggerPercentage: '1.02', trailingStopPercentage: '0.99' },
  }),
  trailing('buys that wait, trend', {
    buy: { ...HUNDRED, candleLimit: 12, maxPositionLossQuote: '4', gridLevels: LADDER },
    sell: { stopLossPercentage: '0.93', triggerPercentage: '1.015', trailingStopPercentage: '0.99' },
    execution: { entryMode: 'maker', makerOffsetBps: 20, entryTimeoutBars: 2 },
    regime: { policy: 'exit-in-bear', period: 10, confirmBars: 2 },
  }),
  trailing('hardly more than the smallest order', {
    buy: { entrySizing: { amount: '5.5' }, firstBuyTriggerBasis: 'immediate', lossCooldownMinutes: 0 },
    sell: { stopLossPercentage: '0.97', triggerPercentage: '1.02', trailingStopPercentage: '0.99' },
  }),
  momentum('default', {}),
  momentum('tight trail', {
    ...{ ...HUNDRED, ema: { fast: 5, slow: 13 }, trailingStopPercentage: '0.985', lossCooldownMinutes: 0 },
  }),
  momentum('tight trail, no stop on the exchange', {
    ...{ ...HUNDRED, ema: { fast: 5, slow: 13 }, trailingStopPercentage: '0.985', ...NO_STOP },
  }),
  momentum('margin, profit trail, a long pause', {
    ...{ ...HUNDRED, ema: { fast: 3, slow: 8 }, entryMarginPercentage: '1.001', lossCooldownMinutes: 721 },
    profitTrail: { activationPercentage: '1.01', trailPercentage: '0.995' },
  }),
  momentum('true ranges, risk at the stop, trend average', {
    ...{ entrySizing: { mode: 'risk-at-stop', percent: '0.01' }, ema: { fast: 4, slow: 10 }, exitOnCross: false },
    ...{ atrTrailing: { multiplier: '2', period: 10 }, trendFilter: { maType: 'sma', period: 30, slopeBars: 5 } },
  }),
  momentum('buys that wait, extension, rising days', {
    ...{ ...HUNDRED, ema: { fast: 5, slow: 12 }, entryExtension: { period: 20, maxPercentage: '1.03' } },
    execution: { entryMode: 'maker', makerOffsetBps: 10, entryTimeoutBars: 3 },
    regime: { policy: 'block-in-bear', period: 8, confirmBars: 2 },
    trendFilter: { maType: 'ema', period: 25, slopeBars: 0 },
  }),
];

/** Costs of a run, as decimal text. */
export interface CostCase {
  readonly taker: string;
  readonly maker: string;
  readonly slippage: string;
  readonly halfSpread: string;
  readonly share: string | null;
  readonly feeIn: 'received' | 'other';
}

const FREE = { taker: '0', maker: '0', slippage: '0', halfSpread: '0', share: null, feeIn: 'received' } as const;

export const COSTS: readonly CostCase[] = [
  FREE,
  { ...FREE, taker: '0.001', maker: '0.0008', slippage: '0.0005', halfSpread: '0.0002' },
  { ...FREE, taker: '0.00075', maker: '0.00075', slippage: '0.0003', share: '0.00001', feeIn: 'other' },
];

/** A file of candles, where in it the run begins, and the grid of its coin. */
export interface SeriesCase {
  readonly file: string;
  /** The row of the first candle that is read. */
  readonly from: number;
  readonly step: string;
  /** A coarser tick than the prices have; absent: the finest decimal of the prices. */
  readonly tick?: string;
}

const series = (file: string, from: number, step: string): SeriesCase => ({ file: `${file}.csv.gz`, from, step });

export const SERIES: readonly SeriesCase[] = [
  series('roshan7869-freqtrade/BTCUSDT-1h', 18_500, '0.00001'),
  series('roshan7869-freqtrade/ETHUSDT-1h', 29_000, '0.0001'),
  series('roshan7869-freqtrade/XRPUSDT-1h', 2_000, '0.1'),
  series('roshan7869-freqtrade/ADAUSDT-1h', 30_000, '0.1'),
  series('roshan7869-freqtrade/BCHUSDT-1h', 12_000, '0.001'),
  series('roshan7869-freqtrade/TRXUSDT-1h', 9_000, '1'),
  series('mooneyes-freqtrade/LUNAUSDT-1h', 12_500, '0.01'),
  { ...series('roshan7869-freqtrade/DOGEUSDT-1h', 13_000, '1'), tick: '0.0001' },
  series('genetrader-freqtrade/NEARUSDT-15m', 5_000, '0.1'),
  series('genetrader-freqtrade/WIFUSDT-15m', 1_000, '0.1'),
  series('genetrader-freqtrade/PEPEUSDT-15m', 4_000, '1'),
  series('nfi-freqtrade/SOLUSDT-5m', 30_000, '0.01'),
  series('nfi-freqtrade/LINKUSDT-5m', 46_000, '0.01'),
  series('nfi-freqtrade/MATICUSDT-5m', 47_000, '0.1'),
];
