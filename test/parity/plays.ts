import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Series } from '#backtest/columns.ts';
import { readNamedFile } from '#paper/market/candle-files.ts';
import { openSynthetic } from '#paper/market/synthetic.ts';
import { NO_LIMITS, type RiskLimits } from '#core/account/risk.ts';
import { STRATEGIES } from '#strategies/registry.ts';
import type { Play } from './live.ts';

export const RECORDED = join(import.meta.dirname, '../../../shared/data/candles/c1pr14n055-freqtrade');
const DAY_MS = 86_400_000;
/** The recorded month with a crash in it; half a day before it is there to warm up. */
const RECORDED_FROM_MS = Date.UTC(2021, 4, 16, 12);
const SYNTHETIC_FROM_MS = Date.UTC(2024, 0, 2);
/** The first two also run alone. */
const COINS = ['ETHUSDT', 'ADAUSDT', 'DOGEUSDT'];

const entrySizing = (amount: string) => ({ mode: 'fixed', amount });
const CONFIGS: Readonly<Record<string, Record<string, unknown>>> = {
  'trailing-trade': {
    candleInterval: '15m',
    buy: {
      candleLimit: 20,
      entrySizing: entrySizing('600'),
      gridLevels: [{ triggerPercentage: '1.004' }, { triggerPercentage: '0.985' }, { triggerPercentage: '0.97' }],
      lossCooldownMinutes: 45,
    },
    sell: {
      ...{ stopLossPercentage: '0.96', triggerPercentage: '1.012', trailingStopPercentage: '0.993' },
      breakEven: { armAtPercentage: '1.008', floorPercentage: '1.003' },
    },
  },
  momentum: { candleInterval: '5m', entrySizing: entrySizing('500'), trailingStopPercentage: '0.985' },
  hold: {},
};

/** A target that sells everything rests on the exchange next to the stop. */
const TARGETED = {
  candleInterval: '15m',
  buy: { candleLimit: 20, entrySizing: entrySizing('600'), gridLevels: [{ triggerPercentage: '1.004' }] },
  sell: {
    ...{ stopLossPercentage: '0.98', triggerPercentage: '1.012', trailingStopPercentage: '0.993' },
    // No high of the made-up day equals this price: a mere touch fills by the place in the queue, and never in a backtest.
    ...{ takeProfits: [{ triggerPercentage: '1.0155', fraction: '1' }], restTarget: true },
  },
};

const BASKET = {
  ...{ enabled: true, candleInterval: '1h', driftThreshold: '0.01', basketBudgetQuote: '3000' },
  targets: [
    { symbol: 'ETHUSDT', weight: '0.5' },
    { symbol: 'ADAUSDT', weight: '0.4' },
  ],
};

/** Coins that share money and places: a balance that is too small for all of them, and limits that refuse. */
const TOGETHER: readonly (readonly [string, Record<string, unknown>, Partial<RiskLimits>])[] = [
  ['trailing-trade', CONFIGS['trailing-trade'] ?? {}, { openPositions: 1 }],
  [
    'trailing-trade',
    CONFIGS['trailing-trade'] ?? {},
    { asset: 'USDT', exposure: '1500', lossStreak: 2, lossPauseMinutes: 240 },
  ],
  [
    'momentum',
    {
      ...{ candleInterval: '5m', trailingStopPercentage: '0.985' },
      entrySizing: { mode: 'percent-of-equity', percent: '0.45' },
    },
    { asset: 'USDT', openPositions: 2, dailyLoss: '60', drawdown: '150', entriesPerMinute: 1 },
  ],
];

interface Market {
  readonly minutes: ReadonlyMap<string, Series>;
  readonly fromMs: number;
  readonly days: number;
}

interface Played {
  readonly config: Play['config'];
  readonly coins: Play['minutes'];
  /** Words for its name. */
  readonly words?: string;
  readonly limits?: Partial<RiskLimits>;
}

/** Each strategy on each coin alone, baskets, and profiles whose coins share money and limits. */
function playsOn({ minutes, fromMs, days }: Market): Play[] {
  const playOf = (name: string, { config, coins, limits, words }: Played): Play => {
    const strategy = STRATEGIES.get(name);
    if (strategy === undefined) throw new Error(`there is no strategy ${name}`);
    const window = { fromMs, toMs: fromMs + days * DAY_MS };
    return {
      name: [
        name,
        ...(words === undefined ? [] : [words]),
        ...coins.keys(),
        ...(limits === undefined ? [] : [limitWords(limits)]),
      ].join(' '),
      strategy,
      config,
      balance: '5000',
      minutes: coins,
      ...window,
      ...(limits === undefined ? {} : { limits: { ...NO_LIMITS, ...limits } }),
    };
  };
  const two = [...minutes].slice(0, 2);
  const single = two.flatMap((coin) =>
    Object.entries(CONFIGS).map(([name, config]) => playOf(name, { config, coins: new Map([coin]) })),
  );
  const together = TOGETHER.map(([name, config, limits]) => playOf(name, { config, coins: minutes, limits }));
  const targeted = two.map((coin) =>
    playOf('trailing-trade', { config: TARGETED, coins: new Map([coin]), words: 'with a resting target' }),
  );
  return [...single, ...targeted, playOf('rebalance', { config: BASKET, coins: new Map(two) }), ...together];
}

const limitWords = (limits: Partial<RiskLimits>): string =>
  Object.entries(limits)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ');

/** Recorded plays over so many days of the month; undefined where the recordings are not. */
export function recordedPlays(days: number): Play[] | undefined {
  if (!existsSync(RECORDED)) return undefined;
  const minutes = COINS.map((symbol): [string, Series] => [
    symbol,
    readNamedFile(join(RECORDED, `${symbol}-1m.csv.gz`)),
  ]);
  return playsOn({ minutes: new Map(minutes), fromMs: RECORDED_FROM_MS, days });
}

/** The same over a made-up market, which every machine has. */
export function syntheticPlays(days: number): Play[] {
  const source = openSynthetic(11, SYNTHETIC_FROM_MS);
  const span = [SYNTHETIC_FROM_MS - DAY_MS, SYNTHETIC_FROM_MS + days * DAY_MS] as const;
  const minutes = COINS.map((symbol): [string, Series] => [
    symbol,
    { interval: '1m', columns: source.candles(symbol, ...span) },
  ]);
  return playsOn({ minutes: new Map(minutes), fromMs: SYNTHETIC_FROM_MS, days });
}
