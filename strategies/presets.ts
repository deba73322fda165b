/** Settings to start a profile with; everything else keeps the default of the strategy. */
interface Preset {
  readonly name: 'Cautious' | 'Balanced' | 'Active';
  readonly config: Readonly<Record<string, unknown>>;
}

interface DipBuying {
  readonly candles: string;
  readonly window: number;
  readonly amount: string;
  readonly near: string;
  readonly stop: string;
  readonly starts: string;
  readonly distance: string;
  readonly takeProfit?: string;
}

const dipBuying = ({ takeProfit, ...preset }: DipBuying) => ({
  candleInterval: preset.candles,
  buy: {
    entrySizing: { mode: 'fixed', amount: preset.amount },
    candleLimit: preset.window,
    gridLevels: [{ triggerPercentage: preset.near }],
  },
  sell: {
    stopLossPercentage: preset.stop,
    triggerPercentage: preset.starts,
    trailingStopPercentage: preset.distance,
    takeProfits: takeProfit === undefined ? [] : [{ triggerPercentage: takeProfit, fraction: '1' }],
  },
});

const crossing = (candles: string, [fast, slow]: readonly [number, number], stop: string) => ({
  candleInterval: candles,
  entrySizing: { mode: 'fixed', amount: '100' },
  ema: { fast, slow },
  trailingStopPercentage: stop,
});

/** Equal shares of the coins of the profile; `withEqualShares` adds the coins. */
const equalShares = (candles: string, budget: string, drift: string) => ({
  enabled: true,
  weightMode: 'fixed',
  candleInterval: candles,
  basketBudgetQuote: budget,
  driftThreshold: drift,
});

/**
 * Presets by strategy. The fees of a buy and a sale, 0.1 % each, take at most a quarter of the earliest exit of each. The
 * most active one trades in minutes on a lively market, the others in hours or days.
 */
export const PRESETS: ReadonlyMap<string, readonly Preset[]> = new Map([
  [
    'trailing-trade',
    [
      {
        name: 'Cautious',
        config: dipBuying({
          ...{ candles: '1h', window: 72, amount: '100', near: '1.01', stop: '0.94', starts: '1.04', distance: '0.99' },
        }),
      },
      {
        name: 'Balanced',
        config: dipBuying({
          ...{ candles: '1h', window: 48, amount: '150', near: '1.01', stop: '0.92', starts: '1.03', distance: '0.99' },
        }),
      },
      {
        name: 'Active',
        config: dipBuying({
          ...{ candles: '1m', window: 4, amount: '100', near: '1.002', stop: '0.97' },
          ...{ starts: '1.014', distance: '0.996', takeProfit: '1.0081' },
        }),
      },
    ],
  ],
  [
    'momentum',
    [
      { name: 'Cautious', config: crossing('15m', [12, 36], '0.96') },
      { name: 'Balanced', config: crossing('15m', [9, 21], '0.97') },
      { name: 'Active', config: crossing('5m', [20, 50], '0.97') },
    ],
  ],
  [
    'rebalance',
    [
      { name: 'Cautious', config: equalShares('1h', '300', '0.05') },
      { name: 'Balanced', config: equalShares('1h', '600', '0.03') },
      { name: 'Active', config: equalShares('15m', '900', '0.01') },
    ],
  ],
]);

/** The config for a profile with these coins: a plan with fixed shares and no targets gets an equal share of each. */
export function withEqualShares(
  strategyName: string,
  config: Readonly<Record<string, unknown>>,
  coins: readonly string[],
): Readonly<Record<string, unknown>> {
  const isPlan = strategyName === 'rebalance' && config['weightMode'] === 'fixed' && config['targets'] === undefined;
  if (!isPlan || coins.length === 0) return config;
  const weight = String(Math.floor(10_000 / coins.length) / 10_000);
  return { ...config, targets: coins.map((symbol) => ({ symbol, weight })) };
}
