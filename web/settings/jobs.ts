const WORDS: Readonly<Record<string, string>> = {
  advise: 'Ask the AI provider about a backtest',
  'apply-avg-entry-price': 'Apply an average entry price',
  'detect-orphans': 'Look for orders that no profile tracks',
  'reconcile-positions': 'Compare positions with the wallet',
  'refresh-rules': 'Read the trading rules of the exchange',
  'verify-api-key': 'Check an API key',
  'identity-check': 'Compare the ledger with the wallet',
  'shadow-replay': 'Replay the last day beside what was traded',
  'snapshot-equity': 'Mark what was earned',
  'watch-drift': 'Compare live results with the backtest',
  backup: 'Make a backup',
  digest: 'Tell what was done in a day',
  discover: 'Look for coins to propose',
  prune: 'Remove old records',
};

/** What a piece of background work does; one without words here is named as it is. */
export function jobWords(name: string): string {
  const words = WORDS[name] ?? name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
