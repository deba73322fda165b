import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { Environment } from '#core/installation/env.ts';
import { isProfileEvent, isUrgent, type Notification, quietUntil } from '#core/installation/notify.ts';
import { OPS_NOTIFY } from '#core/installation/settings.ts';
import { sendNotification } from '#integrations/notifiers.ts';
import type { Database, Reader } from '#storage/postgres/database.ts';
import { listNotifiers, readNotifier, type StoredNotifier } from '#storage/operator/notifiers.ts';
import type { JobData, JobRun, Queue } from '#storage/jobs/queue.ts';
import { readSetting } from '#storage/postgres/service-settings.ts';
import { readOperator } from '#storage/operator/users.ts';
import type { WorkerContext } from '#worker/context.ts';

/** Most messages of one notifier within the window; one more message says that the rest is dropped. */
const MOST = 20;
const WINDOW_MS = 10 * 60_000;

async function isWanted(database: Reader, { event }: Notification): Promise<boolean> {
  const switches: Readonly<Record<string, boolean>> = await readSetting(database, OPS_NOTIFY);
  return switches[event] ?? true;
}

/** Removes duplicates: two profiles with the same notifier receive a message about the account once. */
function distinct(notifiers: readonly StoredNotifier[]): StoredNotifier[] {
  const places = new Map(
    notifiers.map((one) => [JSON.stringify([one.provider, one.settings, one.secrets]), one] as const),
  );
  return [...places.values()];
}

type Settings = Pick<Environment, 'LIVE_DEMO' | 'OUTGOING_PRIVATE'>;

interface FanOutDeps {
  readonly database: Database;
  readonly queue: Pick<Queue, 'enqueue'>;
  readonly env: Settings;
}

/**
 * Enqueues one job for each notifier that wants the message, after its quiet hours. It does nothing in a live demo: the
 * queue may still hold jobs from before the flag.
 */
export async function fanOut(
  { database, queue, env }: FanOutDeps,
  { notification, ...to }: JobData['notify'],
): Promise<void> {
  if (env.LIVE_DEMO) return;
  const { kysely } = database;
  const { event, at } = notification;
  if (to.profileId === undefined && !(await isWanted(kysely, notification))) return;
  const listening = (await listNotifiers(kysely, to)).filter(
    ({ enabled, rules }) => enabled && (!isProfileEvent(event) || rules.events.includes(event)),
  );
  const timezone = (await readOperator(kysely))?.timezone ?? 'UTC';
  const now = new Date();
  for (const { profileId, provider, rules } of to.profileId === undefined ? distinct(listening) : listening) {
    const startAfter = isUrgent(notification) ? now : quietUntil(now, rules, timezone);
    const singletonKey = `${profileId}:${provider}:${event}:${at}:${notification.title}`;
    await queue.enqueue('notify-send', { profileId, provider, notification }, { singletonKey, startAfter });
  }
}

/**
 * Sends one message to one notifier. The queue retries a failure and finally stores a dead letter. It does nothing in a
 * live demo.
 */
export async function send(
  { database, cache, log, env }: Pick<WorkerContext, 'database' | 'cache' | 'log'> & { readonly env: Settings },
  { profileId, provider, notification }: JobData['notify-send'],
  { attempt }: Pick<JobRun, 'attempt'>,
): Promise<void> {
  if (env.LIVE_DEMO) return;
  const notifier = await readNotifier(database.kysely, profileId, provider);
  if (notifier === undefined || !notifier.enabled) return;
  let message = notification;
  if (attempt === 1) {
    const { count, resetMs } = await cache.countInWindow(cacheKeys.notified(profileId, provider), WINDOW_MS);
    if (count > MOST + 1) {
      log.info({ event: 'notification_left_out', profileId, provider }, 'A message was dropped: too many at once');
      return;
    }
    if (count > MOST) message = tooMany(notification, resetMs);
  }
  const delivery = await sendNotification(env.OUTGOING_PRIVATE, notifier, message);
  if (!delivery.ok) throw new Error(`The ${provider} notifier did not accept a message: ${delivery.detail}.`);
}

const tooMany = (notification: Notification, resetMs: number): Notification => ({
  ...notification,
  title: `Tradewind: more than ${MOST} messages within ${WINDOW_MS / 60_000} minutes`,
  text: `Further messages are dropped for up to ${Math.max(1, Math.ceil(resetMs / 60_000))} minutes; the log contains all of them.`,
});
