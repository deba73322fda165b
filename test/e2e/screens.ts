import type { Research } from './research-runs.ts';

/** Every screen of a signed-in operator, and what has to be there before it is looked at. */
export const SCREENS = [
  ['overview', '/', 'table tbody tr'],
  ['profiles', '/profiles', 'table tbody tr'],
  ['profile', '/profiles/:id', 'table tbody tr'],
  ['config', '/profiles/:id/config', 'form fieldset, form .field'],
  ['config-coin', '/profiles/:id/config?coin=BTCUSDT', 'form .field'],
  ['dry-runs', '/profiles/:id/dry-runs', '.head p'],
  ['limits', '/profiles/:id/risk', 'form .field'],
  ['logs', '/profiles/:id/logs', '.feed li'],
  ['history', '/profiles/:id/history', '.sec'],
  ['performance', '/performance', '.figs'],
  ['changes', '/changes', '.feed li'],
  ['coin', '/profiles/:id/coins/BTCUSDT', 'canvas'],
  ['coin-logs', '/profiles/:id/coins/BTCUSDT?tab=logs', '.feed li'],
  ['activity', '/activity', '.sec'],
  ['research', '/research', 'table tbody tr'],
  ['strategies', '/strategies', '.sec'],
  ['more', '/more', '.block li'],
  ['not-found', '/nowhere', 'h1'],
  ['orphans', '/orphans', '.sec'],
  ['backtests', '/profiles/:id/backtests', 'table tbody tr'],
  ['backtest', '/profiles/:id/backtests/:run', '.figs'],
  ['compare', '/profiles/:id/compare?runs=:run,:otherRun', 'table tbody tr'],
  ['compare-none', '/profiles/:id/compare', '.head .btn'],
  ['sweeps', '/profiles/:id/sweeps', 'table tbody tr'],
  ['sweep', '/profiles/:id/sweeps/:sweep', '.figs'],
  ['live-checks', '/profiles/:id/live-checks', '.dl, .sec p'],
  ['find-coins', '/profiles/:id/discovery', 'table tbody tr'],
  ['diagnosis', '/profiles/:id/diagnosis', '.block li'],
  ['diagnosis-coin', '/profiles/:id/diagnosis?coin=BTCUSDT', '.block li'],
  ['manage', '/profiles/:id/manage', '.sec form'],
  ['order', '/orders/:order', '.chain'],
  ['notifications', '/notifications', '.channel'],
  ['new-profile', '/profiles/new', '.steps'],
  ['dead-letters', '/dead-letters', 'table tbody tr'],
  ['settings', '/settings', '.block li'],
  ['approvals', '/approvals', '.sec p'],
  ['tokens', '/tokens', 'form .field'],
  ['signals', '/profiles/:id/signals', '.sec p'],
] as const;

/** Ids in the addresses of the screens. */
type Ids = Record<keyof Research | 'id' | 'order', string>;

/** The address of a screen with its ids. */
export const addressOf = (path: string, ids: Ids): string =>
  path.replaceAll(/:(\w+)/g, (whole, name: string) => new Map(Object.entries(ids)).get(name) ?? whole);
