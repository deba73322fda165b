import { isObject } from '#core/merge.ts';

/** Names of the changed subjects. */
const SUBJECTS: Readonly<Record<string, string>> = {
  account: 'an account',
  'ai-provider': 'the AI provider',
  'api-key': 'an API key',
  'average-entry-price': 'an average entry price',
  backtest: 'a backtest',
  backup: 'backups',
  browser: 'notifications in a browser',
  diagnosis: 'a diagnosis',
  discovery: 'the search for coins',
  'dry-run': 'a dry run',
  'live-comparison': 'a comparison of live trading with what was tested',
  'live-gate': 'the go-live thresholds',
  notifier: 'a notifier',
  operator: 'the operator',
  'ops-notify': 'system notifications',
  password: 'the password',
  'price-alert': 'a price alert',
  profile: 'a profile',
  'push-key': 'the keys of browser notifications',
  retention: 'the data retention',
  risk: 'the risk limits',
  session: 'a session',
  settings: 'the settings',
  'shadow-replay': 'a nightly replay',
  strategy: 'a strategy file',
  sweep: 'a sweep',
};

const VERBS: Readonly<Record<string, string>> = {
  abort: 'Stopped',
  change: 'Changed',
  check: 'Checked',
  clone: 'Duplicated',
  configure: 'Scheduled',
  create: 'Created',
  delete: 'Deleted',
  deleted: 'Deleted, by the worker,',
  download: 'Downloaded',
  drop: 'Dropped',
  end: 'Ended',
  import: 'Imported',
  launch: 'Started',
  promote: 'Promoted',
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
  'price-alert.rearm': 'Switched a price alert on again',
  'capture.arm': 'Started the capture of every tick',
  'capture.disarm': 'Stopped the capture of every tick',
  'coin.bind': 'Added a coin',
  'profile.enable': 'Started a profile',
  'profile.disable': 'Paused a profile',
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
  'proposal.create': 'Proposed an order',
  'chat.delete': 'Removed the Telegram chat',
  'chat.save': 'Set up the Telegram chat',
  'proposal.approve': 'Approved a proposed order',
  'proposal.deny': 'Denied a proposed order',
  'proposal.cancel': 'Withdrew a proposed order',
  'session.create': 'Signed in',
  'session.delete': 'Signed out',
  'session.revoke-others': 'Ended all other sessions',
  'token.create': 'Created an API token',
  'token.revoke': 'Revoked an API token',
  'token.revoke-all': 'Revoked all API tokens',
};

/** `backtest.launch` in words: `Started a backtest`. */
function actionText(action: string): string {
  const known = PLAIN[action];
  if (known !== undefined) return known;
  const [subject = '', verb = ''] = action.split('.');
  const [done, what] = [VERBS[verb], SUBJECTS[subject]];
  if (done !== undefined && what !== undefined) return `${done} ${what}`;
  const words = action.replaceAll('.', ', ').replaceAll('-', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** First part of the subject of some actions; the action says it already. */
const SCOPES: readonly string[] = [
  'all',
  'account',
  'profile',
  'operator',
  'backup',
  'retention',
  'ai-provider',
  'ops-notify',
];

interface Change {
  readonly action: string;
  /** An id, a word, or several of them with colons between: `profile id:BTCUSDT`. */
  readonly subject: string;
  readonly before: unknown;
  readonly after: unknown;
}

/** A change in words and the names of its subject: `Paused buying of BTCUSDT`, `Dip ladder`. No id is shown. */
export function changeText(change: Change, names: ReadonlyMap<string, string>): { what: string; of: string } {
  const parts = change.subject.split(':').filter((part) => part !== '' && !SCOPES.includes(part));
  const [ids, words] = [parts.filter((part) => UUID.test(part)), parts.filter((part) => !UUID.test(part))];
  const text = actionText(change.action);
  const [coin] = words;
  const isNamed = coin !== undefined && text.endsWith(' a coin');
  const own = nameIn(change.after) ?? nameIn(change.before);
  const known = ids.flatMap((id) => names.get(id) ?? own ?? []);
  return {
    what: isNamed ? text.replace(/a coin$/, coin) : text,
    of: [...known, ...(isNamed ? [] : words)].join(', '),
  };
}

const nameIn = (value: unknown): string | undefined =>
  isObject(value) && typeof value['name'] === 'string' ? value['name'] : undefined;
