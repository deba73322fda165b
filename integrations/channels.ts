import type { ChannelName, Notification } from '#core/installation/notify.ts';
import type { PrivateAddresses } from './addresses.ts';
import { type Delivery, NOTIFIERS, sendNotification, sendOutgoing } from './notifiers.ts';
import { type PushKeys, pushRequest } from './push.ts';

type Texts = Readonly<Record<string, string>>;

interface Channel {
  readonly provider: ChannelName;
  readonly settings: Texts;
  readonly secrets: Texts;
}

/** The name of a channel: of a browser its own. */
export const channelText = ({ provider, label }: { readonly provider: ChannelName; readonly label: string }): string =>
  provider === 'push' ? label : NOTIFIERS[provider].title;

/** Answers of a push service for a browser that has unsubscribed, or was removed. */
const GONE: readonly (number | undefined)[] = [404, 410];
export const isGone = (provider: ChannelName, delivery: Delivery): boolean =>
  provider === 'push' && !delivery.ok && GONE.includes(delivery.status);

/** Sends one message to a notifier or to a browser; see sendNotification. `pushKeys` are used for browsers only. */
export async function sendToChannel(
  allowed: PrivateAddresses,
  { provider, settings, secrets }: Channel,
  { message, pushKeys }: { readonly message: Notification; readonly pushKeys: PushKeys | undefined },
): Promise<Delivery> {
  if (provider !== 'push') return sendNotification(allowed, { provider, settings, secrets }, message);
  if (pushKeys === undefined) return { ok: false, detail: 'browser notifications have no keys: switch them on again' };
  return sendOutgoing(allowed, pushRequest(secrets, message, pushKeys), Object.values(secrets));
}
