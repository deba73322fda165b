/** Numbers behind a decision: decimals as text, prices on the price grid of the coin, times as ISO text. */
export type Numbers = Readonly<Record<string, string | number | null>>;

/** Prices of a buy that rests in the book, in whole ticks. A buy without a form is a market order. */
export type EntryForm =
  | { readonly type: 'maker'; readonly limit: number }
  /** Buys when the price rises to `stop`, at most at `limit`. */
  | { readonly type: 'chase'; readonly stop: number; readonly limit: number };

/**
 * Decision of a strategy. `lots` counts steps of the lot size, `reason` is a reason code of the strategy. `answersSignal`:
 * its order is that of the signal in the view, and "nothing" ends the signal.
 */
export type Decision = { readonly answersSignal?: true } & (
  | { readonly kind: 'nothing'; readonly reason: string }
  | {
      readonly kind: 'buy';
      readonly reason: string;
      readonly level: number;
      readonly form?: EntryForm;
      readonly quote?: number;
    }
  | { readonly kind: 'sell'; readonly reason: string; readonly lots: 'all' | number }
  /** Cancels the resting buy. */
  | { readonly kind: 'cancel'; readonly reason: string }
);

/** Sentence template of a reason. A change of one of its `thresholds` opens a new log row. */
export interface ReasonText {
  readonly sentence: string;
  readonly thresholds: readonly string[];
}

/** The assets of a coin. */
interface Assets {
  readonly baseAsset: string;
  readonly quoteAsset: string;
}

/**
 * Replaces `{name}` in a template by a number, or by an en dash when it is absent. `{name:is|are}` is the first word when
 * the number is 1, otherwise the second. `{name quote}` and `{name base}` add the asset of the amount, where it is known.
 */
export const describe = (text: ReasonText, numbers: Numbers, assets?: Assets): string =>
  text.sentence.replace(/\{([^}]+)\}/g, (_place, content: string) => {
    const [name = '', words] = content.split(':');
    const [key = '', unit] = name.split(' ');
    const value = words === undefined ? numbers[key] : words.split('|')[numbers[key] === 1 ? 0 : 1];
    if (value === undefined || value === null) return '–';
    if (assets === undefined || unit === undefined) return String(value);
    return `${value} ${unit === 'base' ? assets.baseAsset : assets.quoteAsset}`;
  });

