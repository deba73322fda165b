/** Numbers a decision was based on: decimals as text, prices already on the coin's grid, times as ISO text. */
export type Numbers = Readonly<Record<string, string | number | null>>;

/** How a buy waits in the book, in whole ticks; without a form it takes the market. */
export type EntryForm =
  | { readonly type: 'maker'; readonly limit: number }
  /** Buys when the price turns up to `stop`, for no more than `limit`. */
  | { readonly type: 'chase'; readonly stop: number; readonly limit: number };

/** What a strategy answers. `lots` counts steps of the coin's lot size, `reason` is one of the strategy's codes. */
export type Decision =
  | { readonly kind: 'nothing'; readonly reason: string }
  | {
      readonly kind: 'buy';
      readonly reason: string;
      readonly level: number;
      readonly form?: EntryForm;
      readonly quote?: number;
    }
  | { readonly kind: 'sell'; readonly reason: string; readonly lots: 'all' | number }
  /** Takes the waiting buy back. */
  | { readonly kind: 'cancel'; readonly reason: string };

/** How the numbers of one reason become a sentence, and which of them are thresholds (a change opens a new log row). */
export interface ReasonText {
  readonly sentence: string;
  readonly thresholds: readonly string[];
}

/**
 * Fills `{name}` places of a template with numbers; a number that is absent shows as an en dash. `{name:is|are}` is the
 * first word where the number is 1, the second one otherwise.
 */
export const describe = (text: ReasonText, numbers: Numbers): string =>
  text.sentence.replace(/\{(\w+)(?::(\w+\|\w+))?\}/g, (_place, name: string, words?: string) =>
    String((words === undefined ? numbers[name] : words.split('|')[numbers[name] === 1 ? 0 : 1]) ?? '–'),
  );

