/** Names of the changed subjects. */
const SUBJECTS: Readonly<Record<string, string>> = {
  account: 'an account',
  'ai-provider': 'the AI provider',
  'api-key': 'an API key',
  'average-entry-price': 'an average entry price',
  backtest: 'a backtest',
  backup: 'backups',
  diagnosis: 'a diagnosis',
  discovery: 'the search for coins',
  'live-comparison': 'a comparison of live trading with what was tested',
  'live-gate': 'the go-live thresholds',
  notifier: 'a notifier',
  operator: 'the operator',
  'ops-notify': 'system notifications',
  password: 'the password',
  profile: 'a profile',
  retention: 'the data retention',
  risk: 'the risk limits',
  session: 'a session',
  settings: 'the settings',
  'shadow-replay': 'a nightly replay',
  sweep: 'a sweep',
};

const VERBS: Readonly<Record<string, string>> = {
  abort: 'Stopped',
  change: 'Changed',
  clone: 'Duplicated',
  configure: 'Scheduled',
  create: 'Created',
  delete: 'Deleted',
  deleted: 'Deleted, by the worker,',
  download: 'Downloaded',
  end: 'Ended',
  import: 'Imported',
  launch: 'Started',
  rename: 'Renamed',
  restore: 'Restored',
  save: 'Saved',
  set: 'Set',
  start: 'Started',
  test: 'Tested',
};

/** Actions whose text does not follow from subject and verb. */
const PLAIN: Readonly<Record<string, string>> = {
  'account.confirm-reset': 'Confirmed the reset of an account',
  'advisor.ask': 'Requested advice',
  'advisor.reply': 'Pasted a reply for the advisor',
  'backtest.test-robustness': 'Ran robustness tests of a backtest',
  'backtest.pin': 'Changed the reference backtest',
  'coin.bind': 'Added a coin',
  'coin.change': 'Changed a coin',
  'coin.pause': 'Paused buying of a coin',
  'coin.resume': 'Resumed buying of a coin',
  'coin.unbind': 'Removed a coin',
  'kill-switch.engage': 'Stopped buying',
  'kill-switch.release': 'Allowed buying again',
  'orphan.adopt': 'Adopted an orphan order',
  'orphan.cancel': 'Cancelled an orphan order',
  'orphan.detect': 'Checked for orphan orders',
  'orphan.leave': 'Ignored an orphan order',
  'profile.restore-config': 'Restored earlier settings of a profile',
  'profile.switch-strategy': 'Changed the strategy of a profile',
  'session.create': 'Signed in',
  'session.delete': 'Signed out',
  'session.revoke-others': 'Ended all other sessions',
};

/** `backtest.launch` in words: `Started a backtest`. */
export function actionText(action: string): string {
  const known = PLAIN[action];
  if (known !== undefined) return known;
  const [subject = '', verb = ''] = action.split('.');
  const [done, what] = [VERBS[verb], SUBJECTS[subject]];
  if (done !== undefined && what !== undefined) return `${done} ${what}`;
  const words = action.replaceAll('.', ', ').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
