const WORDS: Readonly<Record<string, string>> = {
  advise: 'Ask the AI provider about a backtest',
  'apply-avg-entry-price': 'Apply an average entry price',
  'detect-orphans': 'Look for orders that no profile tracks',
  'reconcile-positions': 'Compare positions with the wallet',
  'refresh-rules': 'Read the trading rules of the exchange',
  'verify-api-key': 'Check an API key',
  backup: 'Make a backup',
  prune: 'Remove old records',
};

/** What a piece of background work does; one without words here is named as it is. */
export function jobWords(name: string): string {
  const words = WORDS[name] ?? name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