/** Reasons of the engine, not of the strategy, to refuse an order. */
export const APPROVAL_REASONS = {
  'halt-kill-switch': {
    sentence: 'Not buying: the kill switch ({scope}) has been on since {since}.',
    thresholds: ['scope'],
  },
  'halt-exchange-reset': {
    sentence: 'Not buying: the exchange was reset ({since}). Confirm that the account may continue.',
    thresholds: ['since'],
  },
  'halt-frozen': { sentence: 'Doing nothing: the kill switch ({scope}) also stops exits.', thresholds: ['scope'] },
  'halt-profile-disabled': { sentence: 'Not trading: the profile is disabled.', thresholds: [] },
  'stale-price': {
    sentence: 'Waiting: the last price is {ageMs} ms old. Entries need a price younger than {limitMs} ms.',
    thresholds: ['limitMs'],
  },
  'data-price-missing': { sentence: 'Waiting: no price of the coin has arrived yet.', thresholds: [] },
  'order-unknown': {
    sentence: 'Waiting: the outcome of order {order} is unknown, certain by {certainAt}.',
    thresholds: ['order'],
  },
  'order-in-flight': { sentence: 'Waiting: order {order} is in flight.', thresholds: ['order'] },
  'data-candles-missing': {
    sentence: 'Not buying: the {interval} candles of the coin are not loaded yet ({cause}).',
    thresholds: ['interval', 'cause'],
  },
  'data-rules-missing': { sentence: 'Not trading: the trading rules of the coin are not loaded.', thresholds: [] },
  'data-symbol-not-trading': {
    sentence: 'Not trading: the exchange lists the coin as {status}.',
    thresholds: ['status'],
  },
  'size-no-funds': {
    sentence: 'Not buying: {free quote} is available, the order needs {wanted quote}.',
    thresholds: ['wanted'],
  },
  'size-below-minimum': {
    sentence: 'Not buying: {budget quote} is below the smallest order, {minOrderQuote quote}.',
    thresholds: ['budget'],
  },
  'size-exit-infeasible': {
    sentence:
      'Not buying: {netQty base} sold at the stop limit {stopLimit} is worth {value quote}, below the {required quote} the exchange would accept.',
    thresholds: ['required'],
  },
  'cap-symbol-exposure': {
    sentence:
      'Not buying: {used quote} of at most {cap quote} is in this coin. The remaining {room quote} is too little for an order.',
    thresholds: ['cap'],
  },
  'cap-position-loss': {
    sentence:
      'Not buying: the loss at the stop is limited to {cap}. With {used} in this coin, the remaining {room} is too little for an order.',
    thresholds: ['cap'],
  },
  'cooldown-loss': { sentence: 'Not buying: paused until {until} after a loss of {netPnl}.', thresholds: ['until'] },
  'regime-bear': {
    sentence: 'Not buying: the daily trend is falling. The last {run} closes are below the average {ma}.',
    thresholds: [],
  },
  'regime-not-bull': {
    sentence: 'Not buying: the daily trend is not rising. The last close is {close}, the average {ma}.',
    thresholds: [],
  },
  'regime-unavailable': {
    sentence: 'Not buying: the daily trend is unknown, with {have} of {need} daily candles.',
    thresholds: ['need'],
  },
  'rating-too-low': {
    sentence: 'Not buying: the rating on {interval} candles is {label}. A buy needs {needs} or better.',
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
    sentence: 'Not buying: the {scope} has {used} losing {used:trade|trades} in a row. Paused until {until}.',
    thresholds: ['scope', 'until'],
  },
  'halt-daily-loss': {
    sentence: 'Not buying: the {scope} lost {used} today, the limit is {most}. Paused until {until}.',
    thresholds: ['scope', 'most', 'until'],
  },
  'halt-drawdown': {
    sentence: 'Not buying: the {scope} lost {used} within {hours} h, the limit is {most}. Paused until {until}.',
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
      'Not buying: {used} of at most {cap} is in coins of the account. The remaining {room} is too little for an order.',
    thresholds: ['cap'],
  },
  'cap-profile-exposure': {
    sentence:
      'Not buying: {used} of at most {cap} is in coins of the profile. The remaining {room} is too little for an order.',
    thresholds: ['cap'],
  },
  'cap-entry-rate': {
    sentence:
      'Not buying: the {scope} has sent {used} of at most {most} buys within a minute. The next buy is possible at {until}.',
    thresholds: ['scope', 'most'],
  },
  'cap-other-asset': {
    sentence: 'Not buying: the limits of the {scope} count {asset}, and this coin is bought with another asset.',
    thresholds: ['scope', 'asset'],
  },
  'action-first': { sentence: 'Waiting: your manual action comes first.', thresholds: [] },
  'size-more-than-held': {
    sentence: 'Not selling: you requested {wanted base}, but only {most base} can be sold.',
    thresholds: ['wanted'],
  },
  'size-leaves-dust': {
    sentence: 'Not selling: the remaining {left base} would be too small to sell later. Sell {most base}, or less.',
    thresholds: [],
  },
  'exit-unsellable': {
    sentence: 'Not selling: {lots base} is worth {value quote}, below the minimum order value {minNotional quote}.',
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
    sentence: 'Waiting: the stop on the exchange is selling. After {seconds} s the rest is sold at the market.',
    thresholds: [],
  },
  'order-target-selling': {
    sentence: 'Waiting: the target on the exchange is selling. After {seconds} s the rest is sold at the market.',
    thresholds: [],
  },
  'order-refused-repeatedly': {
    sentence: 'Waiting: the exchange refused this {times} times ("{message}"); next attempt {until}.',
    thresholds: ['message', 'times'],
  },
  'data-key-unhealthy': { sentence: 'Not trading: the API key of the account is {status}.', thresholds: ['status'] },
  'lease-lost': { sentence: 'Not sent: another worker has taken over this account.', thresholds: [] },
  'token-ended': { sentence: 'Not sent: the token of the proposal was revoked or has expired.', thresholds: [] },
  'token-no-budget': { sentence: 'Not sent: the token has no budget in {asset}.', thresholds: ['asset'] },
  'token-order-budget': {
    sentence: 'Not sent: it may cost {wanted}, and the token may spend {most} on one order.',
    thresholds: ['most'],
  },
  'token-day-budget': {
    sentence: 'Not sent: it may cost {wanted}, and {used} of the {most} that the token may spend in a day are used.',
    thresholds: ['most'],
  },
  'token-open-proposals': {
    sentence: 'The token has {most} open proposals, and may not have more. Cancel one, or wait until one is decided.',
    thresholds: ['most'],
  },
  'moved-since-preview': {
    sentence:
      'Not sent: the price moved by more than {most} % since the preview, from {previewed quote} to {price quote}. Propose and approve the order again.',
    thresholds: ['previewed'],
  },
  'proposal-differs': { sentence: 'Not sent: the order is not what the operator approved.', thresholds: [] },
  'signal-expired': { sentence: 'Not sent: the signal is too old by now.', thresholds: [] },
  'signal-used': {
    sentence: 'Not sent: the signal already has its order, or a newer signal has replaced it.',
    thresholds: [],
  },
  'state-moved': { sentence: 'Not sent: the stored state has changed. Deciding again.', thresholds: [] },
} as const satisfies Record<string, ReasonText>;
export type ApprovalReason = keyof typeof APPROVAL_REASONS;
