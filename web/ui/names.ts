/** Labels of numbers whose names are too short. */
const NAMES: Readonly<Record<string, string>> = {
  arm: 'Trailing stop starts at',
  avg: 'Average price',
  away: 'Distance',
  high: 'Highest price since buy',
  limit: 'Buy or sell limit',
  lots: 'Position',
  stopAway: 'Stop loss',
  url: 'URL',
  webhookUrl: 'Webhook URL',
  trigger: 'Buys at',
  window: 'Candles',
  windowLow: 'Low of the candles',
};

/** `trailingStopPercentage` as `Trailing stop percentage`. */
export function wordsOf(name: string): string {
  const spaced = name.replace(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return NAMES[name] ?? spaced.charAt(0).toUpperCase() + spaced.slice(1);
}

/** The value of a number of a decision: a trigger of `100.50 %` is `low + 0.5 %`, any other value stays as it is. */
export function valueText(name: string, value: string): string {
  const percent = name === 'trigger' ? /^([\d.]+) %$/.exec(value)?.[1] : undefined;
  if (percent === undefined) return value;
  const distance = Number((Number(percent) - 100).toFixed(4));
  return distance === 0 ? 'low' : `low ${distance < 0 ? '-' : '+'} ${Math.abs(distance)} %`;
}
