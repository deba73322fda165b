import type { AccountId, ProfileId } from '#core/ids.ts';
import { isObject } from '#core/merge.ts';
import type { AccountEvent, Notification, ProfileEvent } from '#core/installation/notify.ts';
import type { ActionLogRow, RecordSink } from '#core/ports/records.ts';
import type { EngineLog } from '#engine/state/ports.ts';
import type { Queue } from '#storage/jobs/queue.ts';

/** Dependencies of notifications; no call waits for a notifier. */
export interface NotifyDeps {
  readonly liveDemo: boolean;
  readonly queue: Pick<Queue, 'enqueue'>;
  readonly log: EngineLog;
}

type Message<Event> = Pick<Notification, 'title' | 'text'> & { readonly event: Event; readonly at?: string };

const stamped = <Event extends Notification['event']>(message: Message<Event>): Notification => ({
  ...message,
  at: message.at ?? new Date().toISOString(),
});

/** Notifies the notifiers of a profile and its account; does nothing in a live demo. */
export async function notifyEvent(
  deps: NotifyDeps,
  profileId: ProfileId,
  message: Message<ProfileEvent>,
): Promise<void> {
  if (deps.liveDemo) return;
  await deps.queue.enqueue('notify', { profileId, notification: stamped(message) });
}

/** Notifies the notifiers of an account and its profiles, or, with null, all of the installation. Nothing in a live demo. */
export async function notifyAccount(
  deps: NotifyDeps,
  accountId: AccountId | null,
  message: Message<AccountEvent | 'price-alert'>,
): Promise<void> {
  if (deps.liveDemo) return;
  const to = accountId === null ? {} : { accountId };
  await deps.queue.enqueue('notify', { ...to, notification: stamped(message) });
}

/** Log events that become notifications. */
const NOTIFIED: ReadonlyMap<unknown, ProfileEvent> = new Map([
  ['order_filled', 'order-filled'],
  ['order_rejected', 'order-failed'],
  ['order_unknown', 'order-failed'],
  ['breaker_opened', 'order-failed'],
  ['stop_missing', 'stop-missing'],
  ['coin_cannot_run', 'coin-stopped'],
  ['drift_worse', 'drift'],
]);
const LIMITS: ReadonlySet<unknown> = new Set(['halt-daily-loss', 'halt-drawdown', 'cooldown-loss-streak']);
/** A limit stops every tick of every coin: it is notified once in this time. */
const SAME_LIMIT_MS = 6 * 3_600_000;

/** The operator's limit that refused the decisions of a row; undefined for other rows. */
function limitOf({ level, ctx }: ActionLogRow): string | undefined {
  if (level !== 'warn' || !isObject(ctx) || ctx['event'] !== 'decision' || !isObject(ctx['approval'])) return undefined;
  const { reason } = ctx['approval'];
  return typeof reason === 'string' && LIMITS.has(reason) ? reason : undefined;
}

/**
 * Forwards records and notifies the operator of the listed events. An unavailable queue loses the message, never a
 * tick.
 */
export function notifyingSink(sink: RecordSink, deps: NotifyDeps): RecordSink {
  if (deps.liveDemo) return sink;
  const limits = new Map<string, number>();
  const eventOf = (row: ActionLogRow): ProfileEvent | undefined => {
    const event = NOTIFIED.get(isObject(row.ctx) ? row.ctx['event'] : undefined);
    if (event !== undefined) return event;
    const limit = limitOf(row);
    if (limit === undefined) return undefined;
    const key = `${row.profileId}:${limit}`;
    const nowMs = performance.now();
    if (nowMs - (limits.get(key) ?? Number.NEGATIVE_INFINITY) < SAME_LIMIT_MS) return undefined;
    limits.set(key, nowMs);
    return 'limit-reached';
  };
  const notifyRow = (row: ActionLogRow): void => {
    const event = eventOf(row);
    if (event === undefined) return;
    const title = row.symbol === null ? row.msg : `${row.symbol}: ${row.msg}`;
    notifyEvent(deps, row.profileId, { event, title, text: '', at: row.lastAt.toISOString() }).catch((err: unknown) =>
      deps.log.warn({ event: 'notification_lost', err }, 'A notification could not be queued'),
    );
  };
  return {
    audit: (audit) => sink.audit(audit),
    evidence: (evidence) => sink.evidence(evidence),
    log(row) {
      sink.log(row);
      if (row.count === 1) notifyRow(row);
    },
    flush: () => sink.flush(),
  };
}
