import type { listPriceAlerts } from '#api/contract/price-alerts.ts';
import type { listAccountNotifiers } from '#api/contract/account-notifiers.ts';
import type { Answer } from '#api/contract/operation.ts';

type Delivery = Answer<typeof listAccountNotifiers>['deliveries'][number];
type Alert = Answer<typeof listPriceAlerts>['alerts'][number];

const KEY = 'notifications-seen';

/** Keys of the messages, each once: a message goes to several channels, and a triggered alert is a message too. */
export function messagesOf(
  deliveries: readonly Pick<Delivery, 'event' | 'title' | 'at'>[],
  alerts: readonly Pick<Alert, 'id' | 'triggeredAt'>[],
): string[] {
  const sent = deliveries
    .filter(({ event }) => event !== 'price-alert')
    .map(({ event, title, at }) => `${event} ${title} ${at.slice(0, MINUTE)}`);
  const triggered = alerts.flatMap(({ id, triggeredAt }) => (triggeredAt === null ? [] : [`${id} ${triggeredAt}`]));
  return [...new Set([...sent, ...triggered])];
}

/** Characters of an instant up to its minute. */
const MINUTE = '2026-01-01T00:00'.length;

export const unreadOf = (messages: readonly string[], seen: readonly string[]): number =>
  messages.filter((key) => !seen.includes(key)).length;

const watchers = new Set<() => void>();
let seen: { readonly keys: readonly string[] | undefined } | undefined;

/** Calls back when messages were seen; returns a function that ends it. */
export function onSeen(watcher: () => void): () => void {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The messages that this browser has seen; undefined when it was never here. */
export function readSeen(): readonly string[] | undefined {
  seen ??= seenIn(storedText());
  return seen.keys;
}

/** Keeps messages, a JSON list of their keys, as seen. A browser without storage forgets them with the page. */
export function keepSeen(text: string): void {
  seen = seenIn(text);
  try {
    localStorage.setItem(KEY, text);
  } catch {
    // A private window may refuse storage.
  }
  for (const watcher of watchers) watcher();
}

function storedText(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function seenIn(text: string | null): NonNullable<typeof seen> {
  try {
    const kept: unknown = JSON.parse(text ?? 'null');
    return { keys: Array.isArray(kept) ? kept.filter((key) => typeof key === 'string') : undefined };
  } catch {
    return { keys: undefined };
  }
}
