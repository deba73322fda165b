import { cacheKeys } from '#core/installation/cache-keys.ts';
import type { Environment } from '#core/installation/env.ts';
import { isChannelEvent, isProfileEvent, isUrgent, type Notification, quietUntil } from '#core/installation/notify.ts';
import { OPS_NOTIFY } from '#core/installation/settings.ts';
import { channelText, isGone, sendToChannel } from '#integrations/channels.ts';
import {
  type AccountNotifier,
  deleteAccountNotifier,
  listAccountNotifiers,
  readAccountNotifier,
  recordDelivery,
} from '#storage/operator/account-notifiers.ts';
import { readPushKeys } from '#storage/operator/push-keys.ts';
import { accountOfProfile } from '#storage/operator/profiles.ts';
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

type Notifier = StoredNotifier | AccountNotifier;

/** Removes duplicates: two profiles, or a profile and its account, with the same notifier receive a message once. */
function distinct(notifiers: readonly Notifier[]): Notifier[] {
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

/** Enabled notifiers that receive an event of a profile, of an account, or, without either, of the installation. */
async function listening(
  database: Reader,
  { notification: { event }, ...to }: JobData['notify'],
): Promise<readonly Notifier[]> {
  const accountId = to.profileId === undefined ? to.accountId : await accountOfProfile(database, to.profileId);
  const accounts =
    to.profileId !== undefined && accountId === undefined ? [] : await listAccountNotifiers(database, accountId);
  const ofAccounts = accounts.filter(
    ({ enabled, rules }) => enabled && (!isChannelEvent(event) || rules.events.includes(event)),
  );
  if (event === 'price-alert') return ofAccounts;
  const ofProfiles = (await listNotifiers(database, to)).filter(
    ({ enabled, rules }) => enabled && (!isProfileEvent(event) || rules.events.includes(event)),
  );
  return distinct([...ofProfiles, ...ofAccounts]);
}

/**
 * Enqueues one job for each notifier that wants the message, after its quiet hours. It does nothing in a live demo: the
 * queue may still hold jobs from before the flag.
 */
export async function fanOut({ database, queue, env }: FanOutDeps, data: JobData['notify']): Promise<void> {
  if (env.LIVE_DEMO) return;
  const { kysely } = database;
  const { notification } = data;
  const { event, at, title } = notification;
  if (data.profileId === undefined && !(await isWanted(kysely, notification))) return;
  const notifiers = await listening(kysely, data);
  const timezone = (await readOperator(kysely))?.timezone ?? 'UTC';
  const now = new Date();
  for (const notifier of notifiers) {
    const startAfter = isUrgent(notification) ? now : quietUntil(now, notifier.rules, timezone);
    const place = 'profileId' in notifier ? `${notifier.profileId}:${notifier.provider}` : notifier.id;
    const target =
      'profileId' in notifier
        ? { profileId: notifier.profileId, provider: notifier.provider }
        : { notifierId: notifier.id };
    const singletonKey = `${place}:${event}:${at}:${title}`;
    await queue.enqueue('notify-send', { ...target, notification }, { singletonKey, startAfter });
  }
}

type SendDeps = Pick<WorkerContext, 'database' | 'cache' | 'log'> & { readonly env: Settings };

/**
 * Sends one message to one notifier. The queue retries a failure and finally stores a dead letter. It does nothing in a
 * live demo.
 */
export async function send(
  deps: SendDeps,
  { notification, ...to }: JobData['notify-send'],
  { attempt }: Pick<JobRun, 'attempt'>,
): Promise<void> {
  const { database, env, log } = deps;
  if (env.LIVE_DEMO) return;
  const { kysely } = database;
  const notifier =
    'notifierId' in to
      ? await readAccountNotifier(kysely, to.notifierId)
      : await readNotifier(kysely, to.profileId, to.provider);
  if (notifier === undefined || !notifier.enabled) return;
  const message = attempt === 1 ? await withinLimit(deps, notifier, notification) : notification;
  if (message === undefined) return;
  const pushKeys = notifier.provider === 'push' ? await readPushKeys(kysely) : undefined;
  const delivery = await sendToChannel(env.OUTGOING_PRIVATE, notifier, { message, pushKeys });
  if ('accountId' in notifier) {
    const { event, title } = message;
    const channel = channelText(notifier);
    await recordDelivery(kysely, notifier.accountId, {
      event,
      title,
      channel,
      error: delivery.ok ? null : delivery.detail,
    });
  }
  if (isGone(notifier.provider, delivery) && 'accountId' in notifier) {
    log.info({ event: 'browser_gone', accountId: notifier.accountId }, 'A browser no longer receives notifications');
    return deleteAccountNotifier(kysely, notifier.id);
  }
  if (!delivery.ok) throw new Error(`The ${notifier.provider} notifier did not accept a message: ${delivery.detail}.`);
}

/** The message, or, once there are too many, one that says so; undefined for all further ones. */
async function withinLimit(
  { cache, log }: Pick<SendDeps, 'cache' | 'log'>,
  notifier: Notifier,
  notification: Notification,
): Promise<Notification | undefined> {
  const key =
    'profileId' in notifier
      ? cacheKeys.notified(notifier.profileId, notifier.provider)
      : cacheKeys.notifiedBy(notifier.id);
  const { count, resetMs } = await cache.countInWindow(key, WINDOW_MS);
  if (count <= MOST) return notification;
  if (count === MOST + 1) return tooMany(notification, resetMs);
  const { provider } = notifier;
  const owner = 'profileId' in notifier ? { profileId: notifier.profileId } : { accountId: notifier.accountId };
  log.info({ event: 'notification_left_out', ...owner, provider }, 'A message was dropped: too many at once');
  return undefined;
}

const tooMany = (notification: Notification, resetMs: number): Notification => ({
  ...notification,
  title: `Tradewind: more than ${MOST} messages within ${WINDOW_MS / 60_000} minutes`,
  text: `Further messages are dropped for up to ${Math.max(1, Math.ceil(resetMs / 60_000))} minutes; the log contains all of them.`,
});
