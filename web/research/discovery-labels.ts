import type { DiscoveryConfig } from '#core/research/discovery.ts';

type NumberSetting = Exclude<keyof DiscoveryConfig, 'enabled' | 'quoteAsset' | 'blacklist'>;
interface DiscoveryField {
  readonly name: NumberSetting;
  readonly label: string;
  readonly note: string;
  readonly unit?: string;
}

/** The numeric criteria of a search, in the order of their use. */
export const DISCOVERY_FIELDS: readonly DiscoveryField[] = [
  { name: 'maxCoins', label: 'Maximum coins', note: 'Including the coins of the profile.' },
  { name: 'refreshMinutes', label: 'Search every', note: 'How often the market is searched.', unit: 'min' },
  { name: 'minPairVolume', label: 'Volume of the pair', note: 'Traded in a day, at least.' },
  { name: 'minAssetVolume', label: 'Volume of the coin', note: 'Over all its pairs, at least.' },
  { name: 'maxSpreadPercent', label: 'Spread', note: 'Between best bid and ask, at most.', unit: '%' },
  { name: 'changeMinPercent', label: '24 h change', note: 'At least.', unit: '%' },
  { name: 'minAgeDays', label: 'Listed for', note: 'At least.', unit: 'days' },
  { name: 'adxMin', label: 'Trend strength (ADX)', note: 'From 0 to 100, at least.' },
  { name: 'volumeMultiple', label: 'Volume of the last hour', note: 'As a multiple of its average, at least.' },
  { name: 'minHoldMinutes', label: 'Minimum stay', note: 'Also the minimum pause before a coin returns.', unit: 'min' },
  { name: 'rankTopPercent', label: 'Strongest coins kept', note: 'By 24 h change.', unit: '%' },
  { name: 'rankExcludeTopPercent', label: 'Top coins skipped', note: 'They are often exhausted.', unit: '%' },
  { name: 'breadthMinPercent', label: 'Market breadth', note: 'Share of rising coins, at least; 0: off.', unit: '%' },
  { name: 'highDistancePercent', label: 'Distance to the 24 h high', note: 'At least; 0: off.', unit: '%' },
  { name: 'knifeCandles', label: 'Recent fall, hours', note: 'Excludes a coin; 0: off.' },
  { name: 'knifeDropPercent', label: 'Recent fall', note: 'Excludes a coin; 0: off.', unit: '%' },
  { name: 'adxPeriod', label: 'ADX period, hours', note: '' },
  { name: 'emaPeriod', label: 'EMA period, hours', note: 'The price must be above the average.' },
  { name: 'volumePeriod', label: 'Volume average, hours', note: '' },
  {
    name: 'correlationMost',
    label: 'Correlation',
    note: 'With another coin, at most, from 0 to 1; 0: off.',
  },
  { name: 'correlationCandles', label: 'Correlation period, hours', note: '' },
];

const STAGES: Readonly<Record<string, string>> = {
  quoted: 'right quote asset',
  trading: 'can be traded',
  'not-money': 'no stablecoin or fiat money',
  'not-blacklisted': 'not excluded',
  'pair-volume': 'enough volume of the pair',
  'asset-volume': 'enough volume of the coin',
  spread: 'narrow spread',
  change: 'rose enough',
  rank: 'among the strongest',
  read: 'candles loaded',
  age: 'listed long enough',
  trend: 'in a trend',
  'entry-guard': 'not too high, not falling',
  proposed: 'proposed',
};
export const stageLabel = (stage: string): string => STAGES[stage] ?? stage;

const RATINGS: Readonly<Record<string, string>> = {
  'strong-sell': 'strong sell',
  sell: 'sell',
  neutral: 'neutral',
  buy: 'buy',
  'strong-buy': 'strong buy',
};
export const ratingLabel = (label: string): string => RATINGS[label] ?? label;