/** Why the engine, not the strategy, did not open something. */
export const APPROVAL_REASONS = {
  'halt-kill-switch': {
    sentence: 'Not buying: the kill switch ({scope}) has been on since {since}.',
    thresholds: ['scope'],
  },
  'halt-exchange-reset': {
    sentence: 'Not buying: the exchange was found reset at {since}; confirm that the account may go on.',
    thresholds: ['since'],
  },
  'halt-frozen': { sentence: 'Doing nothing: the kill switch ({scope}) also stops exits.', thresholds: ['scope'] },
  'halt-profile-disabled': { sentence: 'Not trading: the profile is disabled.', thresholds: [] },
  'stale-price': {
    sentence: 'Waiting: the last price is {ageMs} ms old; entries need one younger than {limitMs} ms.',
    thresholds: ['limitMs'],
  },
  'order-unknown': {
    sentence: 'Waiting: the outcome of order {order} is not known yet; certain by {certainAt}.',
    thresholds: ['order'],
  },
  'order-in-flight': { sentence: 'Waiting: order {order} is on its way.', thresholds: ['order'] },
  'data-candles-missing': {
    sentence: 'Not buying: the {interval} candles of the coin are not read yet ({cause}).',
    thresholds: ['interval', 'cause'],
  },
  'data-rules-missing': { sentence: 'Not trading: the trading rules of the coin are not loaded.', thresholds: [] },
  'data-symbol-not-trading': {
    sentence: 'Not trading: the exchange lists the coin as {status}.',
    thresholds: ['status'],
  },
  'size-no-funds': { sentence: 'Not buying: {free} free, {wanted} wanted.', thresholds: ['wanted'] },
  'size-below-minimum': {
    sentence: 'Not buying: {budget} is below the smallest safe order {minOrderQuote}.',
    thresholds: ['budget'],
  },
  'size-exit-infeasible': {
    sentence:
      'Not buying: {netQty} sold at the stop limit {stopLimit} is worth {value}, below the {required} the exchange would accept.',
    thresholds: ['required'],
  },
  'cap-symbol-exposure': {
    sentence: 'Not buying: {used} of at most {cap} is in this coin; the {room} left is too little for an order.',
    thresholds: ['cap'],
  },
  'cap-position-loss': {
    sentence:
      'Not buying: at most {cap} may be lost at the stop; with {used} in this coin the {room} left is too little for an order.',
    thresholds: ['cap'],
  },
  'cooldown-loss': { sentence: 'Not buying: paused until {until} after a loss of {netPnl}.', thresholds: ['until'] },
  'regime-bear': {
    sentence: 'Not buying: the daily trend falls, {run} closes in a row are below the average {ma}.',
    thresholds: [],
  },
  'regime-not-bull': {
    sentence: 'Not buying: the daily trend does not rise; the last close {close}, the average {ma}.',
    thresholds: [],
  },
  'regime-unavailable': {
    sentence: 'Not buying: the daily trend is not known yet, with {have} of {need} daily candles.',
    thresholds: ['need'],
  },
  'rating-too-low': {
    sentence: 'Not buying: the rating on {interval} candles is {label}, {needs} or better is needed.',
    thresholds: ['interval', 'label', 'needs'],
  },
  'rating-stale': {
    sentence: 'Not buying: the rating on {interval} candles is {ageMinutes} minutes old.',
    thresholds: ['interval'],
  },
  'rating-missing': {
    sentence: 'Not buying: there are not enough {interval} candles for a rating yet.',
    thresholds: ['interval'],
  },
  'cooldown-loss-streak': {
    sentence: 'Not buying: the {scope} has lost {used} round trips in a row; paused until {until}.',
    thresholds: ['scope', 'until'],
  },
  'halt-daily-loss': {
    sentence: 'Not buying: the {scope} has lost {used} today, the limit is {most}; paused until {until}.',
    thresholds: ['scope', 'most', 'until'],
  },
  'halt-drawdown': {
    sentence: 'Not buying: the {scope} has lost {used} within {hours} h, the limit is {most}; paused until {until}.',
    thresholds: ['scope', 'most', 'until'],
  },
  'base-locked-by-orphan': {
    sentence:
      'Not buying: {orders} open {orders:order|orders} of {asset} {orders:belongs|belong} to no profile ({locked} {asset} locked). Adopt, cancel or leave {orders:it|them} under orphan orders.',
    thresholds: ['orders', 'locked'],
  },
  'data-order-unreadable': {
    sentence:
      'Not buying: the exchange lists an open order of the coin in a form that this version cannot read. {cause} Look at it on the exchange.',
    thresholds: [],
  },
  'halt-coin-paused': { sentence: 'Not buying: the coin is paused until {until}. {why}', thresholds: ['until'] },
  'cap-open-positions': {
    sentence: 'Not buying: the {scope} holds {used} of at most {most} positions.',
    thresholds: ['scope', 'most'],
  },
  'cap-account-exposure': {
    sentence:
      'Not buying: {used} of at most {cap} is in coins of the account; the {room} left is too little for an order.',
    thresholds: ['cap'],
  },
  'cap-profile-exposure': {
    sentence:
      'Not buying: {used} of at most {cap} is in coins of the profile; the {room} left is too little for an order.',
    thresholds: ['cap'],
  },
  'cap-entry-rate': {
    sentence:
      'Not buying: the {scope} has sent {used} of at most {most} buys within a minute; the next one at {until}.',
    thresholds: ['scope', 'most'],
  },
  'cap-other-asset': {
    sentence: 'Not buying: the limits of the {scope} count {asset}, and this coin is bought with another asset.',
    thresholds: ['scope', 'asset'],
  },
  'action-first': { sentence: 'Waiting: what you have asked for comes first.', thresholds: [] },
  'size-more-than-held': {
    sentence: 'Not selling: {wanted} is asked for, and {most} can be sold.',
    thresholds: ['wanted'],
  },
  'size-leaves-dust': {
    sentence: 'Not selling: the {left} that would be left is too little to be sold later. Sell {most}, or less.',
    thresholds: [],
  },
  'exit-unsellable': {
    sentence: 'Not selling: {lots} is worth {value}, below the minimum order value {minNotional}.',
    thresholds: ['minNotional'],
  },
  'exit-nothing-free': {
    sentence: 'Not selling: the wallet has {free} free of the {position} held.',
    thresholds: ['position'],
  },
  'exit-locked-by-orphan': {
    sentence:
      'Not selling: the wallet has {free} free of the {position} held. Order {order} belongs to no profile and locks {locked}: adopt or cancel it under orphan orders.',
    thresholds: ['position', 'order'],
  },
  'order-stop-triggered': {
    sentence:
      'Waiting: the stop on the exchange is selling; what it has not sold after {seconds} s is sold at the market.',
    thresholds: [],
  },
  'order-refused-repeatedly': {
    sentence: 'Waiting: the exchange refused this {times} times ("{message}"); next attempt {until}.',
    thresholds: ['message', 'times'],
  },
  'data-key-unhealthy': { sentence: 'Not trading: the API key of the account is {status}.', thresholds: ['status'] },
  'lease-lost': { sentence: 'Not sent: another worker has taken over this account.', thresholds: [] },
  'state-moved': { sentence: 'Not sent: the stored state had moved on; deciding again.', thresholds: [] },
} as const satisfies Record<string, ReasonText>;
export type ApprovalReason = keyof typeof APPROVAL_REASONS;
