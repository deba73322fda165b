import type { AccountId } from '#core/ids.ts';
import { addBrowser, preparePush } from '#api/contract/account-notifiers.ts';
import { call } from './call.ts';

/** Why this browser cannot show notifications of a closed page, as a sentence; null when it can. */
export function pushObstacle(): string | null {
  if (!isSecureContext) return 'Browsers allow notifications only on https pages and on this machine itself.';
  if (!('serviceWorker' in navigator) || !('PushManager' in globalThis) || !('Notification' in globalThis))
    return 'This browser has no push notifications. On an iPhone, add Tradewind to the home screen first.';
  if (Notification.permission === 'denied')
    return 'Notifications of this page are blocked: allow them in the settings of the browser.';
  return null;
}

/** This browser in words, such as `Chrome on Windows`. */
export function browserName(agent: string): string {
  const names = [
    ['Edg/', 'Edge'],
    ['Firefox/', 'Firefox'],
    ['Chrome/', 'Chrome'],
    ['Safari/', 'Safari'],
  ] as const;
  const systems = [
    ['iPhone', 'iPhone'],
    ['iPad', 'iPad'],
    ['Android', 'Android'],
    ['Windows', 'Windows'],
    ['Mac OS', 'Mac'],
    ['Linux', 'Linux'],
  ] as const;
  const find = (list: readonly (readonly [string, string])[]) => list.find(([part]) => agent.includes(part))?.[1];
  return `${find(names) ?? 'Browser'} on ${find(systems) ?? 'another system'}`;
}

const bytesOf = (base64url: string): Uint8Array<ArrayBuffer> => {
  const text = atob(base64url.replaceAll('-', '+').replaceAll('_', '/'));
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
};

/** Requests the permission and subscribes this browser to the messages of an account. Throws when it is refused. */
export async function subscribeBrowser(id: AccountId): Promise<void> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser did not allow notifications.');
  const { publicKey } = await call(preparePush, { params: { id } });
  const { pushManager } = await navigator.serviceWorker.ready;
  const options = { userVisibleOnly: true, applicationServerKey: bytesOf(publicKey) };
  const subscription = await pushManager.subscribe(options).catch(async () => {
    // It may be subscribed with the keys of an earlier installation.
    await (await pushManager.getSubscription())?.unsubscribe();
    return pushManager.subscribe(options);
  });
  const { endpoint = '', keys = {} } = subscription.toJSON();
  const body = {
    endpoint,
    p256dh: (keys['p256dh'] ?? '').replace(/=+$/, ''),
    auth: (keys['auth'] ?? '').replace(/=+$/, ''),
    label: browserName(navigator.userAgent),
  };
  await call(addBrowser, { params: { id }, body });
}
