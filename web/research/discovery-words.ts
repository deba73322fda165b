import type { DiscoveryConfig } from '#core/research/discovery.ts';

type NumberSetting = Exclude<keyof DiscoveryConfig, 'enabled' | 'quoteAsset' | 'blacklist'>;
interface DiscoveryField {
  readonly name: NumberSetting;
  readonly label: string;
  readonly note: string;
  readonly unit?: string;
}

/** The numbers of a discovery, in the order in which a coin meets them. */
export const DISCOVERY_FIELDS: readonly DiscoveryField[] = [
  { name: 'maxCoins', label: 'Coins at most', note: 'Places of the profile, taken ones among them.' },
  { name: 'refreshMinutes', label: 'Looks every', note: 'How often the market is searched.', unit: 'min' },
  { name: 'minPairVolume', label: 'Volume of the pair', note: 'Traded in a day, at least.' },
  { name: 'minAssetVolume', label: 'Volume of the coin', note: 'Over all its pairs, at least.' },
  { name: 'maxSpreadPercent', label: 'Spread', note: 'Between the best buyer and seller, at most.', unit: '%' },
  { name: 'changeMinPercent', label: 'Gain of a day', note: 'At least.', unit: '%' },
  { name: 'minAgeDays', label: 'Listed for', note: 'At least.', unit: 'days' },
  { name: 'adxMin', label: 'Strength of the trend', note: 'ADX, a number from 0 to 100, at least.' },
  { name: 'volumeMultiple', label: 'Volume of the last hour', note: 'As a multiple of its average, at least.' },
  { name: 'minHoldMinutes', label: 'Stays at least', note: 'And does not come back sooner.', unit: 'min' },
  { name: 'rankTopPercent', label: 'Kept of the strongest', note: 'By their gain of a day.', unit: '%' },
  { name: 'rankExcludeTopPercent', label: 'Without the very first', note: 'They are often exhausted.', unit: '%' },
  { name: 'breadthMinPercent', label: 'Coins of the market that rise', note: 'At least; 0 does not ask.', unit: '%' },
  { name: 'highDistancePercent', label: 'Below the high of the day', note: 'At least; 0 does not ask.', unit: '%' },
  { name: 'knifeCandles', label: 'A fall within so many hours', note: 'Keeps a coin out; 0 does not ask.' },
  { name: 'knifeDropPercent', label: 'Of so much', note: 'Keeps a coin out; 0 does not ask.', unit: '%' },
  { name: 'adxPeriod', label: 'Hours of the trend', note: 'Over which ADX is taken.' },
  { name: 'emaPeriod', label: 'Hours of the average price', note: 'The price must lie above it.' },
  { name: 'volumePeriod', label: 'Hours of the average volume', note: '' },
  {
    name: 'correlationMost',
    label: 'Moves like another coin',
    note: 'Correlation at most, from 0 to 1; 0 does not ask.',
  },
  { name: 'correlationCandles', label: 'Hours compared for that', note: '' },
];

const STAGES: Readonly<Record<string, string>> = {
  quoted: 'paid for in the right asset',
  trading: 'can be traded',
  'not-money': 'no money under another name',
  'not-blacklisted': 'not on your list of exceptions',
  'pair-volume': 'enough volume of the pair',
  'asset-volume': 'enough volume of the coin',
  spread: 'narrow spread',
  change: 'rose enough',
  rank: 'among the strongest',
  read: 'candles could be read',
  age: 'listed long enough',
  trend: 'in a trend',
  'entry-guard': 'not too high, not falling',
  proposed: 'proposed',
};
export const stageWords = (stage: string): string => STAGES[stage] ?? stage;

const RATINGS: Readonly<Record<string, string>> = {
  'strong-sell': 'strong sell',
  sell: 'sell',
  neutral: 'neutral',
  buy: 'buy',
  'strong-buy': 'strong buy',
};
export const ratingWords = (label: string): string => RATINGS[label] ?? label;
