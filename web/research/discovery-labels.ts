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
