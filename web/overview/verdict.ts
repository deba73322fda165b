import { type Blocker, knownBlockers } from '#web/data/blockers.ts';
import type { Connection } from '#web/data/freshness.ts';
import type { Dashboard } from '#web/data/answers.ts';
import type { AccountGroup } from '#web/ui/accounts.ts';

/** The most important problem, or that the service is trading. */
export type Verdict =
  | { readonly kind: 'lost'; readonly sinceMs: number | null }
  | { readonly kind: 'no-profile' }
  | { readonly kind: 'service-silent' }
  | { readonly kind: 'blocked'; readonly blocker: Blocker }
  | { readonly kind: 'unconfirmed'; readonly count: number }
  | { readonly kind: 'all-off' }
  | { readonly kind: 'no-coin' }
  | { readonly kind: 'trading' };

export interface Evidence {
  readonly dashboard: Dashboard;
  readonly group: AccountGroup | undefined;
  /** The last request to the service failed. */
  readonly failed: boolean;
  readonly connection: Pick<Connection, 'stream' | 'frameAtMs' | 'priceAgeMs'>;
}

/** Blockers that make the headline when they stop every coin, because the equity itself may be wrong or nothing is traded. */
const HEADLINES: readonly Blocker['kind'][] = [
  ...([
    'worker-down',
    'account-down',
    'api-key',
    'buying-stopped',
    'exchange-reset',
    'limit',
    'price',
    'wallet',
  ] as const),
];

/** Each verdict is reached only when every check before it passed; the service orders the blockers. */
export function verdictOf({ dashboard, failed, connection }: Evidence): Verdict {
  const { profiles, blockers } = dashboard;
  if (connection.stream === 'lost') return { kind: 'lost', sinceMs: connection.frameAtMs };
  if (failed) return { kind: 'service-silent' };
  if (profiles.length === 0) return { kind: 'no-profile' };
  const list = knownBlockers(blockers, connection.priceAgeMs);
  const isHeadline = ({ kind, scope, everything }: Blocker): boolean =>
    kind === 'order-unconfirmed' || (HEADLINES.includes(kind) && (everything || scope === 'all'));
  const blocker = list.find(isHeadline);
  if (blocker?.kind === 'order-unconfirmed')
    return { kind: 'unconfirmed', count: list.filter(({ kind }) => kind === 'order-unconfirmed').length };
  if (blocker !== undefined) return { kind: 'blocked', blocker };
  if (profiles.every(({ enabled }) => !enabled)) return { kind: 'all-off' };
  return blockers.coins === 0 ? { kind: 'no-coin' } : { kind: 'trading' };
}
