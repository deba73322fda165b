/** The main pages; `key` follows g. */
const PLACES = [
  { to: '/', words: 'Overview', key: 'o' },
  { to: '/profiles', words: 'Profiles', key: 'p' },
  { to: '/performance', words: 'Performance', key: 'f' },
  { to: '/research', words: 'Research', key: 'r' },
  { to: '/activity', words: 'Activity', key: 'a' },
  { to: '/settings', words: 'Settings', key: 's' },
] as const;

/** The pages of one profile. */
const PROFILE_PAGES = [
  { to: '/profiles/$id', words: 'Coins' },
  { to: '/profiles/$id/config', words: 'Settings' },
  { to: '/profiles/$id/backtests', words: 'Research' },
  { to: '/profiles/$id/signals', words: 'Signals' },
  { to: '/profiles/$id/risk', words: 'Limits' },
  { to: '/profiles/$id/logs', words: 'Logs' },
  { to: '/profiles/$id/diagnosis', words: 'Diagnosis' },
  { to: '/profiles/$id/history', words: 'Trades' },
  { to: '/profiles/$id/manage', words: 'Manage' },
] as const;

/** The research pages of one profile. */
export const RESEARCH_PAGES = [
  { to: '/profiles/$id/backtests', words: 'Backtests' },
  { to: '/profiles/$id/sweeps', words: 'Sweeps' },
  { to: '/profiles/$id/live-checks', words: 'Live vs. tested' },
  { to: '/profiles/$id/discovery', words: 'Find coins' },
] as const;

interface Shown {
  readonly demo: boolean;
  readonly takesSignals: boolean;
}

/** A live demo starts no diagnosis and takes no signals. */
export const profilePagesOf = ({ demo, takesSignals }: Shown): readonly (typeof PROFILE_PAGES)[number][] =>
  PROFILE_PAGES.filter(
    ({ words }) => !(demo && words === 'Diagnosis') && (words !== 'Signals' || (takesSignals && !demo)),
  );

/** A live demo locks most settings, so it hides the page. */
export const placesOf = (demo: boolean): readonly (typeof PLACES)[number][] =>
  demo ? PLACES.filter(({ to }) => to !== '/settings') : PLACES;

/** The pages that a phone lists under More. */
const IN_MORE: readonly string[] = ['/activity', '/settings'];
/** The tabs of a phone: the first main pages, and one for the others. */
export const tabsOf = (demo: boolean): readonly { to: string; words: string }[] => [
  ...placesOf(demo).filter(({ to }) => !IN_MORE.includes(to)),
  { to: '/more', words: 'More' },
];
export const morePlacesOf = (demo: boolean): readonly (typeof PLACES)[number][] =>
  placesOf(demo).filter(({ to }) => IN_MORE.includes(to));

export const KEYS = [
  ['Ctrl K', 'go to a page, a profile, a coin or an action'],
  ['g then o, p, f, r, a, s', 'overview, profiles, performance, research, activity, settings'],
  ['j, k', 'next and previous row'],
  ['Enter', 'open the selected row'],
  ['Shift Esc', 'stop buying, with a confirmation'],
  ['Esc', 'close the dialog'],
  ['?', 'these keys'],
] as const;
