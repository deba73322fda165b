import type { AccountNotifiers } from './account-notifiers.ts';

type Delivery = AccountNotifiers['deliveries'][number];

/** One message, and the channels that it was sent to. */
interface Message {
  /** Of its last delivery. */
  readonly at: string;
  readonly title: string;
  readonly channels: number;
  /** `Webhook: HTTP 503`, one for each channel that did not accept it. */
  readonly errors: readonly string[];
}

/** Deliveries of one event with one title within this time are one message. */
const APART_MS = 60_000;

/** The messages of deliveries, both newest first. */
export function messagesOf(deliveries: readonly Delivery[]): Message[] {
  const groups: (Delivery[] & { 0: Delivery })[] = [];
  for (const delivery of deliveries) {
    const { event, title, at, channel } = delivery;
    const same = groups.find(
      (group) =>
        group[0].event === event &&
        group[0].title === title &&
        Date.parse(group[0].at) - Date.parse(at) <= APART_MS &&
        group.every((one) => one.channel !== channel),
    );
    if (same === undefined) groups.push([delivery]);
    else same.push(delivery);
  }
  return groups.map((group) => ({
    at: group[0].at,
    title: group[0].title,
    channels: group.length,
    errors: group.flatMap(({ channel, error }) => (error === null ? [] : [`${channel}: ${error}`])),
  }));
}
