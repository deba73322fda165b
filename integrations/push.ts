import webPush from 'web-push';
import type { Notification } from '#core/installation/notify.ts';
import type { Outgoing } from './outgoing.ts';

/** The key pair that signs browser notifications (VAPID, RFC 8292), as base64url. */
export interface PushKeys {
  readonly publicKey: string;
  readonly privateKey: string;
  /** Contact for the operators of push services, such as `mailto:operator@example.org`. */
  readonly subject: string;
}

/** A message that is older than this is of no use. */
const KEPT_SECONDS = 12 * 3600;
/** Push services accept 4,096 bytes of encrypted content. */
const MAX_TEXT = 1_000;

export const makePushKeys = (): Pick<PushKeys, 'publicKey' | 'privateKey'> => webPush.generateVAPIDKeys();

const cut = (text: string): string => (text.length <= MAX_TEXT ? text : `${text.slice(0, MAX_TEXT - 1)}…`);

/**
 * The request that shows a message in a browser: encrypted for it (RFC 8291) and signed with the keys. `subscription`
 * holds `endpoint`, `p256dh` and `auth` as the browser returned them. Throws on keys that are not valid.
 */
export function pushRequest(
  subscription: Readonly<Record<string, string>>,
  { title, text, at, event }: Notification,
  keys: PushKeys,
): Outgoing {
  const { endpoint = '', p256dh = '', auth = '' } = subscription;
  const content = JSON.stringify({ title: cut(title), text: cut(text), at, event });
  const { headers, body } = webPush.generateRequestDetails({ endpoint, keys: { p256dh, auth } }, content, {
    vapidDetails: keys,
    TTL: KEPT_SECONDS,
    urgency: 'high',
  });
  const shown = Object.entries(headers).filter(([name]) => name !== 'Content-Length');
  return { url: endpoint, headers: Object.fromEntries(shown.map(([name, value]) => [name, String(value)])), body };
}
