import { z } from 'zod';

export const NOTIFIER_NAMES = ['slack', 'telegram', 'discord', 'ntfy', 'webhook'] as const;
export type NotifierName = (typeof NOTIFIER_NAMES)[number];

/** What a profile can tell, and whether a new notifier tells it. */
export const PROFILE_EVENTS = {
  'order-filled': { words: 'An order was executed', usual: false },
  'order-failed': { words: 'The exchange refused an order, or nobody knows what became of it', usual: true },
  'stop-missing': { words: 'A position has no stop on the exchange', usual: true },
  'coin-stopped': { words: 'A coin cannot be traded', usual: true },
  'limit-reached': { words: 'A limit of the operator stops buying', usual: true },
  'backtest-complete': { words: 'A backtest has ended', usual: true },
  drift: { words: 'Live results are worse than the pinned backtest', usual: true },
  digest: { words: 'What happened in the last day, once a day', usual: true },
} as const;
export type ProfileEvent = keyof typeof PROFILE_EVENTS;

/** What concerns an account or the whole installation: switches of ops-notify, all on at first. */
const ACCOUNT_EVENTS = {
  'job-failed': 'A job has failed for good',
  'exchange-reset': 'The exchange has begun anew without the orders of an account',
  'orphan-order': 'An order is open that no profile tracks',
  'key-error': 'The exchange refuses an API key',
  'account-fault': 'An account stops on faults again and again, and when it runs again',
  'backup-failed': 'A scheduled backup was not written',
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
const clock = z.string().regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'is no time of day such as 22:30');

/** When and about what a notifier speaks; times are the operator's. */
export const notifierRules = z.strictObject({
  events: z
    .array(profileEvent)
    .max(100)
    .default(EVENT_NAMES.filter((name) => PROFILE_EVENTS[name].usual)),
  /** Messages of these hours wait until they are over. */
  quietHours: z.strictObject({ from: clock, to: clock }).nullable().default(null),
});
export type NotifierRules = z.output<typeof notifierRules>;

/** A message on its way out; every provider writes it in its own form. */
export interface Notification {
  readonly event: ProfileEvent | AccountEvent | 'test';
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

/** What the operator has to know now: money is unguarded or nothing trades. Quiet hours do not hold it back. */
const URGENT: ReadonlySet<string> = new Set<ProfileEvent | AccountEvent>([
  'stop-missing',
  'key-error',
  'account-fault',
]);
export const isUrgent = ({ event }: Pick<Notification, 'event'>): boolean => URGENT.has(event);

/** When a message of `at` may leave: `at` itself, or the end of the quiet hours it falls into. */
export function quietUntil(at: Date, { quietHours }: Pick<NotifierRules, 'quietHours'>, timezone: string): Date {
  if (quietHours === null) return at;
  const [from, to, now] = [minutes(quietHours.from), minutes(quietHours.to), minuteOf(at, timezone)];
  const quiet = from <= to ? now >= from && now < to : now >= from || now < to;
  return quiet ? new Date(at.getTime() + ((to - now + DAY) % DAY) * 60_000) : at;
}
