/** Labels of numbers whose names are too short. */
const NAMES: Readonly<Record<string, string>> = {
  arm: 'Trailing stop starts at',
  avg: 'Average price',
  away: 'Distance',
  high: 'Highest price since buy',
  limit: 'Buy or sell limit',
  lots: 'Position',
  stopAway: 'Stop loss',
  trigger: 'Buy within',
  window: 'Candles',
  windowLow: 'Low of the candles',
};

/** `trailingStopPercentage` as `Trailing stop percentage`. */
export function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return NAMES[name] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
