/** What is changed, as it is called in a sentence. */
const SUBJECTS: Readonly<Record<string, string>> = {
  account: 'an account',
  'ai-provider': 'the AI provider',
  'api-key': 'an API key',
  'average-entry-price': 'an average entry price',
  backtest: 'a backtest',
  backup: 'backups',
  diagnosis: 'a diagnosis',
  discovery: 'the search for coins',
  'live-gate': 'the bars of the live gate',
  notifier: 'a notifier',
  operator: 'the operator',
  'ops-notify': 'messages about the installation',
  password: 'the password',
  profile: 'a profile',
  retention: 'how long records are kept',
  risk: 'the risk limits',
  session: 'a session',
  settings: 'the settings',
  'shadow-replay': 'a shadow replay',
  sweep: 'a sweep',
};

const VERBS: Readonly<Record<string, string>> = {
  abort: 'Stopped',
  change: 'Changed',
  clone: 'Copied',
  configure: 'Scheduled',
  create: 'Created',
  delete: 'Deleted',
  deleted: 'Deleted, by the worker,',
  download: 'Downloaded',
  end: 'Ended',
  import: 'Read in',
  launch: 'Started',
  pin: 'Pinned or released',
  rename: 'Renamed',
  restore: 'Restored',
  save: 'Saved',
  set: 'Set',
  start: 'Started',
  test: 'Tested',
};

/** Actions that their two parts alone do not tell. */
const PLAIN: Readonly<Record<string, string>> = {
  'account.confirm-reset': 'Confirmed that an account began anew',
  'advisor.ask': 'Asked the advisor',
  'advisor.reply': 'Gave the advisor a reply by hand',
  'backtest.test-robustness': 'Examined how much of a backtest is luck',
  'coin.bind': 'Added a coin',
  'coin.change': 'Changed a coin',
  'coin.unbind': 'Removed a coin',
  'orphan.leave': 'Left an orphan order alone',
  'profile.restore-config': 'Restored earlier settings of a profile',
  'profile.switch-strategy': 'Switched the strategy of a profile',
  'session.create': 'Signed in',
  'session.delete': 'Signed out',
  'session.revoke-others': 'Ended all other sessions',
};

/** `backtest.launch` in words: `Started a backtest`. */
export function actionWords(action: string): string {
  const known = PLAIN[action];
  if (known !== undefined) return known;
  const [subject = '', verb = ''] = action.split('.');
  const [done, what] = [VERBS[verb], SUBJECTS[subject]];
  if (done !== undefined && what !== undefined) return `${done} ${what}`;
  const words = action.replaceAll('.', ', ').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
