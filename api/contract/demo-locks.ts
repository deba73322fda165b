export interface DemoLock {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly path: string;
  readonly reason: string;
}

const KEYS = 'API-key management';
const ACCOUNTS = 'account creation, rename and delete';
const SESSIONS = 'password and session changes';
const BACKUP = 'backup, backup-config and restore';
const AI = 'AI-provider management and testing';
const NOTIFIERS = 'notifier configuration and testing';
const OPS = 'ops-notify';

/** Not named by the specification: a failed job may be one that sends a message or reads the exchange's archive. */
export const RETRY = 'retrying failed jobs';

/** Not named by the specification: each tick would be a row of several kilobytes, for a day. */
export const CAPTURE = 'capturing every tick';

/** Not named by the specification: it would take the paper market away from every other visitor. */
export const PAPER_MARKET = 'changing the market of the paper exchange';

/** Not named by the specification: a check computes for half a minute, and a strategy is its operator's own work. */
export const STRATEGY_FILES = 'reading the source of strategy files, checking and previewing them';

/** Not named by the specification: it computes every minute for hours, and only one of them may run for a profile. */
export const DRY_RUNS = 'starting dry runs';

const lock = (method: DemoLock['method'], path: string, reason: string): DemoLock => ({ method, path, reason });

/** The only table of operations that a live demo refuses, each with the reason from the specification. */
export const DEMO_LOCKS: readonly DemoLock[] = [
  lock('GET', '/strategy-versions/:hash', STRATEGY_FILES),
  lock('POST', '/strategy-versions/:hash/check', STRATEGY_FILES),
  lock('POST', '/accounts/:id/strategy-previews', STRATEGY_FILES),
  lock('GET', '/accounts/:id/api-key', KEYS),
  lock('PUT', '/accounts/:id/api-key', KEYS),
  lock('DELETE', '/accounts/:id/api-key', KEYS),
  lock('POST', '/accounts/:id/api-key/verify', KEYS),
  lock('POST', '/accounts', ACCOUNTS),
  lock('PATCH', '/accounts/:id', ACCOUNTS),
  lock('DELETE', '/accounts/:id', ACCOUNTS),
  lock('POST', '/auth/change-password', SESSIONS),
  lock('GET', '/auth/sessions', SESSIONS),
  lock('DELETE', '/auth/sessions/:id', SESSIONS),
  lock('POST', '/auth/sessions/revoke-others', SESSIONS),
  lock('GET', '/backup', BACKUP),
  lock('POST', '/restore', BACKUP),
  lock('GET', '/backup/config', BACKUP),
  lock('PUT', '/backup/config', BACKUP),
  lock('GET', '/ai-provider', AI),
  lock('PATCH', '/ai-provider', AI),
  lock('POST', '/ai-provider/test', AI),
  lock('GET', '/profiles/:id/notifiers', NOTIFIERS),
  lock('GET', '/profiles/:id/notifiers/:provider', NOTIFIERS),
  lock('PUT', '/profiles/:id/notifiers/:provider', NOTIFIERS),
  lock('DELETE', '/profiles/:id/notifiers/:provider', NOTIFIERS),
  lock('POST', '/profiles/:id/notifiers/:provider/test', NOTIFIERS),
  lock('GET', '/accounts/:id/notifiers', NOTIFIERS),
  lock('PUT', '/accounts/:id/notifiers/:provider', NOTIFIERS),
  lock('DELETE', '/accounts/:id/notifiers/:provider', NOTIFIERS),
  lock('POST', '/accounts/:id/notifiers/:provider/test', NOTIFIERS),
  lock('POST', '/accounts/:id/browsers/key', NOTIFIERS),
  lock('POST', '/accounts/:id/browsers', NOTIFIERS),
  lock('PATCH', '/accounts/:id/browsers/:browserId', NOTIFIERS),
  lock('DELETE', '/accounts/:id/browsers/:browserId', NOTIFIERS),
  lock('POST', '/accounts/:id/browsers/:browserId/test', NOTIFIERS),
  lock('GET', '/accounts/:id/price-alerts', NOTIFIERS),
  lock('POST', '/accounts/:id/price-alerts', NOTIFIERS),
  lock('POST', '/accounts/:id/price-alerts/:alertId/rearm', NOTIFIERS),
  lock('DELETE', '/accounts/:id/price-alerts/:alertId', NOTIFIERS),
  lock('GET', '/ops-notify', OPS),
  lock('PATCH', '/ops-notify', OPS),
  lock('POST', '/ops-notify/test', OPS),
  lock('PATCH', '/retention', 'retention changes'),
  lock('POST', '/profiles/:id/diagnosis/runs', 'starting a diagnosis run'),
  lock('POST', '/profiles/:id/reconcile-fees', 'fee reconciliation'),
  lock('POST', '/profiles/:id/trade-archive/backfill', 'trade-archive backfill'),
  lock('POST', '/profiles/:id/backtests/:runId/advisor/manual', 'backtest-advisor writes'),
  lock('POST', '/profiles/:id/backtests/:runId/advisor/:variant', 'backtest-advisor writes'),
  lock('POST', '/dead-letters/:id/retry', RETRY),
  lock('PUT', '/profiles/:id/capture', CAPTURE),
  lock('POST', '/profiles/:id/dry-runs', DRY_RUNS),
  lock('PUT', '/paper-market', PAPER_MARKET),
];
