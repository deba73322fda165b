/** Numbers of a decision whose names are too short to be understood. */
const NAMES: Readonly<Record<string, string>> = {
  arm: 'Trailing exit starts at',
  avg: 'Average price',
  away: 'Distance',
  high: 'Highest price since',
  limit: 'Buys at or below',
  lots: 'Held',
  stopAway: 'Distance of the stop',
  trigger: 'Share of the low',
  window: 'Candles searched',
  windowLow: 'Lowest of them',
};

/** `trailingStopPercentage` in words: `Trailing stop percentage`. */
export function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return NAMES[name] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
