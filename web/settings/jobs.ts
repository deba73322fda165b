const WORDS: Readonly<Record<string, string>> = {
  advise: 'Request advice on a backtest',
  'apply-avg-entry-price': 'Apply an average entry price',
  'check-strategy': 'Check a strategy file',
  'preview-strategy': 'Preview a strategy file',
  'compare-live': 'Compare live trading with what was tested',
  'detect-orphans': 'Check for orphan orders',
  'reconcile-positions': 'Compare positions with the wallet',
  'refresh-rules': 'Read the trading rules of the exchange',
  'verify-api-key': 'Check an API key',
  'identity-check': 'Compare the ledger with the wallet',
  backup: 'Write a backup',
  digest: 'Send the daily digest',
  discover: 'Search for coins to propose',
  prune: 'Remove old records',
};

/** Label of a job; an unknown job keeps its name. */
export function jobLabel(name: string): string {
  const words = WORDS[name] ?? name.replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
