// The page shell without a network: an installed app opens and says that it is offline. No answer of the API is kept.
const SHELL = 'shell-v1';
const ASSETS = 'assets-v1';
const SHELL_FILES = ['/theme.js', '/favicon.svg'];
/** Files of earlier builds are removed beyond this number. */
const MOST_ASSETS = 150;
/** A service that does not answer within this time counts as absent. */
const NETWORK_MS = 4_000;

/** Keeps the page and the files that it names, so that it also opens when the next visit has no network. */
async function keepShell() {
  const cache = await caches.open(SHELL);
  await cache.addAll(['/', ...SHELL_FILES]);
  const page = await (await cache.match('/')).text();
  const named = [...page.matchAll(/"(\/assets\/[^"]+)"/g)].map(([, path]) => path);
  await (await caches.open(ASSETS)).addAll([...new Set(named)]);
}

self.addEventListener('install', (event) => event.waitUntil(keepShell().then(() => self.skipWaiting())));
self.addEventListener('activate', (event) => event.waitUntil(self.clients.claim()));

const late = () => new Promise((_, reject) => setTimeout(() => reject(new Error('no answer in time')), NETWORK_MS));

/** The network's answer, kept for later; the kept one when the network has none. */
async function fromNetwork(request, key) {
  const cache = await caches.open(SHELL);
  const kept = await cache.match(key);
  try {
    const answer = await (kept === undefined ? fetch(request) : Promise.race([fetch(request), late()]));
    const isPage = key !== '/' || (answer.headers.get('content-type') ?? '').startsWith('text/html');
    if (answer.ok && isPage) await cache.put(key, answer.clone());
    return answer;
  } catch (error) {
    if (kept !== undefined) return kept;
    throw error;
  }
}

/** Hashed files never change. */
async function fromCache(request) {
  const cache = await caches.open(ASSETS);
  // A hashed address has one content, whatever headers the request for it had.
  const kept = await cache.match(request, { ignoreVary: true });
  if (kept !== undefined) return kept;
  const answer = await fetch(request);
  if (!answer.ok) return answer;
  await cache.put(request, answer.clone());
  const keys = await cache.keys();
  await Promise.all(keys.slice(0, Math.max(0, keys.length - MOST_ASSETS)).map((key) => cache.delete(key)));
  return answer;
}

self.addEventListener('fetch', (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (request.method !== 'GET' || origin !== location.origin || pathname.startsWith('/api')) return;
  if (request.mode === 'navigate') event.respondWith(fromNetwork(request, '/'));
  else if (pathname.startsWith('/assets/')) event.respondWith(fromCache(request));
  else if (SHELL_FILES.includes(pathname)) event.respondWith(fromNetwork(request, pathname));
});

/* Messages of the account, sent by the worker (integrations/push.ts). */
self.addEventListener('push', (event) => {
  const { title = 'Tradewind', text = '', at } = event.data?.json() ?? {};
  const shown = { body: text, icon: '/icon-192.png', timestamp: at === undefined ? Date.now() : Date.parse(at) };
  event.waitUntil(self.registration.showNotification(title, shown));
});

self.addEventListener('notificationclick', (event) => {
  event.notification.close();
  const open = async () => {
    const pages = await self.clients.matchAll({ type: 'window' });
    return pages.length === 0 ? self.clients.openWindow('/') : pages[0].focus();
  };
  event.waitUntil(open());
});
