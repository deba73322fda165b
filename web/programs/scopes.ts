import type { TokenScope } from '#core/installation/token-scopes.ts';

interface ScopeText {
  readonly scope: TokenScope;
  /** Completes `may`, such as `read`. */
  readonly words: string;
  readonly note: string;
}

/** The rights of each scope; every scope also reads. */
export const SCOPES: readonly ScopeText[] = [
  {
    scope: 'read',
    words: 'Read',
    note: 'Prices, positions, orders, results and settings. No keys and no passwords. It may stop buying.',
  },
  { scope: 'research', words: 'Research', note: 'Runs backtests, sweeps, live comparisons and diagnoses.' },
  {
    scope: 'trade',
    words: 'Propose orders',
    note: 'Each order waits for your approval. Also cancels orders and pauses buying of a coin.',
  },
  {
    scope: 'manage',
    words: 'Manage',
    note: 'Changes profiles, coins, limits and orphan orders, and reads the audit log. Contains the others.',
  },
];

/** `Read, propose orders` for the scopes of a token; `manage` contains the others. */
export function scopesText(scopes: readonly TokenScope[]): string {
  const held = scopes.includes('manage') ? (['manage'] as const) : scopes;
  const words = SCOPES.filter(({ scope }) => scope === 'read' || held.includes(scope)).map((row) => row.words);
  return words.map((word, i) => (i === 0 ? word : word.toLowerCase())).join(', ');
}
