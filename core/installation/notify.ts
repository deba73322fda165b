import { z } from 'zod';

export const NOTIFIER_NAMES = ['slack', 'telegram', 'discord', 'ntfy', 'webhook'] as const;
export type NotifierName = (typeof NOTIFIER_NAMES)[number];

/** A notifier of an account is one of these, or a browser. */
export type ChannelName = NotifierName | 'push';

/** Events of a profile. `usual`: a new notifier sends the event by default. */
export const PROFILE_EVENTS = {
  'order-filled': { words: 'An order was filled', usual: false },
  'order-failed': { words: 'The exchange refused an order, or its outcome is unknown', usual: true },
  'stop-missing': { words: 'A position has no stop on the exchange', usual: true },
  'coin-stopped': { words: 'A coin cannot be traded', usual: true },
  'limit-reached': { words: 'A risk limit stops buying', usual: true },
  'backtest-complete': { words: 'A backtest or a dry run is finished', usual: true },
  drift: { words: 'Live results are worse than tested', usual: true },
  digest: { words: 'Daily summary of trades and results', usual: true },
} as const;
export type ProfileEvent = keyof typeof PROFILE_EVENTS;

/** Events of an account or of the whole installation: switches of ops-notify, all on by default. */
const ACCOUNT_EVENTS = {
  'job-failed': 'A job failed after its last attempt',
  'exchange-reset': 'The exchange was reset and lost the orders of an account',
  'orphan-order': 'An open order belongs to no profile',
  'key-error': 'The exchange refuses an API key',
  'account-fault': 'An account stops repeatedly on faults, and when it runs again',
  'backup-failed': 'A scheduled backup was not written',
  'disk-low': 'A disk is nearly full',
} as const;
export type AccountEvent = keyof typeof ACCOUNT_EVENTS;

export const isProfileEvent = (name: string): name is ProfileEvent => Object.hasOwn(PROFILE_EVENTS, name);
const EVENT_NAMES = Object.keys(PROFILE_EVENTS).filter(isProfileEvent);
const profileEvent = z
  .string()
  .max(60)
  .refine((name): name is ProfileEvent => isProfileEvent(name), {
    error: `must be one of ${EVENT_NAMES.join(', ')}`,
  });
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is not a time of day such as 22:30');

/** Events and quiet hours of a notifier; times are in the operator's time zone. */
export const notifierRules = z.strictObject({
  events: z
    .array(profileEvent)
    .max(100)
    .default(EVENT_NAMES.filter((name) => PROFILE_EVENTS[name].usual)),
  /** Messages in these hours are sent when the hours end. */
  quietHours: z.strictObject({ from: clock, to: clock }).nullable().default(null),
});
export type NotifierRules = z.output<typeof notifierRules>;

/** Events that a notifier of an account can receive. A new one receives all that are usual. */
export const CHANNEL_EVENTS = {
  ...PROFILE_EVENTS,
  'order-filled': { ...PROFILE_EVENTS['order-filled'], usual: true },
  'price-alert': { words: 'A price alert was triggered', usual: true },
} as const;
type ChannelEvent = keyof typeof CHANNEL_EVENTS;
export const isChannelEvent = (name: string): name is ChannelEvent => Object.hasOwn(CHANNEL_EVENTS, name);
export const CHANNEL_EVENT_NAMES = Object.keys(CHANNEL_EVENTS).filter(isChannelEvent);

/** Events and quiet hours of a notifier of an account; times are in the operator's time zone. */
export const channelRules = notifierRules.extend({
  events: z
    .array(
      z
        .string()
        .max(60)
        .refine((name): name is ChannelEvent => isChannelEvent(name), {
          error: `must be one of ${CHANNEL_EVENT_NAMES.join(', ')}`,
        }),
    )
    .max(100)
    .default(CHANNEL_EVENT_NAMES.filter((name) => CHANNEL_EVENTS[name].usual)),
});
export type ChannelRules = z.output<typeof channelRules>;

/** A message to send. Each provider formats it. */
export interface Notification {
  readonly event: ChannelEvent | AccountEvent | 'test';
  readonly title: string;
  readonly text: string;
  readonly at: string;
}

/** Minutes since midnight in a time zone. */
function minuteOf(at: Date, timezone: string): number {
  const text = new Intl.DateTimeFormat('en-GB', { timeZone: timezone, hour: '2-digit', minute: '2-digit' }).format(at);
  return minutes(text);
}

const DAY = 24 * 60;
const minutes = (clockText: string): number => Number(clockText.slice(0, 2)) * 60 + Number(clockText.slice(3, 5));

/** Urgent events: a position is unprotected or trading stops. Quiet hours do not delay them. */
const URGENT: ReadonlySet<string> = new Set<ProfileEvent | AccountEvent>([
  'stop-missing',
  'key-error',
  'account-fault',
]);
export const isUrgent = ({ event }: Pick<Notification, 'event'>): boolean => URGENT.has(event);

/** Send time of a message of `at`: `at`, or the end of the quiet hours that contain it. */
export function quietUntil(at: Date, { quietHours }: Pick<NotifierRules, 'quietHours'>, timezone: string): Date {
  if (quietHours === null) return at;
  const [from, to, now] = [minutes(quietHours.from), minutes(quietHours.to), minuteOf(at, timezone)];
  const quiet = from <= to ? now >= from && now < to : now >= from || now < to;
  return quiet ? new Date(at.getTime() + ((to - now + DAY) % DAY) * 60_000) : at;
}
