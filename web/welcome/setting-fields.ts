import { readDecimal } from '#core/amount/decimal.ts';
import { INTERVALS } from '#core/market/candle.ts';
import { isScale, percentOf, storedOf as storedPercent } from '#web/ui/percent.ts';

type Config = Readonly<Record<string, unknown>>;

/**
 * One setting of the wizard. `above` and `below` are stored as a multiplier and shown as a percentage of its distance from
 * 1; `share` is stored as 0.05 for 5 %.
 */
export interface SettingField {
  readonly path: string;
  readonly label: string;
  readonly note: string;
  readonly kind: 'amount' | 'above' | 'below' | 'share' | 'count' | 'choice';
  /** May be empty. */
  readonly optional?: boolean;
  /** Least, most and step of the slider, as shown. */
  readonly slider?: readonly [number, number, number];
  readonly options?: readonly { readonly value: string; readonly words: string }[];
  /** Below "More settings". */
  readonly more?: boolean;
  /** Shown only for such a config. */
  readonly isFor?: (config: Config) => boolean;
}

const CANDLES: SettingField = {
  path: 'candleInterval',
  label: 'Candles',
  note: 'A candle is one bar of the chart: first, highest, lowest and last price of this time.',
  kind: 'choice',
  options: INTERVALS.map((value) => ({ value, words: value })),
  more: true,
};

const SPEND: Omit<SettingField, 'path'> = {
  label: 'Spend per buy',
  note: 'One open buy per coin, so also the most in one coin.',
  kind: 'amount',
  slider: [10, 1000, 10],
};

/** The settings of the wizard, by strategy; a strategy without an entry has none. */
export const SETTING_FIELDS: Readonly<Record<string, readonly SettingField[]>> = {
  'trailing-trade': [
    { ...SPEND, path: 'buy.entrySizing.amount' },
    {
      path: 'buy.gridLevels.0.triggerPercentage',
      label: 'Buy within',
      note: 'Buys when the price is at most this far above the lowest price of the last candles.',
      kind: 'above',
      slider: [0.1, 5, 0.1],
    },
    {
      path: 'sell.triggerPercentage',
      label: 'Trailing stop starts at',
      note: 'Profit at which it begins to follow the price.',
      kind: 'above',
      slider: [0.1, 10, 0.1],
    },
    {
      path: 'sell.trailingStopPercentage',
      label: 'Trailing stop distance',
      note: 'Sells when the price falls this far from its high.',
      kind: 'below',
      slider: [0.05, 5, 0.05],
    },
    {
      path: 'sell.stopLossPercentage',
      label: 'Stop loss',
      note: 'Sells everything this far below the average price.',
      kind: 'below',
      slider: [0.5, 20, 0.5],
    },
    {
      path: 'sell.takeProfits.0.triggerPercentage',
      label: 'Take profit',
      note: 'Sells everything at this profit. Empty: none.',
      kind: 'above',
      optional: true,
      slider: [0.1, 20, 0.05],
    },
    {
      path: 'buy.candleLimit',
      label: 'Candles of the low',
      note: 'The lowest price of so many closed candles counts.',
      kind: 'count',
      more: true,
    },
    CANDLES,
  ],
  momentum: [
    { ...SPEND, path: 'entrySizing.amount' },
    {
      path: 'ema.fast',
      label: 'Fast average',
      note: 'Candles; fewer react sooner.',
      kind: 'count',
      slider: [2, 100, 1],
    },
    {
      path: 'ema.slow',
      label: 'Slow average',
      note: 'Candles. Buys when the fast average crosses above it.',
      kind: 'count',
      slider: [5, 300, 1],
    },
    {
      path: 'trailingStopPercentage',
      label: 'Trailing stop distance',
      note: 'Sells when the price falls this far from the highest close.',
      kind: 'below',
      slider: [0.5, 20, 0.5],
    },
    CANDLES,
  ],
  rebalance: [
    {
      path: 'basketBudgetQuote',
      label: 'Budget of the basket',
      note: 'All coins together; each gets its share.',
      kind: 'amount',
      slider: [100, 5000, 50],
    },
    {
      path: 'driftThreshold',
      label: 'Rebalance threshold',
      note: 'Trades a coin when its share is this far from its target.',
      kind: 'share',
      slider: [0.5, 20, 0.5],
    },
    {
      path: 'weightMode',
      label: 'Shares',
      note: 'Equal shares of all coins, or of those that rose most.',
      kind: 'choice',
      options: [
        { value: 'fixed', words: 'all coins' },
        { value: 'momentum', words: 'strongest' },
      ],
    },
    {
      path: 'momentum.topK',
      label: 'Coins held',
      note: 'So many of the strongest coins.',
      kind: 'count',
      slider: [1, 10, 1],
      isFor: (config) => config['weightMode'] === 'momentum',
    },
    CANDLES,
  ],
};

const HUNDRED = 100;

/** A stored value as it is shown: a multiplier such as `0.97` as `3`. */
export function shownOf({ kind }: SettingField, stored: unknown): string {
  if (stored === undefined || stored === null) return '';
  return (isScale(kind) ? percentOf(kind, String(stored)) : undefined) ?? String(stored);
}

/** The stored value of a text; undefined when it is no usable value. An empty optional setting is ''. */
export function storedOf({ kind, optional = false }: SettingField, shown: string): string | number | undefined {
  const text = shown.trim().replace(',', '.');
  if (text === '') return optional ? '' : undefined;
  if (kind === 'choice') return shown;
  const value = Number(readDecimal(text) === undefined ? Number.NaN : text);
  if (!(value > 0)) return undefined;
  if (kind === 'count') return Number.isInteger(value) ? value : undefined;
  if (kind === 'amount') return text;
  return kind === 'below' && value >= HUNDRED ? undefined : storedPercent(kind, text);
}

/** The message for a text that `storedOf` refuses. */
export function problemOf({ kind }: SettingField): string {
  if (kind === 'count') return 'Enter a whole number above 0.';
  if (kind === 'amount') return 'Enter an amount above 0.';
  return kind === 'below' ? 'Enter a percentage above 0 and below 100.' : 'Enter a percentage above 0.';
}
