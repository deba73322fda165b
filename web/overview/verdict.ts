import { tagOf, type AccountGroup } from '#web/ui/accounts.ts';
import type { Dashboard, Status } from '#web/data/queries.ts';
import { PRICE_LIMIT_MS, type Connection } from '#web/data/freshness.ts';

/** The first problem found, or that the service is trading. */
export type Verdict =
  | { readonly kind: 'lost'; readonly sinceMs: number | null }
  | { readonly kind: 'no-profile' }
  | { readonly kind: 'service-silent' }
  | { readonly kind: 'worker-down' }
  | { readonly kind: 'stopped'; readonly since: string | null }
  | { readonly kind: 'key-refused'; readonly account: string; readonly cause: string }
  | { readonly kind: 'account-faults'; readonly account: string; readonly count: number; readonly cause: string }
  | { readonly kind: 'wallet-unknown'; readonly account: string }
  | { readonly kind: 'wallet-old'; readonly account: string; readonly ageMs: number }
  | { readonly kind: 'unanswered'; readonly count: number }
  | { readonly kind: 'all-off' }
  | { readonly kind: 'no-coin' }
  | { readonly kind: 'price-old'; readonly ageMs: number }
  | { readonly kind: 'trading'; readonly coins: number };

const WALLET_LIMIT_MS = 60_000;

export interface Evidence {
  readonly dashboard: Dashboard;
  readonly group: AccountGroup | undefined;
  readonly status: Status | undefined;
  readonly statusFailed: boolean;
  readonly connection: Pick<Connection, 'stream' | 'frameAtMs' | 'priceAgeMs'>;
  readonly nowMs: number;
}

/** Worst first: each verdict is reached only when every check before it passed. */
export function verdictOf(evidence: Evidence): Verdict {
  const { dashboard, status, statusFailed, connection } = evidence;
  if (connection.stream === 'lost') return { kind: 'lost', sinceMs: connection.frameAtMs };
  if (dashboard.profiles.length === 0) return { kind: 'no-profile' };
  if (statusFailed || status === undefined) return { kind: 'service-silent' };
  if (status.worker === null) return { kind: 'worker-down' };
  if (dashboard.killSwitch.engaged) return { kind: 'stopped', since: dashboard.killSwitch.since };
  const account = accountTrouble(evidence);
  if (account !== undefined) return account;
  const unanswered = dashboard.orders.filter((order) => order.state === 'unknown').length;
  if (unanswered > 0) return { kind: 'unanswered', count: unanswered };
  const { priceAgeMs } = connection;
  if (priceAgeMs !== null && priceAgeMs >= PRICE_LIMIT_MS) return { kind: 'price-old', ageMs: priceAgeMs };
  const running = dashboard.profiles.filter((profile) => profile.enabled);
  if (running.length === 0) return { kind: 'all-off' };
  const coins = running.reduce((sum, profile) => sum + profile.symbols.length, 0);
  if (coins === 0) return { kind: 'no-coin' };
  return { kind: 'trading', coins };
}

function accountTrouble({ dashboard, group, nowMs }: Evidence): Verdict | undefined {
  const used = new Set(dashboard.profiles.filter((profile) => profile.enabled).map((profile) => profile.accountId));
  const accounts = (group?.accounts ?? []).filter((account) => used.has(account.id));
  const refused = accounts.find((account) => account.apiKey?.status === 'error');
  if (refused !== undefined) {
    return { kind: 'key-refused', account: refused.name, cause: refused.apiKey?.cause ?? 'no reason given' };
  }
  const keyless = accounts.find((account) => account.apiKey === null && tagOf(account) !== 'PAPER');
  if (keyless !== undefined) return { kind: 'key-refused', account: keyless.name, cause: 'no API key' };
  for (const { name, run } of accounts)
    if (run !== null && run.faults !== null)
      return { kind: 'account-faults', account: name, count: run.faults.count, cause: run.faults.cause };
  for (const account of accounts) {
    if (account.walletAt === null || account.equity === null) return { kind: 'wallet-unknown', account: account.name };
    const ageMs = nowMs - Date.parse(account.walletAt);
    if (ageMs > WALLET_LIMIT_MS) return { kind: 'wallet-old', account: account.name, ageMs };
  }
  return undefined;
}
